import { sql } from 'kysely'
import type { Ctx, Runtime } from '../core/context.ts'
import { isTransient } from '../core/db/outdated-node.ts'
import { findProject } from '../core/db/project.ts'
import { PrimaryNeededError, type Replicas } from '../core/db/replicas.ts'
import type { ExportRow, FileRow } from '../core/db/tables.ts'
import { inTransaction, type Trx } from '../core/db/transaction.ts'
import { backgroundCtx, newBackgroundRun } from '../core/jobs/background.ts'
import { appendToFile } from '../core/jobs/files/store.ts'
import { csvRow } from '../core/lib/csv.ts'
import type { Instant } from '../core/lib/instant.ts'
import { limits } from '../core/lib/limits.ts'
import { metadataKeys } from '../definitions/metadata-schemas/rules.ts'
import type { Position } from './exportable.ts'
import { exportables } from './objects.ts'
import { type Exported, readKeys, readRows } from './read.ts'

/** Starts the export worker of this process; all nodes share the queue. */
export function watchExports(runtime: Runtime): void {
  let last = ''
  runtime.jobs.watch('exports', async () => {
    const id = await workOnExport(runtime, { after: last })
    last = id ?? ''
    return id !== null
  })
}

/**
 * Runs one step of one export, in one transaction that also stores its progress: a step that a crash rolled back is repeated,
 * and no row is written twice. Takes the next export after `after`, round robin, so that a small export does not wait for a large
 * one, and skips exports that other nodes have locked. Returns its id, or null when there is nothing to do.
 */
export async function workOnExport(
  runtime: Runtime,
  { after = '', only }: { after?: string; only?: string } = {},
): Promise<ExportRow['id'] | null> {
  const claimed: ClaimedExport[] = []
  try {
    await inTransaction(runtime.database.db, async (trx) => {
      claimed.length = 0
      const next = await claimExport(trx, after, only)
      if (next === null) return
      claimed.push(next)
      await advance(await ctxOf(runtime, trx, next.project_id), next, runtime.replicas)
    })
  } catch (error) {
    const [failedExport] = claimed
    if (failedExport === undefined || (await isTransient(error, runtime.database))) throw error
    const { project_id, id } = failedExport
    runtime.log.error({ err: error, project_id, export_id: id }, 'export failed')
    await inTransaction(runtime.database.db, async (trx) =>
      updateExport(await ctxOf(runtime, trx, project_id), id, 'ERROR', {}),
    )
  }
  return claimed[0]?.id ?? null
}

interface ClaimedExport extends Exported {
  project_id: string
  id: ExportRow['id']
  file_id: FileRow['id']
  state: ExportState
}

/** The progress of an export. */
interface ExportState {
  /** The `now` of its filter, the same for all steps. */
  started_at?: Instant
  /** The metadata keys collected so far, from the rows up to the id `last`. */
  keys?: { found: string[]; last: string }
  /** Set once the header is written. */
  columns?: string[]
  /** The last row written. */
  last?: Position
}

/** Exports that other nodes work on may come before the one to take. */
const claimsTriedMax = 20

async function claimExport(db: Trx, after: string, only: string | undefined): Promise<ClaimedExport | null> {
  const { rows: waiting } = await sql<Pick<ClaimedExport, 'project_id' | 'id'>>`
    select e.project_id, e.id from exports e
    where e.status in ('SCHEDULED', 'IN_PROGRESS')
      and ${only === undefined ? sql`true` : sql`e.project_id = ${only}`}
      and exists (select from projects p where p.id = e.project_id and p.deleted_at is null)
    order by e.id <= ${after}, e.id limit ${sql.lit(claimsTriedMax)}`.execute(db)
  // One by one: on a distributed database a statement locks rows of one project.
  for (const { project_id, id } of waiting) {
    const { rows } = await sql<ClaimedExport>`
      select e.project_id, e.id, e.exported_object, e.parameters, e.file_id, e.state from exports e
      where e.project_id = ${project_id} and e.id = ${id} and e.status in ('SCHEDULED', 'IN_PROGRESS')
      for update skip locked`.execute(db)
    if (rows[0] !== undefined) return rows[0]
  }
  return null
}

async function ctxOf(runtime: Runtime, trx: Trx, projectId: string): Promise<Ctx> {
  const project = await findProject(trx, projectId)
  if (project === null) throw new Error(`Project ${projectId} was deleted while its export was running`)
  return { ...backgroundCtx(runtime, project, newBackgroundRun()), db: trx }
}

async function advance(ctx: Ctx, claimedExport: ClaimedExport, replicas: Replicas | null): Promise<void> {
  const { id, file_id } = claimedExport
  const { started_at = ctx.now } = claimedExport.state
  // All steps use the same `now`, even if one of them runs after midnight.
  const startCtx: Ctx = { ...ctx, now: started_at }
  const { columns, ...progress } =
    claimedExport.state.columns === undefined
      ? await collectColumns(startCtx, claimedExport, replicas)
      : claimedExport.state
  if (columns === undefined) return updateExport(ctx, id, 'IN_PROGRESS', { ...progress, started_at })

  if (claimedExport.state.columns === undefined) await append(ctx, file_id, [columns.map(headerOf)])
  const { rows, last } = await readOnReplica(startCtx, claimedExport, replicas, (readCtx) =>
    readRows(readCtx, claimedExport, columns, claimedExport.state.last ?? null),
  )
  await append(ctx, file_id, rows)
  if (last !== null) return updateExport(ctx, id, 'IN_PROGRESS', { started_at, columns, last })
  await updateExport(ctx, id, 'DONE', {})
}

/**
 * Reads on a replica that knows the export, and so everything that was there when it was asked for; otherwise in the transaction of
 * the step.
 */
function readOnReplica<T>(
  ctx: Ctx,
  { project_id, id }: ClaimedExport,
  replicas: Replicas | null,
  read: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  if (replicas === null) return read(ctx)
  return replicas.read(
    {},
    async (db) => {
      const known = await db
        .selectFrom('exports')
        .where('project_id', '=', project_id)
        .where('id', '=', id)
        .select('id')
        .executeTakeFirst()
      if (known === undefined) throw new PrimaryNeededError()
      return read({ ...ctx, db, primary: ctx.db })
    },
    () => read(ctx),
  )
}

/**
 * The name of a column in the file: `source_id` → `Source ID`, `metadata.color` unchanged
 * (docs/reference/exports.md#export-file).
 */
function headerOf(field: string): string {
  if (field.startsWith('metadata.')) return field
  return field
    .split('_')
    .map((word) => capitals.get(word) ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}

const capitals = new Map(['id', 'qr', 'sku'].map((word) => [word, word.toUpperCase()]))

/** The columns of the file; if `metadata` is among the fields and rows are left to scan, the keys collected so far. */
async function collectColumns(
  ctx: Ctx,
  claimedExport: ClaimedExport,
  replicas: Replicas | null,
): Promise<Pick<ExportState, 'keys' | 'columns'>> {
  const { fields } = claimedExport.parameters
  if (!fields.includes('metadata')) return { columns: fields }
  const { found, last: before } = claimedExport.state.keys ?? { found: [], last: '' }
  const { keys, last } = await readOnReplica(ctx, claimedExport, replicas, (readCtx) =>
    readKeys(readCtx, claimedExport, before),
  )
  const allKeys = [...new Set([...found, ...keys])]
  if (allKeys.length > limits.export_columns_max)
    throw new Error(`The file would have more than ${limits.export_columns_max} columns`)
  if (last !== null) return { keys: { found: allKeys, last } }
  const { described_as } = exportables[claimedExport.exported_object]
  const described = described_as === null ? [] : await metadataKeys(ctx, described_as)
  const columns = [...new Set([...described, ...allKeys.sort()])].map((key) => `metadata.${key}`)
  return { columns: [...new Set(fields.flatMap((name) => (name === 'metadata' ? columns : [name])))] }
}

const append = (ctx: Ctx, fileId: FileRow['id'], rows: unknown[][]): Promise<void> =>
  appendToFile(ctx, fileId, Buffer.from(rows.map(csvRow).join('')))

async function updateExport(
  { db, project_id }: Ctx,
  id: ExportRow['id'],
  status: ExportRow['status'],
  state: ExportState,
): Promise<void> {
  await db
    .updateTable('exports')
    .set({ status, state: JSON.stringify(state) })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
}
