import { Value } from 'typebox/value'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { idPrefix } from '../lib/ids.ts'
import {
  canonicalEventType,
  catalogue,
  type EmittedEventType,
  type EntityId,
  type EventData,
  type EventType,
  eventTypes,
  type WebhookType,
  webhookTypes,
} from './catalogue.ts'
import type {
  Balance,
  Full,
  SimpleCampaign,
  SimpleCustomer,
  SimpleOrder,
  SimplePromotionStack,
  SimplePromotionTier,
  SimplePublication,
  SimpleRedemption,
  SimpleVoucher,
  Transaction,
} from './shapes.ts'

const typesOf = (entity: string) => eventTypes.filter((type) => catalogue[type].entity === entity)

test('contains every type once', () => {
  expect(eventTypes).toHaveLength(136) // 68 webhook types, 74 customer activities of which 12 are among them, 6 others
  expect(typesOf('customer')).toHaveLength(74)
  expect(typesOf('customer').filter((type) => catalogue[type].webhook)).toHaveLength(12)
  expect(typesOf('segment')).toHaveLength(4)
  expect(typesOf('products_collection')).toHaveLength(2)
})

test('a webhook can subscribe to 61 compatible types and 7 of ours', () => {
  const ours = [
    /^customer\.reward_redemptions\.(created|pending|completed|rolledback)$/,
    /^customer\.holder\.assignment\.(created|deleted)$/,
    /^campaign\.promotion_stack\.deleted$/,
  ]
  const isOurs = (type: string) => ours.some((pattern) => pattern.test(type))
  expect(webhookTypes.filter((type) => !isOurs(type))).toHaveLength(61)
  expect(webhookTypes.filter(isOurs)).toHaveLength(7)
})

test('an entry with several words expands to every combination of them', () => {
  const distributed = typesOf('customer').filter(
    (type) => /\.(sent|recovered|failed)$/.test(type) && 'distribution' in members(type),
  )
  expect(distributed).toHaveLength(27)
  expect(distributed).toContain('customer.activecampaign.recovered')
  expect(Object.keys(members('customer.batch.failed'))).toEqual(['customer', 'distribution', 'failed_at'])
  expect(eventTypes.filter((type) => !/^[a-z_]+(\.[a-z_]+)+$/.test(type))).toEqual([])
})

test('each type has the documented category', () => {
  const actions = [
    /^customer\.(created|updated|deleted|confirmed|custom_event)$/,
    /^customer\.(publication|validation|redemption|redemption\.rollback|holder\.assignment)\.[a-z]+$/,
    /^customer\.voucher\.(deleted|loyalty_card\.points_transferred)$/,
    /^customer\.reward_redemptions\.created$/,
    /^voucher\.(created|updated|deleted|enabled|disabled|published)$/,
    /^campaign\.(?!vouchers\.generation\.(completed|failed)$)/,
    /^(business_validation_rule|redemption|publication)\./,
  ]
  const expected = eventTypes.map((type) => [type, actions.some((pattern) => pattern.test(type)) ? 'ACTION' : 'EFFECT'])
  expect(eventTypes.map((type) => [type, catalogue[type].category])).toEqual(expected)
})

test('every type has the id prefix of its entity', () => {
  const prefixes = new Map<string, string>()
  for (const type of eventTypes) prefixes.set(type.split('.')[0] as string, idPrefix(`${catalogue[type].entity}_event`))
  expect(Object.fromEntries(prefixes)).toEqual({
    customer: 'evcus_',
    voucher: 'evvou_',
    redemption: 'evred_',
    campaign: 'evcam_',
    publication: 'evpub_',
    business_validation_rule: 'evval_',
    segment: 'evseg_',
    products_collection: 'evpc_',
  })
})

test('four types can be subscribed to, but are never emitted', () => {
  expect(eventTypes.filter((type) => catalogue[type].never)).toEqual([
    'campaign.vouchers.added',
    'customer.confirmed',
    'customer.voucher.loyalty_card.points_activated',
    'customer.order.processing',
  ])
  expect(webhookTypes).toContain('campaign.vouchers.added')
  expect(webhookTypes).toContain('customer.confirmed')
})

test('the four misspelled types of existing SDKs are corrected, all others stay unchanged', () => {
  expect(canonicalEventType('campaign.vouchers.aded')).toBe('campaign.vouchers.added')
  expect(canonicalEventType('voucher.gift.balance_aded')).toBe('voucher.gift.balance_added')
  expect(canonicalEventType('voucher.loyalty_card.points_aded')).toBe('voucher.loyalty_card.points_added')
  expect(canonicalEventType('voucher.loyalty_card.pending_points.aded')).toBe(
    'voucher.loyalty_card.pending_points.added',
  )
  expect(canonicalEventType('voucher.aded')).toBe('voucher.aded')
  expect(canonicalEventType('constructor')).toBe('constructor')
  for (const type of eventTypes) expect(canonicalEventType(type)).toBe(type)
})

describe('data', () => {
  // The members as docs/reference/events.md#what-webhook-types-carry and docs/reference/events.md#what-customer-activities-carry
  // write them; `|null` ones are always present, `?` ones are optional.
  test.each<[EventType, string]>([
    [
      'redemption.failed',
      'campaign|null, created_at, customer|null, holder|null, order|null, promotion_stack|null, promotion_tier|null, redemption, voucher|null',
    ],
    [
      'redemption.rollback.succeeded',
      'campaign|null, customer|null, holder|null, order|null, promotion_stack|null, promotion_tier|null, redemption, redemption_rollback, voucher|null',
    ],
    [
      'customer.redemption.succeeded',
      'campaign|null, customer|null, holder|null, order|null, promotion_stack|null, promotion_tier|null, redemption, voucher|null',
    ],
    ['voucher.published', 'campaign|null, created_at, customer, publication, voucher'],
    [
      'voucher.gift.transaction.created',
      'balance, campaign|null, holder|null, order|null, redemption|null, rollback|null, transaction, voucher',
    ],
    ['voucher.loyalty_card.points_expired', 'buckets, campaign, customer|null, points, transaction, voucher'],
    ['customer.voucher.loyalty_card.points_expired', 'buckets, campaign, customer, points, transaction, voucher'],
    [
      'voucher.loyalty_card.pending_points.canceled',
      'campaign, customer, order|null, pending_points, voucher, voucher_pending_points_balance',
    ],
    [
      'voucher.loyalty_card.pending_points.activated',
      'balance, campaign, customer, order|null, pending_points, transaction, voucher',
    ],
    [
      'voucher.loyalty_card.transaction.created',
      'balance|null, campaign|null, custom_event|null, destination_voucher|null, earning_rule|null, event|null, holder_loyalty_tier|null, holder|null, loyalty_tier|null, order|null, redemption|null, reward|null, rollback|null, segment|null, source_voucher|null, transaction, voucher',
    ],
    ['campaign.vouchers.generation.failed', 'campaign, count, failed_at, reason'],
    [
      'business_validation_rule.assignment.deleted',
      'assignment, campaign|null, distribution|null, earning_rule|null, promotion_tier|null, rule, voucher|null',
    ],
    [
      'customer.rewarded',
      'balance|null, campaign, custom_event|null, customer, customer_event|null, holder|null, redemption|null, referral_tier|null, reward|null, voucher',
    ],
    [
      'customer.rewarded.loyalty_points',
      'balance, campaign, customer, earning_rule, event, holder, loyalty_tier|null, order|null, publication|null, voucher',
    ],
    [
      'customer.reward_redemptions.pending',
      'balance|null, campaign, customer, holder, reward, reward_assignment, reward_redemption, source|null, voucher',
    ],
    [
      'customer.reward_redemptions.completed',
      'balance|null, campaign, customer, holder, publication|null, reward, reward_assignment, reward_redemption, source|null, voucher',
    ],
    ['customer.publication.succeeded', 'campaign|null, customer, publication, voucher?'],
    [
      'customer.voucher.loyalty_card.points_transferred',
      'balance, campaign|null, customer, destination_voucher, source_voucher, transaction, voucher',
    ],
    ['customer.order.paid', 'customer, order, redemption|null, referrer|null'],
    ['customer.loyalty.tier.expiration.changed', 'campaign, created_at, customer, expiration_date, loyalty_tier'],
  ])('of %s', (type, expected) => {
    expect(describeMembers(type)).toBe(expected)
  })

  test('the schema distinguishes a null member from a missing one', () => {
    const { data } = catalogue['campaign.vouchers.generation.failed']
    const campaign = {
      id: 'camp_1',
      name: 'Autumn',
      campaign_type: 'DISCOUNT_COUPONS',
      type: 'STATIC',
      is_referral_code: false,
      auto_join: false,
      join_once: false,
      active: true,
      category_id: null,
      category: null,
      categories: [],
      metadata: {},
      start_date: null,
      expiration_date: null,
      description: null,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: null,
      object: 'campaign',
    }
    const failed = { campaign, count: 3, failed_at: '2026-01-01T00:00:00.000Z', reason: 'no codes left' }
    expect(Value.Check(data, failed)).toBe(true)
    expect(Value.Check(data, { ...failed, campaign: null })).toBe(false)
    expect(Value.Check(data, { ...failed, campaign: { ...campaign, updated_at: undefined } })).toBe(false)
    const { data: enabled } = catalogue['voucher.enabled']
    expect(Value.Check(enabled, { voucher: {}, campaign: null })).toBe(true)
    expect(Value.Check(enabled, { voucher: {} })).toBe(false)
  })

  test('the compiler knows the members of each type', () => {
    expectTypeOf<EventData<'redemption.succeeded'>>().toEqualTypeOf<{
      customer: SimpleCustomer | null
      order: SimpleOrder | null
      campaign: SimpleCampaign | null
      voucher: SimpleVoucher | null
      holder: SimpleCustomer | null
      promotion_tier: SimplePromotionTier | null
      promotion_stack: SimplePromotionStack | null
      redemption: SimpleRedemption
      created_at: string
    }>()
    expectTypeOf<EventData<'customer.redemption.failed'>>().not.toHaveProperty('created_at')
    expectTypeOf<EventData<'voucher.gift.balance_added'>>().toEqualTypeOf<{
      voucher: SimpleVoucher
      balance: Balance
      campaign: SimpleCampaign | null
      transaction: Transaction
    }>()
    expectTypeOf<EventData<'voucher.deleted'>>().toEqualTypeOf<{ voucher: Full; campaign: SimpleCampaign | null }>()
    interface Published {
      customer: SimpleCustomer
      campaign: SimpleCampaign | null
      publication: SimplePublication
      user: { id: string } | null
    }
    interface OneCode extends Published {
      voucher: SimpleVoucher
    }
    interface SeveralCodes extends Published {
      vouchers: SimpleVoucher[]
    }
    expectTypeOf<EventData<'publication.succeeded'>>().toEqualTypeOf<OneCode | SeveralCodes>()
    expectTypeOf<EventData<'customer.braze.recovered'>>().toEqualTypeOf<{
      customer: SimpleCustomer
      distribution: Full
      recovered_at: string
    }>()
    expectTypeOf<EventData<'segment.filters_updated'>>().toEqualTypeOf<object>()
    expectTypeOf<SimpleCustomer>().toEqualTypeOf<{
      id: string
      name: string | null
      email: string | null
      source_id: string | null
      metadata: Record<string, unknown>
      object: 'customer'
    }>()
    expectTypeOf<Extract<SimpleVoucher, { type: 'GIFT_VOUCHER' }>>().toHaveProperty('gift')
    expectTypeOf<Extract<SimpleVoucher, { type: 'GIFT_VOUCHER' }>>().not.toHaveProperty('discount')
  })

  test('the compiler knows the types, whether webhooks can subscribe to them, and their entities', () => {
    expectTypeOf<'campaign.reward.assignment.updated'>().toExtend<EventType>()
    expectTypeOf<'campaign.created|updated'>().not.toExtend<EventType>()
    expectTypeOf<'voucher.gift.balance_aded'>().not.toExtend<EventType>()
    expectTypeOf<Exclude<EventType, EmittedEventType>>().toEqualTypeOf<
      | 'campaign.vouchers.added'
      | 'customer.confirmed'
      | 'customer.voucher.loyalty_card.points_activated'
      | 'customer.order.processing'
    >()
    expectTypeOf<'customer.rewarded'>().toExtend<WebhookType>()
    expectTypeOf<'customer.referred'>().not.toExtend<WebhookType>()
    expectTypeOf<(typeof catalogue)['customer.order.paid']['category']>().toEqualTypeOf<'EFFECT'>()
    expectTypeOf<EntityId<'voucher.enabled'>>().toEqualTypeOf<`v_${string}`>()
    expectTypeOf<EntityId<'business_validation_rule.created'>>().toEqualTypeOf<`val_${string}`>()
    expectTypeOf<EntityId<'redemption.rollback.failed'>>().toEqualTypeOf<
      `r_${string}` | `rf_${string}` | `rr_${string}` | `rrf_${string}`
    >()
  })
})

interface Described {
  properties?: Record<string, { type?: unknown; anyOf?: Array<{ type?: unknown }> }>
  required?: string[]
}

const members = (type: EventType) => (catalogue[type].data as Described).properties ?? {}

function describeMembers(type: EventType): string {
  const { required = [] } = catalogue[type].data as Described
  const described = Object.entries(members(type)).map(([name, { type, anyOf = [] }]) => {
    const nullable = [type, ...anyOf.map((choice) => choice.type)].flat().includes('null')
    return `${name}${nullable ? '|null' : ''}${required.includes(name) ? '' : '?'}`
  })
  return described.sort().join(', ')
}
