import { auditTables } from '../checkout-load/audit.ts'
import { between, type Chance, newChance } from '../checkout-load/chance.ts'
import { databaseKill, type Fault, serverKill } from '../checkout-load/faults.ts'
import { runLoad } from '../checkout-load/load.ts'
import { openShop, printedBy, type Shop } from '../checkout-load/shop.ts'
import { createDatabase } from '../postgres.ts'
import { type MortalPostgres, type OpenPostgres, openPostgres } from './mortal-postgres.ts'
import { races } from './races/index.ts'
import { recordFindings, recordStrikes, recordViolation, seedOf, type TortureReport } from './report.ts'

export interface TortureOptions {
  /** The URL of an existing PostgreSQL, which is not killed; without it, a temporary one is started and killed. */
  database_url?: string | undefined
  /** Ends the run early. */
  signal?: AbortSignal
}

/** Runs rounds until the time is over or a violation is found, and records everything in the report. */
export async function torture(report: TortureReport, { database_url, signal }: TortureOptions = {}): Promise<void> {
  const endsAt = report.started_at + report.seconds * 1_000
  const postgres = await openPostgres(database_url)
  const stage: Stage = { postgres, ends_at: endsAt - closingMs, shop: null, drop: async () => {} }
  try {
    await Promise.race([rounds(report, stage), whenAborted(signal), rejectWhenLate(report, endsAt)])
  } catch (error) {
    recordViolation(report, (error as Error).stack ?? String(error))
  }
  // An aborted round is not awaited. It fails when the nodes are killed, which is not a violation.
  const violations = [...report.violations]
  const nodes = stage.shop?.nodes ?? []
  if (violations.length > 0 && stage.shop !== null) report.printed = printedBy(stage.shop)
  await Promise.all(nodes.map((node) => node.kill()))
  await stage.drop().catch(() => {}) // the server may be down; then it is our temporary one
  await postgres.stop()
  report.violations = violations
}

/** The resources to close at the end. */
interface Stage {
  postgres: OpenPostgres
  ends_at: number
  shop: Shop | null
  drop(): Promise<void>
}

/** Time reserved for closing the nodes and the database. */
const closingMs = 4_000

/** If the run takes this much longer than planned, something hangs. */
const patienceMs = 60_000

async function rounds(report: TortureReport, stage: Stage): Promise<void> {
  const { postgres, ends_at } = stage
  report.doing = 'starting the service'
  const startedAt = Date.now()
  const database = await createDatabase(postgres.url)
  stage.drop = database.drop
  const first = await openShop(database.url, report.answers)
  stage.shop = first
  const startMs = Date.now() - startedAt
  // A round includes a load only if the remaining time is longer than the last load took.
  let loadTookMs = 0
  const racesTookMs = new Map<string, number>()
  for (let hasTime = true; hasTime && report.violations.length === 0; ) {
    const loadStartedAt = Date.now()
    const leftMs = ends_at - loadStartedAt
    if (leftMs > loadTookMs) {
      report.round += 1
      await loadRound(report, first, { mortal: postgres.mortal, left_ms: leftMs, start_ms: startMs })
      loadTookMs = Date.now() - loadStartedAt
    }
    hasTime = await raceRound(report, await first.another(), { ends_at, took_ms: racesTookMs })
  }
  report.doing = 'closing'
  await first.close()
}

/** The load compares all rows of a project with the model, so it runs in a new project. */
async function loadRound(
  report: TortureReport,
  first: Shop,
  { mortal, left_ms, start_ms }: { mortal: MortalPostgres | null; left_ms: number; start_ms: number },
): Promise<void> {
  const seed = seedOf(report)
  const shop = await first.another()
  // Kills each server once, and PostgreSQL once if it is ours; fewer if restarts would take most of the time.
  const faults: Fault[] = shuffled(newChance(seed), [
    ...shop.nodes.map((_, victim) => serverKill(shop, victim)),
    ...(mortal === null ? [] : [databaseKill(mortal)]),
  ]).slice(0, Math.max(1, Math.floor(left_ms / 2 / (start_ms + 1_000))))
  const load = await runLoad(shop, {
    seed,
    seconds: Math.min(10, Math.max(1, (left_ms * 0.15) / 1_000)),
    faults,
    tell: (doing) => {
      report.doing = doing
    },
  })
  report.replayed += load.replayed
  report.slowest_ms = Math.max(report.slowest_ms, load.slowest_ms)
  recordStrikes(report, load.strikes)
  recordFindings(report, load.findings)
}

/**
 * Runs the races one by one in random order, skipping those that would take longer than the remaining time. Returns whether
 * there was time for any.
 */
async function raceRound(
  report: TortureReport,
  shop: Shop,
  { ends_at, took_ms }: { ends_at: number; took_ms: Map<string, number> },
): Promise<boolean> {
  const all = Object.entries(races).flatMap(([about, group]) =>
    Object.entries(group).map(([name, race]) => ({ name: `${about}: ${name}`, race })),
  )
  let hasTime = false
  for (const { name, race } of shuffled(newChance(seedOf(report)), all)) {
    const startedAt = Date.now()
    if (startedAt + (took_ms.get(name) ?? 3_000) > ends_at) continue
    hasTime = true
    report.doing = name
    await race(shop).catch((error: Error) => recordViolation(report, error.message))
    report.races.set(name, (report.races.get(name) ?? 0) + 1)
    took_ms.set(name, Date.now() - startedAt)
  }
  report.doing = 'comparing the tables'
  recordFindings(report, await auditTables(shop))
  return hasTime
}

function shuffled<T>(chance: Chance, values: readonly T[]): T[] {
  const mixed = [...values]
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = between(chance, 0, last)
    ;[mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T]
  }
  return mixed
}

export const whenAborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })

const rejectWhenLate = (report: TortureReport, endsAt: number): Promise<never> =>
  new Promise((_, reject) => {
    const late = () => reject(new Error(`${report.doing} did not end in time`))
    setTimeout(late, endsAt + patienceMs - Date.now()).unref()
  })
