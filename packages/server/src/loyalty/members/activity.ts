import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { pageOfEntity } from '../../core/events/page-of-entity.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { countOf, listed } from '../../core/query/list.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { activityTypes } from './activity-types.ts'
import type { MemberActivity, MemberActivityQuery } from './schema.ts'

/** The events of a card and of its holder in the card's campaign; empty for a card without a holder. */
export async function listMemberActivity(ctx: Ctx, card: StoredVoucher, query: MemberActivityQuery) {
  const { activities, more } = await pageOfActivity(ctx, card, query)
  return listed('data', activities, more)
}

/** The same with their number. */
export async function listMemberActivities(ctx: Ctx, card: StoredVoucher, query: MemberActivityQuery) {
  const { activities, more } = await pageOfActivity(ctx, card, query)
  const total = await countOf(
    ctx.db
      .selectFrom('event_rows')
      .where('project_id', '=', ctx.project_id)
      .where('entity_id', '=', card.holder_id ?? '')
      .select('id'),
    isOfCard(card),
  )
  return listed(
    'activities',
    activities.map((activity) => ({ ...activity, object: 'event' as const })),
    { total, ...more },
  )
}

async function pageOfActivity(ctx: Ctx, card: StoredVoucher, query: MemberActivityQuery) {
  // All these events have the customer as their entity.
  const { events, ...more } = await pageOfEntity(ctx, card.holder_id ?? '', query, {
    where: isOfCard(card),
    table: 'event_rows',
  })
  const activities = events.map(
    ({ id, type, data, event_source, created_at, group_id }) =>
      ({ id, type, data: { data, event_source }, created_at, group_id }) as MemberActivity,
  )
  return { activities, more }
}

const isOfCard = ({ id, campaign_id }: StoredVoucher): Condition[] => [
  sql`type = any(${[...activityTypes]}::text[])`,
  sql`(campaign_id = ${campaign_id}::text or voucher_id = ${id}::text)`,
]
