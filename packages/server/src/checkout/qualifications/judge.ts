import { evaluate, qualify } from '@guerdon/engine'
import type { Applicable, CalculatedOrder, Facts, KnownRedeemable, RuleStep, Verdict } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import { findGoods } from '../../catalogue/products/goods.ts'
import type { Ctx } from '../../core/context.ts'
import type { CheckoutRows } from '../decision/loaded.ts'
import type { Offer } from './offers.ts'
import { evaluationModeOf, isProductRule, type ScenarioPolicy } from './scenarios.ts'

/** Something that qualifies, and what it would do. */
export interface Finding {
  offer: Offer
  /** All that it takes off the order. */
  amount: number
  /** What became of it, or of each tier of a stack. */
  outcomes: readonly Applicable[]
  /** The order after all of them. */
  order: CalculatedOrder | null
}

export interface Judge {
  /** Those that qualify, in their order. */
  judge(offers: readonly Offer[]): Promise<Finding[]>
  /** The same again, with the reasons. */
  explain(finding: Finding): Finding
}

/** Judges offers on the order as it was sent, each alone (docs/reference/qualifications.md). */
export function openJudge(ctx: Ctx, approach: ScenarioPolicy, facts: Facts, customerId: string | null): Judge {
  const manner = evaluationModeOf(approach)
  const known: Known = { facts, goods_asked: new Set(), counted: {} }
  const lines = facts.order?.items?.length ?? 0

  function findingOf(offer: Offer, explain: boolean): Finding | null {
    const [redeemable] = redeemablesOf(offer)
    const [outcome] = qualify({ ...known.facts, redeemables: [redeemable as KnownRedeemable] }, { ...manner, explain })
    return outcome?.status === 'APPLICABLE' ? single(offer, outcome) : null
  }

  function redeemablesOf(offer: Offer): readonly KnownRedeemable[] {
    const { counts_units, asks_holder } = offer.traits
    const redeemables = counts_units ? offer.redeemablesWith(known.counted) : offer.redeemables
    // A code of the campaign would be given to this customer before it is used.
    return offer.object === 'campaign' && asks_holder && customerId !== null
      ? redeemables.map((one) => ({ ...one, holders: [customerId] }))
      : redeemables
  }

  /** Kept when it has to do with a line of the order, where only those are asked for. */
  function isKept({ offer, outcomes }: Finding): boolean {
    if (approach.keeps === 'everything') return true
    if (discountsLine(outcomes[0] as Applicable, offer, lines)) return true
    if (approach.keeps === 'product_discounts' || !offer.traits.asks_products) return false
    return requiresLine(findingOf(offer, true)?.outcomes[0])
  }

  function stackFinding(offer: Offer, explain: boolean): Finding | null {
    const redeemables = [...redeemablesOf(offer)]
    const verdict = evaluate({ ...known.facts, redeemables, is_promotion_stack: true }, { ...manner, explain })
    return allApply(verdict) ? stacked(offer, verdict) : null
  }

  return {
    async judge(offers) {
      await provide(ctx, offers, known, customerId)
      const stacks = offers.filter(({ object }) => object === 'promotion_stack')
      if (stacks.length > 0) return stacks.flatMap((offer) => stackFinding(offer, false) ?? [])
      const redeemables = offers.map((offer) => redeemablesOf(offer)[0] as KnownRedeemable)
      const outcomes = qualify({ ...known.facts, redeemables }, manner)
      return offers.flatMap((offer, index) => {
        const outcome = outcomes[index]
        if (outcome?.status !== 'APPLICABLE') return []
        const finding = single(offer, outcome)
        return isKept(finding) ? [finding] : []
      })
    },

    explain({ offer }) {
      const again = offer.object === 'promotion_stack' ? stackFinding(offer, true) : findingOf(offer, true)
      return again as Finding
    },
  }
}

/** What is known so far; offers that come later may need more. */
interface Known {
  facts: Facts
  goods_asked: Set<string>
  counted: Record<string, CheckoutRows['counted'][string]>
}

const single = (offer: Offer, outcome: Applicable): Finding => ({
  offer,
  amount: outcome.order?.total_applied_discount_amount ?? 0,
  outcomes: [outcome],
  order: outcome.order ?? null,
})

const allApply = ({ valid, redeemables }: Verdict): boolean =>
  valid && redeemables.every(({ status }) => status === 'APPLICABLE')

const stacked = (offer: Offer, { redeemables, order }: Verdict): Finding => ({
  offer,
  amount: order?.total_applied_discount_amount ?? 0,
  outcomes: redeemables as Applicable[],
  order: order ?? null,
})

/** Whether one of the lines that were sent gets something off, or would if its price were known. */
function discountsLine({ order, applicable_to }: Applicable, offer: Offer, lines: number): boolean {
  const sent = (order?.items ?? []).slice(0, lines)
  if (sent.some((line) => line.applied_discount_amount || line.applied_discount_quantity || line.applied_quantity))
    return true
  return isOnItems(offer) && applicable_to.data.some(({ order_item_indices = [] }) => order_item_indices.length > 0)
}

function isOnItems({ redeemables: [redeemable] }: Offer): boolean {
  if (redeemable?.kind === 'gift_voucher') return redeemable.gift.effect === 'APPLY_TO_ITEMS'
  if (redeemable?.kind === 'loyalty_card') return false
  const discount = redeemable?.discount
  return discount != null && (discount.type === 'UNIT' || (discount.effect ?? '').startsWith('APPLY_TO_ITEMS'))
}

/** Whether a rule about products holds because of lines of the order. */
function requiresLine(outcome: Applicable | undefined): boolean {
  const steps = (outcome?.explanation?.steps ?? []).filter((step): step is RuleStep => step.step === 'rule')
  return steps.some(
    ({ name, passed, actual }) =>
      passed === true &&
      isProductRule(name) &&
      name !== 'order.items.none' &&
      Array.isArray(actual) &&
      actual.length > 0,
  )
}

/** Loads what some offers need and nobody needed before: goods they give away, units that were discounted ever. */
async function provide(ctx: Ctx, offers: readonly Offer[], known: Known, customerId: string | null): Promise<void> {
  const goods = offers.flatMap(({ traits }) => traits.gives).filter((id) => !known.goods_asked.has(id))
  if (goods.length > 0) {
    for (const id of goods) known.goods_asked.add(id)
    const { products, skus } = await findGoods(ctx, { products: goods, skus: goods })
    const { catalogue } = known.facts
    known.facts = {
      ...known.facts,
      catalogue: {
        ...catalogue,
        products: { ...catalogue?.products, ...Object.fromEntries(products.map((one) => [one.id, one])) },
        skus: { ...catalogue?.skus, ...Object.fromEntries(skus.map((one) => [one.id, one])) },
      },
    }
  }
  const counting = offers.filter(({ traits }) => traits.counts_units).flatMap(({ redeemables }) => redeemables)
  if (counting.length > 0) Object.assign(known.counted, await countUnits(ctx, counting, customerId))
}

/** Of the numbers of the past, only units limit what a discount does; the others no qualification looks at. */
async function countUnits(
  { db, project_id }: Ctx,
  redeemables: readonly KnownRedeemable[],
  customerId: string | null,
): Promise<CheckoutRows['counted']> {
  const asked = redeemables.map(({ kind, resource_id, campaign }) => ({
    id: resource_id,
    scope: campaign?.id ?? resource_id,
    is_tier: kind === 'promotion_tier',
    groups: ['units'],
  }))
  const { rows } = await sql<{ id: string; counted: CheckoutRows['counted'][string] }>`
    select one->>'id' as id, checkout_counted(${project_id}, one, ${customerId}::text, '{}'::jsonb) as counted
    from jsonb_array_elements(${JSON.stringify(asked)}::jsonb) one`.execute(db)
  return Object.fromEntries(rows.map(({ id, counted }) => [id, counted]))
}
