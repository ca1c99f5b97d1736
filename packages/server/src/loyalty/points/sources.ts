import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'

/**
 * Refuses source ids that a transaction of the same card already has, or that the request repeats
 * (docs/reference/loyalty-cards.md#adjust-the-balance). The caller has locked the cards.
 */
export async function refuseUsedSources(
  { db, project_id }: Ctx,
  sourceIds: ReadonlyArray<{ voucher_id: string; source_id: string }>,
): Promise<void> {
  const repeated = sourceIds.find(
    (source, index) =>
      sourceIds.findIndex((other) => other.voucher_id === source.voucher_id && other.source_id === source.source_id) !==
      index,
  )
  if (repeated !== undefined) throw alreadyUsed(repeated.source_id)
  const { rows } = await sql<{ source_id: string }>`
    select t.source_id from voucher_transactions t
    join unnest(${sourceIds.map(({ voucher_id }) => voucher_id)}::text[], ${sourceIds.map(({ source_id }) => source_id)}::text[])
      as sent (voucher_id, source_id) on sent.voucher_id = t.voucher_id and sent.source_id = t.source_id
    where t.project_id = ${project_id} limit 1`.execute(db)
  const [used] = rows
  if (used !== undefined) throw alreadyUsed(used.source_id)
}

const alreadyUsed = (sourceId: string): ApiError =>
  new ApiError('duplicate_source_id', { details: `Transaction with source_id: '${sourceId}' already exists` })
