import { evaluate, openQualification } from '@guerdon/engine'
import type {
  Applicable,
  CalculatedOrder,
  Facts,
  KnownRedeemable,
  Outcome,
  RuleStep,
  Verdict,
} from '@guerdon/engine/schema'
import { sql } from 'kysely'
import { findGoods } from '../../catalogue/products/goods.ts'
import type { Ctx } from '../../core/context.ts'
import { forEachInSlices, newTimeSlice } from '../../core/lib/time-slice.ts'
import type { CheckoutRows } from '../decision/checkout-rows.ts'
import type { Offer } from './offers.ts'
import { evaluationModeOf, isProductRule, type ScenarioPolicy } from './scenarios.ts'

/** A qualified offer with its effect. */
export interface Finding {
  offer: Offer
  /** The total discount on the order. */
  amount: number
  /** Its outcome, or those of the tiers of a stack. */
  outcomes: readonly Applicable[]
  /** The order after all outcomes. */
  order: CalculatedOrder | null
}

export interface OfferEvaluator {
  /** The offers that qualify, in their order. */
  evaluate(offers: readonly Offer[]): Promise<Finding[]>
  /** Evaluates the offer again, with explanation. */
  explain(finding: Finding): Finding
}

/** Evaluates offers on the order as it was sent, each on its own (docs/reference/qualifications.md). */
export function newOfferEvaluator(
  ctx: Ctx,
  policy: ScenarioPolicy,
  facts: Facts,
  customerId: string | null,
): OfferEvaluator {
  const mode = evaluationModeOf(policy)
  const loaded: LoadedFacts = { facts, goods_asked: new Set(), counted: {} }
  const lines = facts.order?.items?.length ?? 0
  const slice = newTimeSlice()

  function findingOf(offer: Offer, explain: boolean): Finding | null {
    const [redeemable] = redeemablesOf(offer)
    const evaluateAlone = openQualification(loaded.facts, { ...mode, explain })
    return singleFinding(offer, evaluateAlone(redeemable as KnownRedeemable))
  }

  function redeemablesOf(offer: Offer): readonly KnownRedeemable[] {
    const { counts_units, asks_holder } = offer.traits
    const redeemables = counts_units ? offer.redeemablesWith(loaded.counted) : offer.redeemables
    // The campaign would assign its voucher to this customer, who thus counts as the holder.
    return offer.object === 'campaign' && asks_holder && customerId !== null
      ? redeemables.map((redeemable) => ({ ...redeemable, holders: [customerId] }))
      : redeemables
  }

  /** In scenarios about products, keeps only offers that discount or require a line of the order. */
  function isKept({ offer, outcomes }: Finding): boolean {
    if (policy.keeps === 'everything') return true
    if (discountsLine(outcomes[0] as Applicable, offer, lines)) return true
    if (policy.keeps === 'product_discounts' || !offer.traits.asks_products) return false
    return requiresLine(findingOf(offer, true)?.outcomes[0])
  }

  function stackFinding(offer: Offer, explain: boolean): Finding | null {
    const redeemables = [...redeemablesOf(offer)]
    const verdict = evaluate({ ...loaded.facts, redeemables, is_promotion_stack: true }, { ...mode, explain })
    return allApply(verdict) ? stacked(offer, verdict) : null
  }

  return {
    async evaluate(offers) {
      await loadMissingFacts(ctx, offers, loaded, customerId)
      const evaluateAlone = openQualification(loaded.facts, mode)
      const findings: Finding[] = []
      await forEachInSlices(
        offers,
        (offer) => {
          const finding =
            offer.object === 'promotion_stack'
              ? stackFinding(offer, false)
              : singleFinding(offer, evaluateAlone(redeemablesOf(offer)[0] as KnownRedeemable))
          if (finding !== null && (offer.object === 'promotion_stack' || isKept(finding))) findings.push(finding)
        },
        slice,
      )
      return findings
    },

    explain({ offer }) {
      const explained = offer.object === 'promotion_stack' ? stackFinding(offer, true) : findingOf(offer, true)
      return explained as Finding
    },
  }
}

/** The facts loaded so far; later offers may need more. */
interface LoadedFacts {
  facts: Facts
  goods_asked: Set<string>
  counted: Record<string, CheckoutRows['counted'][string]>
}

const singleFinding = (offer: Offer, outcome: Outcome): Finding | null =>
  outcome.status !== 'APPLICABLE'
    ? null
    : {
        offer,
        amount: outcome.order?.total_applied_discount_amount ?? 0,
        outcomes: [outcome],
        order: outcome.order ?? null,
      }

const allApply = ({ valid, redeemables }: Verdict): boolean =>
  valid && redeemables.every(({ status }) => status === 'APPLICABLE')

const stacked = (offer: Offer, { redeemables, order }: Verdict): Finding => ({
  offer,
  amount: order?.total_applied_discount_amount ?? 0,
  outcomes: redeemables as Applicable[],
  order: order ?? null,
})

/** Whether a line of the request is discounted, or would be if its price were known. */
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

/** Whether a rule about products is met by lines of the order, or would be with more units of them. */
function requiresLine(outcome: Applicable | undefined): boolean {
  const steps = (outcome?.explanation?.steps ?? []).filter((step): step is RuleStep => step.step === 'rule')
  return steps.some(
    ({ name, passed, actual }) =>
      passed !== false &&
      isProductRule(name) &&
      name !== 'order.items.none' &&
      Array.isArray(actual) &&
      actual.length > 0,
  )
}

/** Loads what these offers need and earlier ones did not: the goods they give away, and the units of lifetime limits. */
async function loadMissingFacts(
  ctx: Ctx,
  offers: readonly Offer[],
  loaded: LoadedFacts,
  customerId: string | null,
): Promise<void> {
  const goods = offers.flatMap(({ traits }) => traits.gives).filter((id) => !loaded.goods_asked.has(id))
  if (goods.length > 0) {
    for (const id of goods) loaded.goods_asked.add(id)
    const { products, skus } = await findGoods(ctx, { products: goods, skus: goods })
    const { catalogue } = loaded.facts
    loaded.facts = {
      ...loaded.facts,
      catalogue: {
        ...catalogue,
        products: { ...catalogue?.products, ...Object.fromEntries(products.map((product) => [product.id, product])) },
        skus: { ...catalogue?.skus, ...Object.fromEntries(skus.map((sku) => [sku.id, sku])) },
      },
    }
  }
  const counting = offers.filter(({ traits }) => traits.counts_units).flatMap(({ redeemables }) => redeemables)
  if (counting.length > 0) Object.assign(loaded.counted, await countUnits(ctx, counting, customerId))
}

/** Of all counters, qualifications use only units: they limit the discount itself. Rules about the others are not evaluated. */
async function countUnits(
  { db, project_id }: Ctx,
  redeemables: readonly KnownRedeemable[],
  customerId: string | null,
): Promise<CheckoutRows['counted']> {
  const question = redeemables.map(({ kind, resource_id, campaign }) => ({
    id: resource_id,
    scope: campaign?.id ?? resource_id,
    is_tier: kind === 'promotion_tier',
    groups: ['units'],
  }))
  const { rows } = await sql<{ id: string; counted: CheckoutRows['counted'][string] }>`
    select one->>'id' as id, checkout_counted(${project_id}, one, ${customerId}::text, '{}'::jsonb) as counted
    from jsonb_array_elements(${JSON.stringify(question)}::jsonb) one`.execute(db)
  return Object.fromEntries(rows.map(({ id, counted }) => [id, counted]))
}
