import { sql } from 'kysely'
import type { Ctx, Runtime } from '../core/context.ts'
import { isOutage } from '../core/db/outage.ts'
import { findProject } from '../core/db/project.ts'
import type { ExportRow, FileRow } from '../core/db/tables.ts'
import { inTransaction, type Trx } from '../core/db/transaction.ts'
import { backgroundCtx } from '../core/jobs/background.ts'
import { appendToFile, publishFile } from '../core/jobs/files/store.ts'
import { csvRow } from '../core/lib/csv.ts'
import { newId } from '../core/lib/ids.ts'
import type { Instant } from '../core/lib/instant.ts'
import { limits } from '../core/lib/limits.ts'
import { metadataKeys } from '../definitions/metadata-schemas/rules.ts'
import { headerOf } from './header.ts'
import { exportables } from './objects.ts'
import { type Exported, type Position, readKeys, readRows } from './read.ts'

/** Has this process write exports from now on, together with the other nodes. */
export function watchExports(runtime: Runtime): void {
  let last = ''
  runtime.jobs.watch('exports', async () => {
    const id = await workOnExport(runtime, { after: last })
    last = id ?? ''
    return id !== null
  })
}

/**
 * Takes one export a step further, in one transaction that also stores how far it came: what a crash undoes is done
 * again, and nothing is written twice. The next in line after `after`, so that a small export need not wait for a large
 * one; another than those that other nodes are at. Answers which one it was, or null when there is nothing to do.
 */
export async function workOnExport(
  runtime: Runtime,
  { after = '', only }: { after?: string; only?: string } = {},
): Promise<ExportRow['id'] | null> {
  const taken: TakenExport[] = []
  try {
    await inTransaction(runtime.database.db, async (trx) => {
      taken.length = 0
      const next = await takeExport(trx, after, only)
      if (next === null) return
      taken.push(next)
      await advance(await ctxOf(runtime, trx, next.project_id), next)
    })
  } catch (error) {
    const [broken] = taken
    if (broken === undefined || isOutage(error)) throw error
    const { project_id, id } = broken
    runtime.log.error({ err: error, project_id, export_id: id }, 'an export broke')
    await inTransaction(runtime.database.db, async (trx) =>
      updateExport(await ctxOf(runtime, trx, project_id), id, 'ERROR', {}),
    )
  }
  return taken[0]?.id ?? null
}

interface TakenExport extends Exported {
  project_id: string
  id: ExportRow['id']
  file_id: FileRow['id']
  token: string
  state: ExportState
}

/** How far an export came. */
interface ExportState {
  /** The moment its filter asks about. */
  started_at?: Instant
  /** Of the metadata, while they are gathered: those of the rows up to the last one by id. */
  keys?: { found: string[]; last: string }
  /** Once the header is written. */
  columns?: string[]
  /** The last row that is written. */
  last?: Position
}

async function takeExport(db: Trx, after: string, only: string | undefined): Promise<TakenExport | null> {
  const { rows } = await sql<TakenExport>`
    select e.project_id, e.id, e.exported_object, e.parameters, e.file_id, e.token, e.state from exports e
    where e.status in ('SCHEDULED', 'IN_PROGRESS')
      and ${only === undefined ? sql`true` : sql`e.project_id = ${only}`}
      and exists (select from projects p where p.id = e.project_id and p.deleted_at is null)
    order by e.id <= ${after}, e.id limit 1 for update skip locked`.execute(db)
  return rows[0] ?? null
}

async function ctxOf(runtime: Runtime, trx: Trx, projectId: string): Promise<Ctx> {
  const project = await findProject(trx, projectId)
  if (project === null) throw new Error(`Project ${projectId} was deleted meanwhile`)
  const caller = { channel: 'INTERNAL', api_key: null, role: 'ADMIN' } as const
  return { ...backgroundCtx(runtime, project, { request_id: newId('background_run'), caller }), db: trx }
}

async function advance(ctx: Ctx, taken: TakenExport): Promise<void> {
  const { id, file_id, token } = taken
  const { started_at = ctx.now } = taken.state
  // All steps ask the same question, also when one of them runs after midnight.
  const then: Ctx = { ...ctx, now: started_at }
  const { columns, ...gathering } = taken.state.columns === undefined ? await gatherColumns(then, taken) : taken.state
  if (columns === undefined) return updateExport(ctx, id, 'IN_PROGRESS', { ...gathering, started_at })

  if (taken.state.columns === undefined) await append(ctx, file_id, [columns.map(headerOf)])
  const { rows, last } = await readRows(then, taken, columns, taken.state.last ?? null)
  await append(ctx, file_id, rows)
  if (last !== null) return updateExport(ctx, id, 'IN_PROGRESS', { started_at, columns, last })
  await publishFile(ctx, file_id, { token, expires_at: null })
  await updateExport(ctx, id, 'DONE', {})
}

/** The columns of the file; while `metadata` is asked for and there are rows left to look at, the keys known so far. */
async function gatherColumns(ctx: Ctx, taken: TakenExport): Promise<Pick<ExportState, 'keys' | 'columns'>> {
  const { fields } = taken.parameters
  if (!fields.includes('metadata')) return { columns: fields }
  const { found, last: before } = taken.state.keys ?? { found: [], last: '' }
  const { keys, last } = await readKeys(ctx, taken, before)
  const known = [...new Set([...found, ...keys])]
  if (known.length > limits.export_columns_max)
    throw new Error(`The file would have more than ${limits.export_columns_max} columns`)
  if (last !== null) return { keys: { found: known, last } }
  const { described_as } = exportables[taken.exported_object]
  const described = described_as === null ? [] : await metadataKeys(ctx, described_as)
  const columns = [...new Set([...described, ...known.sort()])].map((key) => `metadata.${key}`)
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
