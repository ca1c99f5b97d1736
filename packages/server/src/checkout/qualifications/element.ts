import type { Applicable, CalculatedOrder } from '@guerdon/engine/schema'
import { isPage } from '../../audience/customers/on-client-side.ts'
import type { ConfiguredAssignment, ConfiguredTier } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { listed } from '../../core/query/list.ts'
import { voucherBalanceOf, voucherMetadataOf } from '../../incentives/vouchers/voucher.ts'
import type { RelatedObjectType, ValidationRuleAssignment } from '../../rules/validation-rules/schema.ts'
import type { Checkout } from '../decision/facts.ts'
import { type RepeatedOrder, repeatedOrder } from '../decision/repeated-orders.ts'
import { categoriesOf, explained, orderView } from '../decision/results.ts'
import type { CalculatedOrderView } from '../decision/schema.ts'
import type { Finding } from './evaluate-offers.ts'
import { assignmentsFor, type Offer } from './offers.ts'
import type { JudgedAssignment, QualifiedRedeemable, QualifiedTier } from './schema.ts'

/** A qualified offer, as the response shows it (docs/reference/qualifications.md). */
export function elementOf(ctx: Ctx, checkout: Checkout, finding: Finding): QualifiedRedeemable {
  const { offer, outcomes } = finding
  const [outcome] = outcomes
  const repeated = repeatedOrder(ctx, outcomes.length)
  const shown: RepeatedOrder = isPage(ctx) ? (order) => withoutMetadata(repeated(order)) : repeated
  if (offer.object !== 'promotion_stack') return singleElement(checkout, offer, outcome as Applicable, shown)
  const { configuration } = checkout.rows
  const order = finding.order && shown(finding.order)
  return {
    ...identityOf(offer),
    result: {},
    ...(order === null ? {} : { order: orderOf(checkout, offer, order) }),
    ...expansionOf(checkout, offer),
    redeemables: outcomes.map((outcome): QualifiedTier => {
      const tier = configuration.tiers.get(outcome.id) as ConfiguredTier
      const { id, created_at } = tier
      const part: Offer = { ...offer, object: 'promotion_tier', id, resource_id: id, created_at, tier, stack: null }
      return singleElement(checkout, part, outcome, shown)
    }),
  }
}

/** On the client side: a page knows what it has sent, and need not be told of the catalogue what rules compare. */
const withoutMetadata = (order: CalculatedOrder): CalculatedOrder => ({
  ...order,
  items: order.items.map((item) => {
    const { product, sku, ...line } = without(item)
    return {
      ...line,
      ...(product === undefined ? {} : { product: without(product) }),
      ...(sku === undefined ? {} : { sku: without(sku) }),
    }
  }),
  metadata: {},
})

function without<T extends { metadata?: unknown }>({ metadata: _, ...rest }: T): Omit<T, 'metadata'> {
  return rest
}

function singleElement(checkout: Checkout, offer: Offer, outcome: Applicable, shown: RepeatedOrder): QualifiedTier {
  const { order, applicable_to, inapplicable_to } = outcome
  return {
    ...identityOf(offer),
    result: resultOf(checkout, offer, outcome),
    ...(order === undefined ? {} : { order: orderOf(checkout, offer, shown(order)) }),
    applicable_to,
    inapplicable_to,
    ...expansionOf(checkout, offer),
    ...(checkout.request.expand?.has('validation_rules') === true
      ? { validation_rules_assignments: judgedAssignments(checkout, offer, outcome) }
      : {}),
    ...(checkout.request.explain ? explainedAs(offer, outcome) : {}),
  }
}

const identityOf = ({ id, object, created_at }: Offer) => ({ id, object, created_at })

/** The engine knows no campaigns and evaluated a voucher instead: shows the explanation as that of the campaign. */
const explainedAs = ({ object }: Offer, outcome: Applicable) =>
  outcome.explanation === undefined ? {} : explained({ ...outcome, explanation: { ...outcome.explanation, object } })

function resultOf(
  checkout: Checkout,
  { voucher }: Offer,
  { discount, gift, bundle }: Applicable,
): QualifiedTier['result'] {
  const showsLocked = checkout.request.session?.opens != null
  return {
    ...(discount === undefined ? {} : { discount }),
    ...(gift === undefined
      ? {}
      : { gift: { ...gift, ...(showsLocked ? { locked_credits: voucher?.held.credits ?? 0 } : {}) } }),
    ...(voucher?.type === 'LOYALTY_CARD' ? { loyalty_card: cardOf(checkout, voucher) } : {}),
    ...(bundle === undefined ? {} : { bundle }),
  }
}

/** The points of a card, and their value by the first coin reward of its program. */
function cardOf({ rows: { configuration } }: Checkout, voucher: NonNullable<Offer['voucher']>) {
  const [coin] = [...configuration.reward_assignments.values()]
    .filter(({ related_object_id }) => related_object_id === voucher.campaign_id)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ reward_id }) => {
      const reward = configuration.rewards.get(reward_id)
      return reward?.type === 'COIN' ? [reward.parameters as { coin: Ratios }] : []
    })
    .map(({ coin: { exchange_ratio, points_ratio } }) => ({ exchange_ratio, points_ratio }))
  return { points: voucher.credits_added ?? 0, balance: voucherBalanceOf(voucher), ...coin }
}

interface Ratios {
  exchange_ratio: number
  points_ratio: number
}

/** A qualification does not show the customer of the order (docs/reference/calculated-order.md#amounts-of-the-order). */
function orderOf(checkout: Checkout, { voucher, object }: Offer, order: CalculatedOrder): CalculatedOrderView {
  const candidate = { voucher: object === 'voucher' ? voucher : null } as Checkout['candidates'][number]
  return orderView({ ...checkout, buyer: { stored: null, customer: null } }, order, [candidate])
}

function expansionOf(checkout: Checkout, offer: Offer): Partial<QualifiedTier> {
  const { expand } = checkout.request
  const { campaign, tier, stack, category_id } = offer
  // `categoriesOf` reads nothing but the category and the campaign.
  const owner = (tier ?? stack ?? { category_id, campaign_id: null }) as ConfiguredTier
  return {
    ...(expand?.has('redeemable') === true
      ? {
          metadata: metadataShown(offer),
          ...nameOf(offer),
          ...(tier?.banner == null ? {} : { banner: tier.banner }),
          ...(campaign === null ? {} : { campaign_id: campaign.id, campaign_name: campaign.name }),
        }
      : {}),
    ...(expand?.has('category') === true ? { categories: categoriesOf(checkout, { voucher: null, tier: owner }) } : {}),
  }
}

function nameOf({ object, campaign, tier, stack }: Offer): { name?: string } {
  const name = object === 'campaign' ? campaign?.name : (tier?.name ?? stack?.name)
  return name === undefined ? {} : { name }
}

function metadataShown({ object, campaign, tier, voucher }: Offer): Record<string, unknown> {
  if (object === 'campaign') return campaign?.metadata ?? {}
  return tier?.metadata ?? (voucher === null ? {} : voucherMetadataOf(voucher))
}

/** The rule assignments of a qualified offer: all are met, except that a scenario may have omitted some of their rules. */
export function judgedAssignments(
  { rows: { configuration } }: Pick<Checkout, 'rows'>,
  offer: Offer,
  outcome: Applicable,
) {
  const omitted = new Map<string, string[]>()
  for (const step of outcome.explanation?.steps ?? [])
    if (step.step === 'rule' && step.passed === null)
      omitted.set(step.rule_id, [...(omitted.get(step.rule_id) ?? []), step.key])
  const judged = assignmentsFor(offer, configuration).map((assignment): JudgedAssignment => {
    const validationOmittedRules = omitted.get(assignment.rule_id) ?? []
    return {
      ...shownAssignment(assignment),
      validation_status: validationOmittedRules.length === 0 ? 'VALID' : 'PARTIALLY_VALID',
      validation_omitted_rules: validationOmittedRules,
    }
  })
  return listed('data', judged, { total: judged.length })
}

function shownAssignment(row: ConfiguredAssignment): ValidationRuleAssignment & { updated_at?: string } {
  const { id, rule_id, related_object_id, related_object_type, created_at, updated_at } = row
  return {
    id,
    rule_id,
    related_object_id,
    related_object_type: related_object_type as RelatedObjectType,
    created_at,
    ...(updated_at === null ? {} : { updated_at }),
    object: 'validation_rules_assignment',
  }
}
