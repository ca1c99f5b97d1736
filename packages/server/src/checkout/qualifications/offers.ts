import type { KnownRedeemable } from '@guerdon/engine/schema'
import {
  assignmentsOf,
  type Configuration,
  type ConfiguredAssignment,
  type ConfiguredCampaign,
  type ConfiguredStack,
  type ConfiguredTier,
  categoryOf,
} from '../../core/configuration/configuration.ts'
import type { HolderRow, Terms, VoucherRow } from '../../core/db/tables.ts'
import type { Instant } from '../../core/lib/instant.ts'
import type { CheckoutRows } from '../decision/checkout-rows.ts'
import type { Buyer } from '../decision/customer.ts'
import { tierCandidate, voucherFacts } from '../decision/redeemables.ts'
import { unitTypes } from '../decision/request-references.ts'
import type { CheckoutVoucher } from '../decision/voucher-row.ts'
import { positionOf } from './position.ts'
import { type RuleTraits, ruleTraits } from './scenarios.ts'

/** A candidate of a qualification: a voucher, a tier, a stack, or a campaign in place of the vouchers that it would issue. */
export interface Offer {
  object: 'voucher' | 'promotion_tier' | 'promotion_stack' | 'campaign'
  /** As responses show it: of a voucher, its code. */
  id: string
  resource_id: string
  created_at: Instant
  campaign: ConfiguredCampaign | null
  category_id: string | null
  voucher_type: VoucherRow['type'] | null
  holder_role: HolderRow['role'] | null
  tier: ConfiguredTier | null
  stack: ConfiguredStack | null
  /** The voucher, or one as the campaign would create it. */
  voucher: CheckoutVoucher | null
  /** The facts for the engine: of all tiers of a stack, or of the offer itself. */
  redeemables: readonly KnownRedeemable[]
  /** What has to be loaded to evaluate its rules and discounts. */
  traits: OfferTraits
  /** The redeemables with counters, by id. */
  redeemablesWith(counted: CheckoutRows['counted']): readonly KnownRedeemable[]
}

export interface OfferTraits extends RuleTraits {
  /** The goods that it gives away: they may not be in the order. */
  gives: readonly string[]
}

/** The offers of the configuration, newest first: tiers and campaigns, or stacks. */
export function configuredOffers(configuration: Configuration, kind: 'single' | 'stacks'): readonly Offer[] {
  let cache = offersByConfiguration.get(configuration)
  if (cache === undefined) {
    cache = {}
    offersByConfiguration.set(configuration, cache)
  }
  cache[kind] ??= (
    kind === 'stacks'
      ? [...configuration.stacks.values()].flatMap((stack) => stackOffer(stack, configuration))
      : [
          ...[...configuration.tiers.values()].flatMap((tier) => tierOffer(tier, configuration)),
          ...[...configuration.campaigns.values()]
            .filter(issuesCodes)
            .map((campaign) => campaignOffer(campaign, configuration)),
        ]
  ).sort(newestFirst)
  return cache[kind]
}

/** A cache: the offers of a configuration are the same for every request, and are dropped together with it. */
const offersByConfiguration = new WeakMap<Configuration, { single?: Offer[]; stacks?: Offer[] }>()

/** Offers created at the same moment are ordered by their position, and with the same position by id, so that the order is stable. */
export function newestFirst(a: Pick<Offer, 'created_at' | 'resource_id'>, b: typeof a): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1
  const [positionA, positionB] = [positionOf(a), positionOf(b)]
  if (positionA !== positionB) return positionA < positionB ? 1 : -1
  return a.resource_id < b.resource_id ? 1 : a.resource_id === b.resource_id ? 0 : -1
}

/** A STANDALONE campaign has only the voucher that it was created with, which is an offer itself. */
const issuesCodes = ({ campaign_type, type }: ConfiguredCampaign): boolean =>
  campaign_type !== 'PROMOTION' && type !== 'STANDALONE'

const blank = { voucher_type: null, holder_role: null, tier: null, stack: null, voucher: null } as const

function tierOffer(tier: ConfiguredTier, configuration: Configuration): Offer[] {
  const campaign = configuration.campaigns.get(tier.campaign_id)
  if (campaign === undefined) return []
  const { id, created_at } = tier
  return [
    withFacts(
      {
        ...blank,
        object: 'promotion_tier',
        id,
        resource_id: id,
        created_at,
        campaign,
        category_id: categoryOf(configuration, tier)?.id ?? null,
        tier,
      },
      (counted) => [tierFacts(tier, campaign, { configuration, counted })],
    ),
  ]
}

type FactsContext = Pick<CheckoutRows, 'configuration' | 'counted'>

const tierFacts = (tier: ConfiguredTier, campaign: ConfiguredCampaign, context: FactsContext) =>
  tierCandidate(tier, campaign, context, null).facts as KnownRedeemable

/** Nothing for a stack with a deleted tier. */
function stackOffer(stack: ConfiguredStack, configuration: Configuration): Offer[] {
  const campaign = configuration.campaigns.get(stack.campaign_id)
  const tiers = stack.tier_ids.flatMap((id) => configuration.tiers.get(id) ?? [])
  if (campaign === undefined || tiers.length < stack.tier_ids.length || tiers.length === 0) return []
  const { id, created_at } = stack
  return [
    withFacts(
      {
        ...blank,
        object: 'promotion_stack',
        id,
        resource_id: id,
        created_at,
        campaign,
        category_id: categoryOf(configuration, stack)?.id ?? null,
        stack,
      },
      (counted) => tiers.map((tier) => tierFacts(tier, campaign, { configuration, counted })),
    ),
  ]
}

function campaignOffer(campaign: ConfiguredCampaign, configuration: Configuration): Offer {
  const { id, created_at } = campaign
  const voucher = codeOf(campaign)
  return withFacts(
    {
      ...blank,
      object: 'campaign',
      id,
      resource_id: id,
      created_at,
      campaign,
      category_id: categoryOf(configuration, { category_id: campaign.category_id, campaign_id: null })?.id ?? null,
      voucher_type: campaign.voucher_type,
      voucher,
    },
    (counted) => [codeFacts(voucher, campaign, { configuration, counted }, { ...unheld, id })],
  )
}

const unheld = { holder_id: null, publication: null }

/** A voucher as the campaign would create it now (incentives/campaigns/voucher-template.ts). */
function codeOf(campaign: ConfiguredCampaign): CheckoutVoucher {
  const { id, name, voucher, voucher_type, validity_timeframe, validity_day_of_week, validity_hours } = campaign
  const credits = voucher?.gift?.amount ?? voucher?.loyalty_card?.points ?? null
  const none = credits === null ? null : 0
  const terms: Terms = {
    ...(voucher?.discount === undefined ? {} : { discount: voucher.discount }),
    ...(voucher?.gift?.effect === undefined ? {} : { effect: voucher.gift.effect }),
    ...(validity_timeframe === null ? {} : { validity_timeframe }),
    ...(validity_day_of_week === null ? {} : { validity_day_of_week }),
    ...(validity_hours === null ? {} : { validity_hours }),
    ...(campaign.use_voucher_metadata_schema ? { metadata: campaign.metadata } : {}),
  }
  return {
    id,
    code: name,
    type: voucher_type,
    campaign_id: id,
    category_id: campaign.category_id,
    active: true,
    start_date: campaign.start_date,
    expiration_date: campaign.expiration_date,
    quantity: voucher?.redemption.quantity ?? null,
    redeemed_quantity: 0,
    credits_added: credits,
    credits_subtracted: none,
    credits_redeemed: none,
    credits_expired: none,
    publish_count: 0,
    is_referral_code: false,
    holder_id: null,
    metadata: null,
    terms,
    assignments: [],
    held: { quantity: 0, credits: 0, ended_at: null },
    lots: [],
  } as unknown as CheckoutVoucher
}

/** How the customer of the request holds a voucher. */
export interface Holding {
  role: HolderRow['role'] | null
  /** The customer, if it holds the voucher. */
  holder_id: string | null
  /** The metadata of the latest publication of the voucher. */
  publication: Record<string, unknown> | null
}

/** A loaded voucher as an offer; null when its campaign is in the trash bin. */
export function voucherOffer(
  voucher: CheckoutVoucher,
  configuration: Configuration,
  { role, holder_id, publication }: Holding,
): Offer | null {
  const { campaign_id, id, code, created_at, type } = voucher
  const campaign = campaign_id === null ? null : (configuration.campaigns.get(campaign_id) ?? null)
  if (campaign_id !== null && campaign === null) return null
  return withFacts(
    {
      ...blank,
      object: 'voucher',
      id: code,
      resource_id: id,
      created_at,
      campaign,
      category_id: categoryOf(configuration, voucher)?.id ?? null,
      voucher_type: type,
      holder_role: role,
      voucher,
    },
    (counted) => [codeFacts(voucher, campaign, { configuration, counted }, { holder_id, publication, id: code })],
  )
}

/**
 * Without `referral`: referrers see their own referral codes, so the check that a referrer may not redeem them is skipped
 * (docs/reference/qualifications.md: what is always checked).
 */
function codeFacts(
  voucher: CheckoutVoucher,
  campaign: ConfiguredCampaign | null,
  context: FactsContext,
  { holder_id, publication, id }: Omit<Holding, 'role'> & { id: string },
): KnownRedeemable {
  const rows = {
    ...context,
    held_codes: holder_id === null ? [] : [voucher.id],
    publication_metadata: publication === null ? {} : { [voucher.id]: publication },
  } as Partial<CheckoutRows> as CheckoutRows
  const buyer = { stored: holder_id === null ? null : { id: holder_id } } as Buyer
  const facts = voucherFacts({ id }, voucher, campaign, rows, buyer) as KnownRedeemable
  if (facts.kind !== 'discount_voucher') return facts
  const { referral: _, ...rest } = facts
  return rest
}

type Facts = (counted: CheckoutRows['counted']) => KnownRedeemable[]

/** Builds facts and traits on first access: most offers are never evaluated. */
function withFacts(offer: Omit<Offer, 'redeemables' | 'redeemablesWith' | 'traits'>, make: Facts): Offer {
  let redeemables: KnownRedeemable[] | null = null
  let traits: OfferTraits | null = null
  return {
    ...offer,
    get redeemables() {
      redeemables ??= make({})
      return redeemables
    },
    get traits() {
      traits ??= traitsOf(this.redeemables)
      return traits
    },
    redeemablesWith: make,
  }
}

function traitsOf(redeemables: readonly KnownRedeemable[]): OfferTraits {
  const rules = redeemables.flatMap(({ rules }) => rules ?? []).map(ruleTraits)
  return {
    asks_customer: rules.some((rule) => rule.asks_customer),
    asks_products: rules.some((rule) => rule.asks_products),
    asks_holder: rules.some((rule) => rule.asks_holder),
    counts_units: rules.some((rule) => rule.counts_units),
    gives: redeemables.flatMap((redeemable) =>
      'discount' in redeemable ? unitTypes(redeemable.discount ?? null) : [],
    ),
  }
}

/** The rule assignments of an offer, those of the campaign first (docs/reference/rules.md#failure). */
export function assignmentsFor(
  { campaign, tier, voucher, object }: Pick<Offer, 'campaign' | 'tier' | 'voucher' | 'object'>,
  configuration: Configuration,
): ConfiguredAssignment[] {
  return [
    ...(campaign === null ? [] : assignmentsOf(configuration, campaign.id)),
    ...(tier === null ? [] : assignmentsOf(configuration, tier.id)),
    ...(object === 'voucher' ? (voucher?.assignments ?? []) : []),
  ]
}
