import { type Cart, openCart } from './cart.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import type { Applicable, Facts, KnownRedeemable } from './schema/index.ts'
import { clockAt } from './time/index.ts'
import { ownEntry } from './values.ts'

/** One calculation on its way: what the redeemables so far have done, for those that come after. */
export interface Run {
  readonly facts: Facts
  /** The request as rules and formulas see it, before anything is applied. */
  readonly scene: EvaluationScope
  readonly explain: boolean
  /** The order as it stands; null when none was sent. */
  cart: Cart | null
  /** What was accepted of each campaign. */
  readonly accepted: Map<string, Accepted>
  /** Goods that nobody may discount again; null where everybody may. */
  readonly blocked: Set<string> | null
}

interface Accepted {
  redemptions: number
  orders_amount: number
  discounted: number
  credits: number
  /** Units discounted, as they count against lifetime limits. */
  units: Units | null
}

type Units = NonNullable<Applicable['units']>

/** Throws a RangeError for an order whose amounts are too large to be exact. */
export function openRun(facts: Facts, explain: boolean): Run {
  const { order, customer, caller, metadata, catalogue, stacking_rules } = facts
  const cart = order == null ? null : openCart(order)
  const isOnce = stacking_rules.redeemables_products_application_mode === 'ONCE'
  return {
    facts,
    explain,
    cart,
    accepted: new Map(),
    blocked: isOnce ? new Set(order?.discounted_goods ?? []) : null,
    scene: {
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
    },
  }
}

/** The scene for one redeemable: the order as it stands, its counters with what this request has accepted. */
export function scopeFor(run: Run, redeemable: KnownRedeemable): EvaluationScope {
  const accepted = run.accepted.get(campaignOf(redeemable))
  if (accepted === undefined) {
    return { ...run.scene, cart: run.cart, redeemable, counters: redeemable.counters ?? {} }
  }
  return {
    ...run.scene,
    cart: run.cart,
    redeemable: accepted.units === null ? redeemable : withUnits(redeemable, accepted.units),
    counters: countersWith(accepted, redeemable.counters ?? {}),
  }
}

/** A code without a campaign is a campaign of its own (docs/reference/rules.md#counters). */
const campaignOf = ({ campaign, resource_id }: KnownRedeemable): string => campaign?.id ?? resource_id

function countersWith(accepted: Accepted, stored: EvaluationScope['counters']): EvaluationScope['counters'] {
  const counters: Record<string, number> = { ...stored }
  for (const [name, of] of Object.entries(shared)) counters[name] = (stored[name] ?? 0) + of(accepted)
  return counters
}

const redemptions = ({ redemptions }: Accepted): number => redemptions

/** Counters that redeemables of one campaign share, and so move within a request. */
const shared: Record<string, (accepted: Accepted) => number> = {
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

const withUnits = (redeemable: KnownRedeemable, accepted: Units): KnownRedeemable => ({
  ...redeemable,
  units_used: joined(redeemable.units_used ?? {}, accepted),
})

/** Units by limit and key, added up. */
function joined(one: Units, other: Units): Units {
  const both: Units = { ...one }
  for (const [limit, keys] of Object.entries(other)) {
    const sums = { ...ownEntry(both, limit) }
    for (const [key, units] of Object.entries(keys)) sums[key] = (ownEntry(sums, key) ?? 0) + units
    both[limit] = sums
  }
  return both
}

/** The limits of a tier are its own; those of a campaign are shared. */
const sharedUnits = (units: Units): Units =>
  Object.fromEntries(Object.entries(units).filter(([limit]) => !limit.includes('_promotion_tier_')))

/** Keeps what an accepted redeemable did. */
export function accept(run: Run, redeemable: KnownRedeemable, outcome: Applicable, cart: Cart | null): void {
  const before = run.accepted.get(campaignOf(redeemable))
  run.cart = cart
  run.accepted.set(campaignOf(redeemable), {
    redemptions: (before?.redemptions ?? 0) + 1,
    orders_amount: (before?.orders_amount ?? 0) + (outcome.order?.amount ?? 0),
    discounted: (before?.discounted ?? 0) + (outcome.order?.total_applied_discount_amount ?? 0),
    credits: (before?.credits ?? 0) + (outcome.gift?.credits ?? 0),
    units:
      outcome.units === undefined ? (before?.units ?? null) : joined(before?.units ?? {}, sharedUnits(outcome.units)),
  })
  for (const good of outcome.discounted_goods) run.blocked?.add(good)
}
