import { type Cart, openCart } from './cart.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import type { Applicable, Facts, KnownRedeemable } from './schema/index.ts'
import { clockAt } from './time/index.ts'
import { ownEntry } from './values.ts'
import { WorkMeter } from './work.ts'

/** The state of one evaluation: the accumulated effect of the redeemables evaluated so far. */
export interface Run {
  readonly facts: Facts
  /** The request as seen by rules and formulas, before any redeemable is applied. */
  readonly scope: EvaluationScope
  readonly explain: boolean
  /** The current order; null when the request has none. */
  cart: Cart | null
  /** Usage accepted in this request, by campaign. */
  readonly usageByCampaign: Map<string, CampaignUsage>
  /** Goods that must not be discounted again; null when there is no such restriction. */
  readonly blocked: Set<string> | null
}

interface CampaignUsage {
  redemptions: number
  orders_amount: number
  discounted: number
  credits: number
  /** Discounted units, as they count against lifetime limits. */
  units: Units | null
}

type Units = NonNullable<Applicable['units']>

/** Throws a RangeError when an amount of the order is too large to be exact. */
export function openRun(facts: Facts, explain: boolean): Run {
  const { order, customer, caller, metadata, catalogue, stacking_rules } = facts
  const cart = order == null ? null : openCart(order)
  const discountsGoodsOnce = stacking_rules.redeemables_products_application_mode === 'ONCE'
  return {
    facts,
    explain,
    cart,
    usageByCampaign: new Map(),
    blocked: discountsGoodsOnce ? new Set(order?.discounted_goods ?? []) : null,
    scope: {
      clock: clockAt(facts.now, facts.timezone),
      customer: customer ?? null,
      caller: caller ?? null,
      metadata: metadata ?? null,
      catalogue: catalogue ?? {},
      cart,
      redeemable: null,
      event_metadata: null,
      counters: {},
      bundle_quantity: 0,
      effect: null,
      work: new WorkMeter(),
    },
  }
}

/** The scope for one redeemable: the current order, and its counters plus the usage accepted in this request. */
export function scopeFor(run: Run, redeemable: KnownRedeemable): EvaluationScope {
  const usage = run.usageByCampaign.get(campaignOf(redeemable))
  if (usage === undefined) {
    return { ...run.scope, cart: run.cart, redeemable, counters: redeemable.counters ?? {} }
  }
  return {
    ...run.scope,
    cart: run.cart,
    redeemable: usage.units === null ? redeemable : withUnits(redeemable, usage.units),
    counters: addUsageToCounters(usage, redeemable.counters ?? {}),
  }
}

/** A voucher without a campaign counts as a campaign of its own (docs/reference/rules.md#counters). */
const campaignOf = ({ campaign, resource_id }: KnownRedeemable): string => campaign?.id ?? resource_id

function addUsageToCounters(usage: CampaignUsage, stored: EvaluationScope['counters']): EvaluationScope['counters'] {
  const counters: Record<string, number> = { ...stored }
  for (const [name, usageOf] of Object.entries(sharedCounters)) counters[name] = (stored[name] ?? 0) + usageOf(usage)
  return counters
}

const redemptions = ({ redemptions }: CampaignUsage): number => redemptions

/** Counters shared by the redeemables of one campaign: they change within a request. */
const sharedCounters: Record<string, (accepted: CampaignUsage) => number> = {
  'campaign.redemptions.count': redemptions,
  'campaign.redemptions.count.daily': redemptions,
  'campaign.redemptions.count.weekly': redemptions,
  'campaign.redemptions.count.monthly': redemptions,
  'campaign.redemptions.customers_count': redemptions,
  'campaign.redemptions.customers_count.daily': redemptions,
  'campaign.redemptions.customers_count.weekly': redemptions,
  'campaign.redemptions.customers_count.monthly': redemptions,
  'campaign.orders.amount': ({ orders_amount }) => orders_amount,
  'campaign.orders.amount_discounted': ({ discounted }) => discounted,
  'redemption.gift.amount': ({ credits }) => credits,
}

const withUnits = (redeemable: KnownRedeemable, acceptedUnits: Units): KnownRedeemable => ({
  ...redeemable,
  units_used: sumUnits(redeemable.units_used ?? {}, acceptedUnits),
})

/** Adds up units by limit and key. */
function sumUnits(first: Units, second: Units): Units {
  const sums: Units = { ...first }
  for (const [limit, keys] of Object.entries(second)) {
    const unitsByKey = { ...ownEntry(sums, limit) }
    for (const [key, units] of Object.entries(keys)) unitsByKey[key] = (ownEntry(unitsByKey, key) ?? 0) + units
    sums[limit] = unitsByKey
  }
  return sums
}

/** Only the limits of the campaign are shared; those of a promotion tier are its own. */
const sharedUnits = (units: Units): Units =>
  Object.fromEntries(Object.entries(units).filter(([limit]) => !limit.includes('_promotion_tier_')))

/** Records the effect of an accepted redeemable in the run. */
export function accept(run: Run, redeemable: KnownRedeemable, outcome: Applicable, cart: Cart | null): void {
  const usageBefore = run.usageByCampaign.get(campaignOf(redeemable))
  run.cart = cart
  run.usageByCampaign.set(campaignOf(redeemable), {
    redemptions: (usageBefore?.redemptions ?? 0) + 1,
    orders_amount: (usageBefore?.orders_amount ?? 0) + (outcome.order?.amount ?? 0),
    discounted: (usageBefore?.discounted ?? 0) + (outcome.order?.total_applied_discount_amount ?? 0),
    credits: (usageBefore?.credits ?? 0) + (outcome.gift?.credits ?? 0),
    units:
      outcome.units === undefined
        ? (usageBefore?.units ?? null)
        : sumUnits(usageBefore?.units ?? {}, sharedUnits(outcome.units)),
  })
  for (const good of outcome.discounted_goods) run.blocked?.add(good)
}
