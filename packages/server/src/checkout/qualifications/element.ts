import type { Applicable, CalculatedOrder } from '@guerdon/engine/schema'
import type { ConfiguredAssignment, ConfiguredTier } from '../../core/configuration/configuration.ts'
import { listed } from '../../core/query/list.ts'
import { balanceOf, metadataOf } from '../../incentives/vouchers/voucher.ts'
import type { RelatedObjectType, ValidationRuleAssignment } from '../../rules/validation-rules/schema.ts'
import type { Checkout } from '../decision/facts.ts'
import { categoriesOf, explained, orderView } from '../decision/results.ts'
import type { CalculatedOrderView } from '../decision/schema.ts'
import type { Finding } from './judge.ts'
import { assignmentsFor, type Offer } from './offers.ts'
import type { JudgedAssignment, QualifiedRedeemable, QualifiedTier } from './schema.ts'

/** Something that qualifies, as it is answered (docs/reference/qualifications.md). */
export function elementOf(it: Checkout, finding: Finding): QualifiedRedeemable {
  const { offer, outcomes, order } = finding
  const [outcome] = outcomes
  if (offer.object !== 'promotion_stack') return singleElement(it, offer, outcome as Applicable)
  const { configuration } = it.loaded
  return {
    ...named(offer),
    result: {},
    ...(order === null ? {} : { order: orderOf(it, offer, order) }),
    ...expanded(it, offer),
    redeemables: outcomes.map((outcome): QualifiedTier => {
      const tier = configuration.tiers.get(outcome.id) as ConfiguredTier
      const { id, created_at } = tier
      const part: Offer = { ...offer, object: 'promotion_tier', id, resource_id: id, created_at, tier, stack: null }
      return singleElement(it, part, outcome)
    }),
  }
}

function singleElement(it: Checkout, offer: Offer, outcome: Applicable): QualifiedTier {
  const { order, applicable_to, inapplicable_to } = outcome
  return {
    ...named(offer),
    result: resultOf(it, offer, outcome),
    ...(order === undefined ? {} : { order: orderOf(it, offer, order) }),
    applicable_to,
    inapplicable_to,
    ...expanded(it, offer),
    ...(it.request.expand?.has('validation_rules') === true
      ? { validation_rules_assignments: judgedAssignments(it, offer, outcome) }
      : {}),
    ...(it.request.explain ? explainedAs(offer, outcome) : {}),
  }
}

const named = ({ id, object, created_at }: Offer) => ({ id, object, created_at })

/** The engine knows no campaigns: it was asked about a code of it. */
const explainedAs = ({ object }: Offer, outcome: Applicable) =>
  outcome.explanation === undefined ? {} : explained({ ...outcome, explanation: { ...outcome.explanation, object } })

function resultOf(it: Checkout, { voucher }: Offer, { discount, gift, bundle }: Applicable): QualifiedTier['result'] {
  const showsLocked = it.request.session?.opens != null
  return {
    ...(discount === undefined ? {} : { discount }),
    ...(gift === undefined
      ? {}
      : { gift: { ...gift, ...(showsLocked ? { locked_credits: voucher?.held.credits ?? 0 } : {}) } }),
    ...(voucher?.type === 'LOYALTY_CARD' ? { loyalty_card: cardOf(it, voucher) } : {}),
    ...(bundle === undefined ? {} : { bundle }),
  }
}

/** What is on a card, and what its points are worth by the first reward that they pay with. */
function cardOf({ loaded: { configuration } }: Checkout, voucher: NonNullable<Offer['voucher']>) {
  const [coin] = [...configuration.reward_assignments.values()]
    .filter(({ related_object_id }) => related_object_id === voucher.campaign_id)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .flatMap(({ reward_id }) => {
      const reward = configuration.rewards.get(reward_id)
      return reward?.type === 'COIN' ? [reward.parameters as { coin: Ratios }] : []
    })
    .map(({ coin: { exchange_ratio, points_ratio } }) => ({ exchange_ratio, points_ratio }))
  return { points: voucher.credits_added ?? 0, balance: balanceOf(voucher), ...coin }
}

interface Ratios {
  exchange_ratio: number
  points_ratio: number
}

/** A qualification does not say whose order it is (docs/reference/calculated-order.md#amounts-of-the-order). */
function orderOf(it: Checkout, { voucher, object }: Offer, order: CalculatedOrder): CalculatedOrderView {
  const candidate = { voucher: object === 'voucher' ? voucher : null } as Checkout['candidates'][number]
  return orderView({ ...it, buyer: { stored: null, customer: null } }, order, [candidate])
}

function expanded(it: Checkout, offer: Offer): Partial<QualifiedTier> {
  const { expand } = it.request
  const { campaign, tier, stack, category_id } = offer
  // Of whoever has the category, nothing else is looked at.
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
    ...(expand?.has('category') === true ? { categories: categoriesOf(it, { voucher: null, tier: owner }) } : {}),
  }
}

function nameOf({ object, campaign, tier, stack }: Offer): { name?: string } {
  const name = object === 'campaign' ? campaign?.name : (tier?.name ?? stack?.name)
  return name === undefined ? {} : { name }
}

function metadataShown({ object, campaign, tier, voucher }: Offer): Record<string, unknown> {
  if (object === 'campaign') return campaign?.metadata ?? {}
  return tier?.metadata ?? (voucher === null ? {} : metadataOf(voucher))
}

/** The rules that it meets; of some, rules were left out. One that it does not meet would have kept it from here. */
export function judgedAssignments(
  { loaded: { configuration } }: Pick<Checkout, 'loaded'>,
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
