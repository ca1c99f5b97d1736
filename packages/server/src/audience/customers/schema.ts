import { FreeText, Instant, InstantInput, Int, Maybe, Metadata, Name, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { ActivityQuery, CampaignActivityQuery } from '../../core/events/activities.ts'
import { limits } from '../../core/lib/limits.ts'
import { DateQuery, FilterQuery, listOf, PageQuery } from '../../core/query/list.ts'

const Count = Int({ minimum: 0 })

/** A day without a time, `1990-03-01`. */
const Day = Type.Unsafe<string>({ type: 'string', format: 'date' })

/** A day in a request; of an instant, its date part counts. */
const DayInput = Type.Unsafe<string>({ type: 'string', format: 'day-input' })

const Line = Nullable(Type.String({ maxLength: limits.name_length_max }))

const Address = Type.Object({
  city: Line,
  state: Line,
  line_1: Line,
  line_2: Line,
  country: Line,
  postal_code: Line,
})
export type Address = Static<typeof Address>

export const CustomerSummary = Type.Object({
  redemptions: Type.Object({
    total_redeemed: Count,
    total_failed: Count,
    total_succeeded: Count,
    total_rolled_back: Count,
    total_rollback_failed: Count,
    total_rollback_succeeded: Count,
    gift: Type.Object({ redeemed_amount: Int(), amount_to_go: Int() }),
    loyalty_card: Type.Object({ redeemed_points: Int(), points_to_go: Int() }),
  }),
  orders: Type.Object({
    total_amount: Count,
    total_count: Count,
    average_amount: Count,
    last_order_amount: Count,
    last_order_date: Type.Optional(Instant),
  }),
})
export type CustomerSummary = Static<typeof CustomerSummary>

const customer = {
  id: Type.String({ description: 'Time-ordered id, `cust_` and 24 letters and digits.' }),
  source_id: Nullable(Type.String()),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  birthdate: Type.Optional(Day),
  birthday: Type.Optional(Day),
  address: Nullable(Type.Partial(Address)),
  summary: CustomerSummary,
  loyalty: Type.Object({
    points: Int(),
    referred_customers: Count,
    campaigns: Type.Unsafe<Record<string, { points: number; loyalty_tier?: string; referred_customers: number }>>({
      type: 'object',
      additionalProperties: Type.Object({
        points: Int(),
        loyalty_tier: Type.Optional(Type.String()),
        referred_customers: Count,
      }),
    }),
  }),
  referrals: Type.Object({
    total: Count,
    campaigns: Type.Array(
      Type.Object({
        campaign_id: Type.String(),
        referrer_id: Type.String(),
        related_object_id: Type.String(),
        related_object_type: Type.String(),
        date: Instant,
      }),
    ),
  }),
  metadata: Type.Optional(Metadata),
  system_metadata: Metadata,
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  object: Type.Literal('customer'),
}

export const Customer = Type.Object(customer)
export type Customer = Static<typeof Customer>

export const CustomerWithAssets = Type.Object({
  ...customer,
  assets: Type.Object({ cockpit_url: Type.String(), cockpit_preference_center_url: Type.String() }),
})

/** The profile fields of a customer in every kind of request (docs/reference/customers.md#how-requests-name-a-customer). */
const profile = {
  name: Maybe(Type.String({ maxLength: limits.name_length_max })),
  description: Maybe(FreeText),
  email: Maybe(Type.String({ maxLength: limits.name_length_max })),
  phone: Maybe(Type.String({ maxLength: limits.name_length_max })),
  birthdate: Maybe(DayInput),
  birthday: Maybe(DayInput),
  address: Maybe(Type.Partial(Address)),
  metadata: Maybe(Metadata),
}

export const CustomerProfile = Type.Object(profile)
export type CustomerProfile = Static<typeof CustomerProfile>

/** A customer in a request: with our id, with the shop's own id, or with neither. */
export const CustomerBody = Type.Object(
  { id: Maybe(Name), source_id: Maybe(Name), ...profile },
  { examples: [{ source_id: 'customer-1', name: 'Ann Example', email: 'ann@example.com', metadata: { lang: 'en' } }] },
)
export type CustomerBody = Static<typeof CustomerBody>

/** The fields of a customer that client-side responses contain. */
export const ClientCustomer = Type.Pick(Customer, ['id', 'source_id', 'object'])

/** A tracking id for the pages that a customer sees (docs/reference/client-side.md#identity). */
export const IssuedTrackingId = Type.Object({
  tracking_id: Type.String(),
  expires_at: Instant,
  object: Type.Literal('tracking_id'),
})
export type IssuedTrackingId = Static<typeof IssuedTrackingId>

export const BulkCustomers = Type.Array(Type.Object({ source_id: Name, ...profile }), {
  maxItems: limits.bulk_items_max,
  examples: [[{ source_id: 'customer-1', metadata: { lang: 'en' } }]],
})
export type BulkCustomer = Static<typeof BulkCustomers>[number]

export const BulkCustomerMetadata = Type.Object(
  { source_ids: Type.Array(Name, { maxItems: limits.bulk_items_max }), metadata: Metadata },
  { examples: [{ source_ids: ['customer-1', 'customer-2'], metadata: { lang: 'en' } }] },
)

export const CustomerQuery = Type.Object({
  ...PageQuery({
    order: ['-created_at', 'created_at', '-updated_at', 'updated_at', '-source_id', 'source_id'],
  }),
  ...DateQuery,
  ...FilterQuery,
  email: Type.Optional(Type.String()),
  city: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  segment_id: Type.Optional(Type.String()),
  starting_after: Type.Optional(InstantInput),
})
export type CustomerQuery = Static<typeof CustomerQuery>

export const CustomerList = listOf('customers', Customer, { total: true, cursor: true })

export const CustomerActivityQuery = Type.Object({ ...ActivityQuery('customer'), ...CampaignActivityQuery })

export const CustomerActivitiesQuery = Type.Object({
  ...CustomerActivityQuery.properties,
  product_id: Type.Optional(Type.String()),
})

export const PermanentDeletion = Type.Object({
  id: Type.String(),
  created_at: Instant,
  related_object_id: Type.String(),
  related_object: Type.Literal('customer'),
  status: OneOf(['DONE']),
  data_json: Type.Object({
    events: Count,
    customer_events: Count,
    daily_events: Count,
    segments: Count,
    orders: Count,
    order_events: Count,
    customer: Count,
  }),
  object: Type.Literal('pernament_deletion', { description: 'Spelled as the contract spells it.' }),
})
export type PermanentDeletion = Static<typeof PermanentDeletion>
