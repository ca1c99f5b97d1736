import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { cursorOf, listed } from '../../core/query/list.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { activityTypes } from './activity-types.ts'
import type { MemberActivity, MemberActivityQuery } from './schema.ts'

/** The events of a card and of its holder in the card's campaign; empty for a card without a holder. */
export async function listMemberActivity(
  { db, project_id }: Ctx,
  { id, holder_id, campaign_id }: StoredVoucher,
  query: MemberActivityQuery,
) {
  const { rows, ...more } = await cursorOf(
    // All these events have the customer as their entity, and event ids sort by time: a page is read from the index on both.
    db
      .selectFrom('events')
      .where('project_id', '=', project_id)
      .where('entity_id', '=', holder_id ?? '')
      .select(['id', 'type', 'data', 'event_source', 'created_at', 'group_id']),
    query,
    {
      columns: { created_at: 'id' },
      default_order: '-created_at',
      where: [
        sql`type = any(${[...activityTypes]}::text[])`,
        sql`(campaign_id = ${campaign_id}::text or voucher_id = ${id}::text)`,
      ],
    },
  )
  const data = rows.map(
    ({ data, event_source, ...row }) => ({ ...row, data: { data, event_source } }) as MemberActivity,
  )
  return listed('data', data, more)
}
