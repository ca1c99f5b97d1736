import { clockAt, whyNotValid } from '@guerdon/engine'
import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { listed } from '../../core/query/list.ts'
import { toValidity } from '../../rules/terms/validity.ts'
import type { CampaignTierQuery, PromotionTierList, PromotionTierQuery } from './schema.ts'
import { showTiers } from './show-tiers.ts'
import { campaignValidityOf, tierValidityOf } from './tier.ts'
import { campaignLimits, listTiers, listTiersIn, tierQuery } from './tier-store.ts'

/** A page of the tiers of the project, or of one campaign if given. */
export async function showTierPage(
  ctx: Ctx,
  query: PromotionTierQuery | (CampaignTierQuery & { campaign_id: string }),
): Promise<PromotionTierList> {
  const where = query.is_available === true ? await availableOnly(ctx) : []
  const { tiers, total, has_more } =
    'campaign_id' in query
      ? await listTiersIn(ctx, query.campaign_id, query, where)
      : await listTiers(ctx, query, where)
  const last = tiers.at(-1)
  return listed('tiers', await showTiers(ctx, tiers), {
    total,
    has_more,
    ...(has_more && last !== undefined ? { more_starting_after: last.id } : {}),
  })
}

/**
 * Conditions for the tiers that are active now, by their own fields and by those of their campaign
 * (docs/reference/validity-periods.md#verdict), over the tables that `tierQuery` joins. The database checks `active` and
 * dates; the engine checks recurring times, so tiers that are closed now because of them are excluded by id.
 */
async function availableOnly(ctx: Ctx): Promise<Condition[]> {
  const open = isOpen(ctx)
  const closed = await listClosedNow(ctx, open)
  return [open, sql`not promotion_tiers.id = any(${closed}::text[])`]
}

function isOpen({ now }: Ctx): Condition {
  const at = sql`${now}::timestamptz`
  return sql`(
    promotion_tiers.active and campaigns.active and promotion_tiers.discount is not null
    and coalesce(promotion_tiers.start_date <= ${at}, true) and coalesce(promotion_tiers.expiration_date >= ${at}, true)
    and coalesce(campaigns.start_date <= ${at}, true) and coalesce(campaigns.expiration_date >= ${at}, true)
  )`
}

const hasRecurringTimes: Condition = sql`(
  coalesce(promotion_tiers.validity_timeframe, promotion_tiers.validity_day_of_week, promotion_tiers.validity_hours,
    campaigns.validity_timeframe, campaigns.validity_day_of_week, campaigns.validity_hours) is not null
)`

const tierLimits = [
  'promotion_tiers.start_date',
  'promotion_tiers.expiration_date',
  'promotion_tiers.validity_timeframe',
  'promotion_tiers.validity_day_of_week',
  'promotion_tiers.validity_hours',
] as const

async function listClosedNow(ctx: Ctx, open: Condition): Promise<string[]> {
  const clock = clockAt(ctx.now, ctx.project.timezone)
  const closed: string[] = []
  for (let after = ''; ; ) {
    const tiers = await tierQuery(ctx)
      .clearSelect()
      .select(['promotion_tiers.id', ...tierLimits, ...campaignLimits])
      .where(open)
      .where(hasRecurringTimes)
      .where('promotion_tiers.id', '>', after as `promo_${string}`)
      .orderBy('promotion_tiers.id')
      .limit(limits.promotion_tiers_max)
      .execute()
    for (const tier of tiers)
      if (
        [tierValidityOf(tier), campaignValidityOf(tier)].some((limit) => whyNotValid(toValidity(limit), clock) !== null)
      )
        closed.push(tier.id)
    const last = tiers.at(-1)
    if (last === undefined || tiers.length < limits.promotion_tiers_max) return closed
    after = last.id
  }
}
