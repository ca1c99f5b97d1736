import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'

/**
 * A source id names one transaction of a card: who sends it again has sent it before
 * (docs/reference/loyalty-cards.md#adjust-the-balance). The cards are locked.
 */
export async function refuseUsedSources(
  { db, project_id }: Ctx,
  named: ReadonlyArray<{ voucher_id: string; source_id: string }>,
): Promise<void> {
  const twice = named.find(
    (one, index) =>
      named.findIndex((other) => other.voucher_id === one.voucher_id && other.source_id === one.source_id) !== index,
  )
  if (twice !== undefined) throw alreadyUsed(twice.source_id)
  const { rows } = await sql<{ source_id: string }>`
    select t.source_id from voucher_transactions t
    join unnest(${named.map(({ voucher_id }) => voucher_id)}::text[], ${named.map(({ source_id }) => source_id)}::text[])
      as sent (voucher_id, source_id) on sent.voucher_id = t.voucher_id and sent.source_id = t.source_id
    where t.project_id = ${project_id} limit 1`.execute(db)
  const [used] = rows
  if (used !== undefined) throw alreadyUsed(used.source_id)
}

const alreadyUsed = (sourceId: string): ApiError =>
  new ApiError('duplicate_source_id', { details: `Transaction with source_id: '${sourceId}' already exists` })
