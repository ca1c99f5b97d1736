import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { IdKind } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { type Foreign, LeftOut, requiredText } from './foreign.ts'
import { insertRows, type NewRow, present, type Table } from './insert-rows.ts'
import { isKept, keptId } from './kept-id.ts'
import { count, type KindReport } from './report.ts'

/** Objects of one list that are written in one transaction. */
export interface Batch {
  ctx: Ctx
  objects: readonly Foreign[]
  /** When the copy was made. */
  copied_at: Instant
  report: KindReport
}

/** Writes the objects of one list. */
export interface Writer {
  /** The list of the account. */
  list: string
  /** Objects per transaction. */
  size: number
  write(batch: Batch): Promise<void>
}

/** The result of `work` for each object; an object that is left out, or that our own checks refuse, goes into the report instead. */
export async function forEach<T>(
  { objects, report }: Batch,
  work: (object: Foreign) => T | Promise<T>,
): Promise<Array<Awaited<T>>> {
  const results: Array<Awaited<T>> = []
  for (const object of objects)
    try {
      results.push(await work(object))
    } catch (error) {
      const reason = reasonOf(error)
      if (reason === null) throw error
      count(report.left_out, reason, object.id)
    }
  return results
}

/** Ids in a message would make every reason a reason of its own. */
function reasonOf(error: unknown): string | null {
  if (error instanceof LeftOut) return error.message
  if (!(error instanceof ApiError)) return null
  return error.message.replaceAll(/\b[a-z]+_\w{8,}/g, '…').slice(0, 200)
}

/** The id of an object, kept where its form is ours. */
export function ownId<K extends IdKind>({ report }: Batch, kind: K, object: Foreign) {
  const foreign = requiredText(object, 'id')
  if (!isKept(kind, foreign)) count(report.changed, 'the id has a form that is not ours, and got another', foreign)
  return keptId(kind, foreign)
}

/** The id of another object; null if there is none. */
export function reference<K extends IdKind>(kind: K, object: Foreign, name: string) {
  const value = object[name]
  return typeof value === 'string' && value !== '' ? keptId(kind, value) : null
}

/**
 * Inserts the main rows of a batch, one for each object, and returns those that were new: only they get what belongs to them, so
 * that a repeated batch changes nothing.
 */
export async function insertMain<Row extends NewRow & { id: string }>(
  { ctx, report }: Batch,
  table: Table,
  rows: readonly Row[],
): Promise<Row[]> {
  const distinct = [...new Map(rows.map((row) => [row.id, row])).values()]
  const refused = new Set<string>()
  const inserted = await insertRows(ctx, table, distinct, ({ id }, reason) => {
    refused.add(id)
    count(report.left_out, reason, id)
  })
  const isNew = new Set(inserted.map(({ id }) => id))
  const others = distinct.filter(({ id }) => !isNew.has(id) && !refused.has(id))
  const known = await present(
    ctx,
    table,
    others.map(({ id }) => id),
  )
  for (const { id } of others)
    if (!known.has(id)) count(report.left_out, 'another object has the same name, code or source id', id)
  // An object that a list has twice counts twice, as it was read.
  report.written += rows.filter(({ id }) => isNew.has(id) || known.has(id)).length
  return inserted
}

/** Inserts rows that belong to main rows. */
export async function insertParts({ ctx, report }: Batch, table: Table, rows: readonly NewRow[]): Promise<void> {
  await insertRows(ctx, table, rows, (row, reason) =>
    count(report.left_out, `${table}: ${reason}`, row.voucher_id ?? row.id),
  )
}
