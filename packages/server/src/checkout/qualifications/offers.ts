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
import type { Buyer } from '../decision/customer.ts'
import type { CheckoutRows } from '../decision/loaded.ts'
import { tierCandidate, voucherFacts } from '../decision/redeemables.ts'
import { unitTypes } from '../decision/request-references.ts'
import type { LoadedVoucher } from '../decision/voucher-row.ts'
import { type RuleTraits, ruleTraits } from './scenarios.ts'

/** Something that may qualify: a code, a tier, a stack, or a campaign for the codes that it would give out. */
export interface Offer {
  object: 'voucher' | 'promotion_tier' | 'promotion_stack' | 'campaign'
  /** As answers show it. */
  id: string
  resource_id: string
  created_at: Instant
  campaign: ConfiguredCampaign | null
  category_id: string | null
  voucher_type: VoucherRow['type'] | null
  holder_role: HolderRow['role'] | null
  tier: ConfiguredTier | null
  stack: ConfiguredStack | null
  /** The code, or one as the campaign would make it. */
  voucher: LoadedVoucher | null
  /** To the engine: the tiers of a stack, or it alone. */
  redeemables: readonly KnownRedeemable[]
  /** What its rules and discounts have to be asked with. */
  traits: OfferTraits
  /** The redeemables with numbers of the past, by id. */
  redeemablesWith(counted: CheckoutRows['counted']): readonly KnownRedeemable[]
}

export interface OfferTraits extends RuleTraits {
  /** Goods that it gives away: they may not be in the order. */
  gives: readonly string[]
}

/** The redeemables of the configuration, the newest first: tiers and campaigns, or stacks. */
export function configuredOffers(configuration: Configuration, kind: 'single' | 'stacks'): readonly Offer[] {
  let known = offersByConfiguration.get(configuration)
  if (known === undefined) {
    known = {}
    offersByConfiguration.set(configuration, known)
  }
  known[kind] ??= (
    kind === 'stacks'
      ? [...configuration.stacks.values()].flatMap((stack) => stackOffer(stack, configuration))
      : [
          ...[...configuration.tiers.values()].flatMap((tier) => tierOffer(tier, configuration)),
          ...[...configuration.campaigns.values()].filter(issuesCodes).map((one) => campaignOffer(one, configuration)),
        ]
  ).sort(newestFirst)
  return known[kind]
}

/** They are the same for every request until something is configured anew, and go with the configuration they are of. */
const offersByConfiguration = new WeakMap<Configuration, { single?: Offer[]; stacks?: Offer[] }>()

/** What was created in the same moment has an order too, always the same. */
export function newestFirst(one: Pick<Offer, 'created_at' | 'resource_id'>, other: typeof one): number {
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? 1 : -1
  return one.resource_id < other.resource_id ? 1 : one.resource_id === other.resource_id ? 0 : -1
}

/** A STANDALONE campaign has the one code that it was created with, which is listed itself. */
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

type Known = Pick<CheckoutRows, 'configuration' | 'counted'>

const tierFacts = (tier: ConfiguredTier, campaign: ConfiguredCampaign, known: Known) =>
  tierCandidate(tier, campaign, known, null).facts as KnownRedeemable

/** A stack of which a tier is gone is none. */
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

/** A code as the campaign would make it now (incentives/campaigns/voucher-template.ts). */
function codeOf(campaign: ConfiguredCampaign): LoadedVoucher {
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
  } as unknown as LoadedVoucher
}

/** What the customer of the request has to do with a code. */
export interface Holding {
  role: HolderRow['role'] | null
  /** The customer, if it holds the code. */
  holder_id: string | null
  /** Metadata of its latest publication. */
  publication: Record<string, unknown> | null
}

/** A code that was loaded, as an offer; null when its campaign is in the bin. */
export function voucherOffer(
  voucher: LoadedVoucher,
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
 * Whoever refers others may see the code, so that it is not asked whose it is (docs/reference/qualifications.md: what is always
 * checked).
 */
function codeFacts(
  voucher: LoadedVoucher,
  campaign: ConfiguredCampaign | null,
  known: Known,
  { holder_id, publication, id }: Omit<Holding, 'role'> & { id: string },
): KnownRedeemable {
  const loaded = {
    ...known,
    held_codes: holder_id === null ? [] : [voucher.id],
    publication_metadata: publication === null ? {} : { [voucher.id]: publication },
  } as Partial<CheckoutRows> as CheckoutRows
  const buyer = { stored: holder_id === null ? null : { id: holder_id } } as Buyer
  const facts = voucherFacts({ id }, voucher, campaign, loaded, buyer) as KnownRedeemable
  if (facts.kind !== 'discount_voucher') return facts
  const { referral: _, ...rest } = facts
  return rest
}

type Facts = (counted: CheckoutRows['counted']) => KnownRedeemable[]

/** Facts are made when they are first looked at: most offers never are. */
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
    asks_customer: rules.some((one) => one.asks_customer),
    asks_products: rules.some((one) => one.asks_products),
    asks_holder: rules.some((one) => one.asks_holder),
    counts_units: rules.some((one) => one.counts_units),
    gives: redeemables.flatMap((one) => ('discount' in one ? unitTypes(one.discount ?? null) : [])),
  }
}

/** What its rules are assigned by: the campaign first (docs/reference/rules.md#failure). */
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
