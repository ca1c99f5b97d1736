import { Instant, Int, Nullable } from '@guerdon/engine/schema'
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import type { Id } from '../lib/ids.ts'
import {
  Balance,
  CalendarDate,
  CustomEvent,
  Full,
  NamedReference,
  PendingBalance,
  PendingPoints,
  PointsBucket,
  Reference,
  RewardRedemption,
  SimpleCampaign,
  SimpleCustomer,
  SimpleEarningRule,
  SimpleEvent,
  SimpleHolder,
  SimpleOrder,
  SimplePromotionStack,
  SimplePromotionTier,
  SimplePublication,
  SimpleRedemption,
  SimpleReferralTier,
  SimpleReward,
  SimpleSegment,
  SimpleVoucher,
  Transaction,
} from './shapes.ts'

// Every event there is (docs/reference/events.md#what-webhook-types-carry and
// docs/reference/events.md#what-customer-activities-carry) and its data. One entry covers several types:
// `a.b|c` is `a.b` and `a.c`. An ACTION is caused by a request directly, an EFFECT is what the service derived from it.

const customer = { customer: SimpleCustomer }
const campaign = { campaign: SimpleCampaign }
const campaignIfAny = { campaign: Nullable(SimpleCampaign) }
const voucher = { voucher: SimpleVoucher }

const redemption = {
  customer: Nullable(SimpleCustomer),
  order: Nullable(SimpleOrder),
  ...campaignIfAny,
  voucher: Nullable(SimpleVoucher),
  holder: Nullable(SimpleCustomer),
  promotion_tier: Nullable(SimplePromotionTier),
  promotion_stack: Nullable(SimplePromotionStack),
  redemption: SimpleRedemption,
}
const rollback = { ...redemption, redemption_rollback: SimpleRedemption }

const publication = { ...customer, ...campaignIfAny, publication: SimplePublication, user: Nullable(Reference) }

const transaction = {
  transaction: Transaction,
  voucher: Full,
  holder: Nullable(SimpleCustomer),
  order: Nullable(SimpleOrder),
  redemption: Nullable(SimpleRedemption),
  rollback: Nullable(SimpleRedemption),
}
const balanceAdded = { ...voucher, balance: Balance, transaction: Transaction }
const pointsExpired = {
  ...voucher,
  ...campaign,
  points: Int(),
  buckets: Type.Array(PointsBucket),
  transaction: Transaction,
}

const pendingPoints = {
  ...customer,
  ...campaign,
  ...voucher,
  order: Nullable(SimpleOrder),
  pending_points: PendingPoints,
}
const pendingPointsChanged = { ...pendingPoints, voucher_pending_points_balance: PendingBalance }
const pendingPointsActivated = { ...pendingPoints, balance: Balance, transaction: Transaction }

const rewardRedemption = {
  ...customer,
  holder: SimpleCustomer,
  ...voucher,
  ...campaign,
  reward_redemption: RewardRedemption,
  reward: SimpleReward,
  reward_assignment: Full,
  source: Nullable(Type.Object({ id: Type.String(), type: Type.String() })),
  balance: Nullable(Type.Object({ amount: Int() })),
}

/** Types that a webhook can subscribe to. */
const webhooks = {
  'redemption.succeeded|failed': action({ ...redemption, created_at: Instant }),
  'redemption.rollback.succeeded|failed': action(rollback),

  'publication.succeeded': {
    ...action({}),
    data: Type.Union([
      Type.Object({ ...publication, voucher: SimpleVoucher }),
      Type.Object({ ...publication, vouchers: Type.Array(SimpleVoucher) }), // several codes in one publication
    ]),
  },

  'voucher.created|updated|enabled|disabled|deleted': action({ voucher: Full, ...campaignIfAny }),
  'voucher.published': action({
    ...customer,
    ...campaignIfAny,
    publication: SimplePublication,
    ...voucher,
    created_at: Instant,
  }),
  'voucher.gift.balance_added': effect({ ...balanceAdded, ...campaignIfAny }),
  'voucher.gift.transaction.created': effect({ ...transaction, ...campaignIfAny, balance: Balance }),
  'voucher.loyalty_card.points_added': effect({
    ...balanceAdded,
    ...campaignIfAny,
    customer: Nullable(SimpleCustomer),
  }),
  'voucher.loyalty_card.points_expired': effect({ ...pointsExpired, customer: Nullable(SimpleCustomer) }),
  'voucher.loyalty_card.pending_points.added|updated|canceled': effect(pendingPointsChanged),
  'voucher.loyalty_card.pending_points.activated': effect(pendingPointsActivated),
  'voucher.loyalty_card.transaction.created': effect({
    ...transaction,
    ...campaignIfAny,
    holder_loyalty_tier: Nullable(Full),
    balance: Nullable(Balance),
    event: Nullable(SimpleEvent),
    earning_rule: Nullable(SimpleEarningRule),
    segment: Nullable(SimpleSegment),
    loyalty_tier: Nullable(Full),
    reward: Nullable(Full),
    custom_event: Nullable(CustomEvent),
    source_voucher: Nullable(SimpleVoucher),
    destination_voucher: Nullable(SimpleVoucher),
  }),

  'campaign.created': action({ campaign: Full, created_at: Instant }),
  'campaign.updated|enabled|disabled': action({ campaign: Full }),
  'campaign.deleted': action({ campaign: Full, deleted_at: Instant }),
  'campaign.vouchers.generation.started': action({ ...campaign, count: Int(), started_at: Instant }),
  'campaign.vouchers.generation.completed': effect({ ...campaign, count: Int(), completed_at: Instant }),
  'campaign.vouchers.generation.failed': effect({
    ...campaign,
    count: Int(),
    failed_at: Instant,
    reason: Type.String(),
  }),
  'campaign.vouchers.added': never(action({ ...campaign, count: Int(), created_at: Instant })),
  'campaign.promotion_tier.created|updated|enabled|disabled|deleted': action({ ...campaign, promotion_tier: Full }),
  'campaign.promotion_stack.created|updated|deleted': action({ ...campaign, promotion_stack: Full }),
  'campaign.loyalty_tier.created|updated|deleted': action({ ...campaign, loyalty_tier: Full }),
  'campaign.earning_rule.assigned|updated|enabled|disabled|deleted': action({ ...campaign, earning_rule: Full }),
  'campaign.reward.assignment.created|updated|deleted': action({ ...campaign, reward: Full, reward_assignment: Full }),
  'campaign.referral_tier.created|updated|deleted': action({ ...campaign, referral_tier: SimpleReferralTier }),

  'business_validation_rule.created': action({ rule: Full, created_at: Instant }),
  'business_validation_rule.updated': action({ rule: Full, updated_at: Instant }),
  'business_validation_rule.deleted': action({ rule: Full, deleted_at: Instant }),
  'business_validation_rule.assignment.created|deleted': action({
    rule: Full,
    assignment: Full,
    voucher: Nullable(SimpleVoucher),
    ...campaignIfAny,
    promotion_tier: Nullable(SimplePromotionTier),
    earning_rule: Nullable(SimpleEarningRule),
    distribution: Nullable(Full),
  }),

  'customer.created|updated|deleted': action({ customer: Full }),
  'customer.confirmed': never(action({ customer: Full, unconfirmed_customer: Reference })),
  'customer.rewarded': effect({
    ...customer,
    holder: Nullable(SimpleCustomer),
    ...voucher,
    ...campaign,
    redemption: Nullable(Full),
    reward: Nullable(SimpleReward), // null for credits or points given for a referral
    referral_tier: Nullable(SimpleReferralTier),
    balance: Nullable(Type.Object({ amount: Type.Optional(Int()), points: Type.Optional(Int()) })), // the one that increased
    custom_event: Nullable(CustomEvent),
    customer_event: Nullable(Type.Object({ segment: SimpleSegment, event_type: Type.String() })),
  }),
  'customer.rewarded.loyalty_points': effect({
    ...customer,
    holder: SimpleCustomer,
    ...voucher,
    ...campaign,
    loyalty_tier: Nullable(Full),
    earning_rule: Full,
    balance: Balance,
    order: Nullable(Full),
    event: SimpleEvent,
    publication: Nullable(SimplePublication),
  }),
  'customer.reward_redemptions.created': action(rewardRedemption),
  'customer.reward_redemptions.pending|rolledback': effect(rewardRedemption),
  'customer.reward_redemptions.completed': effect({ ...rewardRedemption, publication: Nullable(SimplePublication) }),
  'customer.holder.assignment.created|deleted': action({ holder: SimpleHolder, ...voucher, ...campaign, ...customer }),
}

const order = { ...customer, referrer: Nullable(SimpleCustomer), order: Full, redemption: Nullable(Full) }
const message = { ...customer, distribution: Full }
const tierChange = { ...customer, ...campaign, created_at: Instant }

/** Types that only activity lists show. */
const activities = {
  'customer.referred': effect({
    ...customer,
    referrer: SimpleCustomer,
    ...campaign,
    ...voucher,
    custom_event: Nullable(CustomEvent),
    redemption: Nullable(Full),
  }),
  'customer.custom_event': action({
    event: CustomEvent,
    event_schema: NamedReference,
    ...customer,
    referral: Nullable(Type.Object({ referrer: SimpleCustomer, ...voucher, ...campaign })),
    loyalty: Nullable(Type.Object({ ...voucher, ...campaign })),
  }),
  'customer.segment.entered|left': effect({ customer: Full, segment: SimpleSegment }),

  'customer.sms|email|activecampaign|braze|mailchimp|intercom|shopify|klaviyo|batch.sent': effect({
    ...message,
    sent_at: Instant,
  }),
  'customer.sms|email|activecampaign|braze|mailchimp|intercom|shopify|klaviyo|batch.recovered': effect({
    ...message,
    recovered_at: Instant,
  }),
  'customer.sms|email|activecampaign|braze|mailchimp|intercom|shopify|klaviyo|batch.failed': effect({
    ...message,
    failed_at: Instant,
  }),

  'customer.voucher.gift.balance_added': effect({ ...customer, ...campaignIfAny, ...balanceAdded }),
  'customer.voucher.loyalty_card.points_added': effect({ ...customer, ...campaignIfAny, ...balanceAdded }),
  'customer.voucher.loyalty_card.points_transferred': action({
    ...customer,
    ...campaignIfAny,
    ...balanceAdded,
    source_voucher: SimpleVoucher,
    destination_voucher: SimpleVoucher,
  }),
  'customer.voucher.loyalty_card.points_expired': effect({ ...customer, ...pointsExpired }),
  'customer.voucher.loyalty_card.pending_points.added|updated|canceled': effect(pendingPointsChanged),
  'customer.voucher.loyalty_card.pending_points.activated': effect(pendingPointsActivated),
  'customer.voucher.loyalty_card.points_activated': never(effect({ ...customer, ...campaignIfAny, ...balanceAdded })),
  'customer.voucher.deleted': action({ ...customer, ...campaignIfAny, ...voucher }),

  'customer.publication.succeeded|failed': action({
    ...customer,
    ...campaignIfAny,
    publication: Full,
    voucher: Type.Optional(SimpleVoucher), // when a distribution published it
  }),
  'customer.validation.succeeded|failed': action({ ...customer, validation: Full }),
  'customer.redemption.succeeded|failed': action(redemption),
  'customer.redemption.rollback.succeeded|failed': action(rollback),
  'customer.order.created|updated|paid|fulfilled|canceled': effect(order),
  'customer.order.processing': never(effect(order)),

  'customer.loyalty.updated': effect({ ...customer, ...campaign, loyalty: Full, created_at: Instant }),
  'customer.loyalty.tier.joined|left|prolonged': effect({ ...tierChange, loyalty_tier: Full }),
  'customer.loyalty.tier.upgraded|downgraded': effect({
    ...tierChange,
    loyalty_tier_from: Full,
    loyalty_tier_to: Full,
  }),
  'customer.loyalty.tier.expiration.changed': effect({
    ...tierChange,
    loyalty_tier: Full,
    expiration_date: CalendarDate,
  }),

  'segment.created|updated|activated|filters_updated': { ...effect({}), data: Full },
  'products_collection.created|updated': { ...effect({}), data: Full },
}

/** The first word of a type is its entity, which determines the prefix of the event id and the kind of `entity_id`. */
const entities = {
  redemption: 'redemption',
  publication: 'publication',
  voucher: 'voucher',
  campaign: 'campaign',
  business_validation_rule: 'validation_rule',
  customer: 'customer',
  segment: 'segment',
  products_collection: 'products_collection',
} as const

export const catalogue = { ...expandTypes(webhooks, true), ...expandTypes(activities, false) }

export type EventType = keyof typeof catalogue
type Entry<T extends EventType> = (typeof catalogue)[T]

/** Types that the service emits; the others can only be subscribed to or filtered by. */
export type EmittedEventType = { [T in EventType]: Entry<T>['never'] extends true ? never : T }[EventType]

export type WebhookType = { [T in EventType]: Entry<T>['webhook'] extends true ? T : never }[EventType]

/** The data of an event of this type. */
export type EventData<T extends EventType> = Static<Entry<T>['data']>

/** The id of the entity of an event; the entity of a rollback event is the rollback. */
export type EntityId<T extends EventType> = Id<
  Entry<T>['entity'] extends 'redemption'
    ? 'redemption' | 'failed_redemption' | 'rollback' | 'failed_rollback'
    : Entry<T>['entity']
>

/** An event to be written. It has an id already if other events refer to it. */
export type NewEvent = {
  [T in EmittedEventType]: { type: T; entity_id: EntityId<T>; data: EventData<T>; id?: string }
}[EmittedEventType]

export const eventTypes = Object.keys(catalogue) as EventType[]

/** Types that a webhook can subscribe to. */
export const webhookTypes = eventTypes.filter((type): type is WebhookType => catalogue[type].webhook)

/** The correct spelling of a type; existing SDKs misspell four of them (docs/reference/webhooks.md#operations). */
export const canonicalEventType = (name: string): string => misspelledTypes.get(name) ?? name

export const misspelledTypes: ReadonlyMap<string, WebhookType> = new Map([
  ['campaign.vouchers.aded', 'campaign.vouchers.added'],
  ['voucher.gift.balance_aded', 'voucher.gift.balance_added'],
  ['voucher.loyalty_card.points_aded', 'voucher.loyalty_card.points_added'],
  ['voucher.loyalty_card.pending_points.aded', 'voucher.loyalty_card.pending_points.added'],
])

function action<Members extends TProperties>(members: Members) {
  return { category: 'ACTION', never: false, data: Type.Object(members) } as const
}

function effect<Members extends TProperties>(members: Members) {
  return { category: 'EFFECT', never: false, data: Type.Object(members) } as const
}

/** A type that can be subscribed to or filtered by, but is never emitted. */
function never<R extends Row>(row: R) {
  return { ...row, never: true } as const
}

interface Row {
  readonly category: 'ACTION' | 'EFFECT'
  readonly never: boolean
  readonly data: TSchema
}

type ExpandedTypes<Rows, Webhook> = {
  [Name in keyof Rows as Names<Name & string>]: Rows[Name] & {
    readonly webhook: Webhook
    readonly entity: EntityOf<Name>
  }
}

/** `a.b|c` → `a.b` or `a.c`, in every segment of the name. */
type Names<Name extends string> = Name extends `${infer Word}.${infer Rest}`
  ? `${Words<Word>}.${Names<Rest>}`
  : Words<Name>
type Words<Word extends string> = Word extends `${infer First}|${infer Rest}` ? First | Words<Rest> : Word

type EntityOf<Name> = Name extends `${infer First extends keyof typeof entities}.${string}`
  ? (typeof entities)[First]
  : never

function expandTypes<Rows extends Record<string, Row>, const Webhook extends boolean>(rows: Rows, webhook: Webhook) {
  const entries = Object.entries(rows).flatMap(([name, row]) => {
    const entity = entities[name.slice(0, name.indexOf('.')) as keyof typeof entities]
    return namesOf(name).map((type) => [type, { ...row, webhook, entity }])
  })
  return Object.fromEntries(entries) as ExpandedTypes<Rows, Webhook>
}

function namesOf(name: string): string[] {
  const segments = name.split('.').map((words) => words.split('|'))
  return segments.reduce((names, words) => names.flatMap((start) => words.map((word) => `${start}.${word}`)))
}
