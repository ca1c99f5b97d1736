import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { pageOfEntity } from '../../core/events/page-of-entity.ts'
import { listed } from '../../core/query/list.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { activityTypes } from './activity-types.ts'
import type { MemberActivity, MemberActivityQuery } from './schema.ts'

/** The events of a card and of its holder in the card's campaign; empty for a card without a holder. */
export async function listMemberActivity(
  ctx: Ctx,
  { id, holder_id, campaign_id }: StoredVoucher,
  query: MemberActivityQuery,
) {
  // All these events have the customer as their entity.
  const { events, ...more } = await pageOfEntity(ctx, holder_id ?? '', query, {
    where: [
      sql`type = any(${[...activityTypes]}::text[])`,
      sql`(campaign_id = ${campaign_id}::text or voucher_id = ${id}::text)`,
    ],
    table: 'event_rows',
  })
  const data = events.map(
    ({ id, type, data, event_source, created_at, group_id }) =>
      ({ id, type, data: { data, event_source }, created_at, group_id }) as MemberActivity,
  )
  return listed('data', data, more)
}
