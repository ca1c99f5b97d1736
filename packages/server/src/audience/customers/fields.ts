import type { MetadataType } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import type { FilterField } from '../../core/query/filter/field.ts'
import { type FilterFields, metadataField } from '../../core/query/filter/filter.ts'
import type { Customer } from './schema.ts'

// The fields by which lists, segments and exports filter customers (docs/reference/filters.md#fields-of-customers), once as SQL
// over the customer row and once as a read of a customer in memory. Both must agree; fields.test.ts compares them.

/** How often a customer triggered a custom event of one type, and when first and last. */
export interface EventTally {
  count: number
  first_at: string
  last_at: string
}

/** A successful publication to a customer. */
export interface ReceivedPublication {
  voucher_ids: readonly string[]
  created_at: string
}

/** A customer with all data that a filter can read. */
export interface FilteredCustomer {
  customer: Customer
  events: ReadonlyMap<string, EventTally>
  publications: readonly ReceivedPublication[]
}

const number = (column: string | FilterField['column']): FilterField => ({ type: 'number', column })
const text = (column: string | FilterField['column']): FilterField => ({ type: 'string', column })

const average = sql`case customers.orders_total_count when 0 then 0 else
  (2 * customers.orders_total_amount::numeric + customers.orders_total_count) / (2 * customers.orders_total_count)::numeric end`

const points = sql`(customers.loyalty ->> 'points')::bigint`

/** The fields as SQL, for a statement that reads the table `customers` without an alias. */
export function customerFields(projectId: string, types: Readonly<Record<string, MetadataType>> = {}): FilterFields {
  return {
    id: text('customers.id'),
    source_id: text('customers.source_id'),
    name: text('customers.name'),
    email: { type: 'string', column: 'customers.email', case_insensitive: true },
    phone: text('customers.phone'),
    description: text('customers.description'),
    birthdate: { type: 'date', column: 'customers.birthdate', ignores_year: true },
    birthday: { type: 'date', column: 'customers.birthday', ignores_year: true },
    created_at: { type: 'datetime', column: 'customers.created_at' },
    updated_at: { type: 'datetime', column: 'customers.updated_at' },
    city: text(sql`(customers.address ->> 'city')`),
    ...Object.fromEntries(
      ['city', 'state', 'line_1', 'line_2', 'country', 'postal_code'].map((part) => [
        `address.${part}`,
        text(sql`(customers.address ->> ${sql.lit(part)})`),
      ]),
    ),
    'summary.orders.total_amount': number('customers.orders_total_amount'),
    'summary.orders.total_count': number('customers.orders_total_count'),
    'summary.orders.average_amount': number(sql`floor(${average})`),
    'summary.orders.last_order_amount': number(sql`coalesce(customers.last_order_amount, 0)`),
    'summary.orders.last_order_date': { type: 'datetime', column: 'customers.last_order_date' },
    'summary.redemptions.total_redeemed': number(sql`(customers.redemptions_succeeded + customers.redemptions_failed)`),
    'summary.redemptions.total_failed': number('customers.redemptions_failed'),
    'summary.redemptions.total_succeeded': number('customers.redemptions_succeeded'),
    'summary.redemptions.total_rolled_back': number('customers.redemptions_rolled_back'),
    'summary.redemptions.total_rollback_failed': number('customers.rollbacks_failed'),
    'summary.redemptions.total_rollback_succeeded': number('customers.rollbacks_succeeded'),
    'summary.redemptions.gift.redeemed_amount': number('customers.gift_redeemed_amount'),
    'summary.redemptions.gift.amount_to_go': number('customers.gift_amount_to_go'),
    'summary.redemptions.loyalty_card.redeemed_points': number('customers.redeemed_points'),
    'summary.redemptions.loyalty_card.points_to_go': number(points),
    'loyalty.points': number(points),
    'loyalty.referred_customers': number(sql`(customers.loyalty ->> 'referred_customers')::bigint`),
    'loyalty.campaigns.*.points': (campaign) => number(sql`(${campaignJson(campaign)} ->> 'points')::bigint`),
    'loyalty.campaigns.*.referred_customers': (campaign) =>
      number(sql`(${campaignJson(campaign)} ->> 'referred_customers')::bigint`),
    'loyalty.campaigns.*.loyalty_tier': (campaign) => text(sql`(${campaignJson(campaign)} ->> 'loyalty_tier')`),
    'loyalty_points.campaigns.*.points': (campaign) => number(sql`(${campaignJson(campaign)} ->> 'points')::bigint`),
    'loyalty_tier.*': (campaign) => text(sql`(${campaignJson(campaign)} ->> 'loyalty_tier')`),
    'referrals.total': number(sql`(customers.referrals ->> 'total')::bigint`),
    'events.*.count': (event) => number(sql`coalesce(${eventTallyColumn(projectId, event, 'count')}, 0)`),
    'events.*.first': (event) => ({ type: 'datetime', column: eventTallyColumn(projectId, event, 'first_at') }),
    'events.*.last': (event) => ({ type: 'datetime', column: eventTallyColumn(projectId, event, 'last_at') }),
    'publications.created_at': { type: 'datetimes', column: sql`(select created_at ${publicationsTo(projectId)})` },
    'publications.related_object_id': {
      type: 'array',
      column: sql`(select jsonb_agg(voucher_id) from (select unnest(voucher_ids) ${publicationsTo(projectId)}) as each (voucher_id))`,
    },
    'metadata.*': metadataField('customers.metadata', types),
    'system_metadata.*': (key) => text(sql`(customers.system_metadata ->> ${key}::text)`),
  }
}

const campaignJson = (name: string) => sql`(customers.loyalty -> 'campaigns' -> ${name}::text)`

const eventTallyColumn = (projectId: string, type: string, column: keyof EventTally) => sql`(
  select t.${sql.ref(column)} from custom_event_tallies t
  where t.project_id = ${projectId} and t.customer_id = customers.id and t.type = ${type}::text)`

const publicationsTo = (projectId: string) => sql`from publications p
  where p.project_id = ${projectId} and p.customer_id = customers.id and p.result = 'SUCCESS'`

/** The value of a field of a customer in memory; undefined if it has none. */
export function readField({ customer, events, publications }: FilteredCustomer, field: string): unknown {
  const [, metadataKey] = /^metadata\.(.+)$/s.exec(field) ?? []
  if (metadataKey !== undefined) return ownProperty(customer.metadata, metadataKey)
  const [, event, aspect] = /^events\.(.+)\.(count|first|last)$/s.exec(field) ?? []
  if (event !== undefined) {
    const tally = events.get(event)
    return aspect === 'count' ? (tally?.count ?? 0) : tally?.[aspect === 'first' ? 'first_at' : 'last_at']
  }
  const [, campaign, part] =
    /^loyalty\.campaigns\.(.+)\.(points|referred_customers|loyalty_tier)$/s.exec(field) ??
    /^loyalty_points\.campaigns\.(.+)\.(points)$/s.exec(field) ??
    []
  if (campaign !== undefined) return loyaltyCampaign(customer, campaign)?.[part as 'points']
  const [, tierCampaign] = /^loyalty_tier\.(.+)$/s.exec(field) ?? []
  if (tierCampaign !== undefined) return loyaltyCampaign(customer, tierCampaign)?.loyalty_tier
  if (field === 'publications.created_at') return undefinedIfEmpty(publications.map(({ created_at }) => created_at))
  if (field === 'publications.related_object_id')
    return undefinedIfEmpty(publications.flatMap(({ voucher_ids }) => voucher_ids))
  if (field === 'city') return customer.address?.city
  const [, systemKey] = /^system_metadata\.(.+)$/s.exec(field) ?? []
  if (systemKey !== undefined) return ownProperty(customer.system_metadata, systemKey)
  return field.split('.').reduce<unknown>(ownProperty, customer)
}

/** A customer without publications has no value for the field, not an empty list. */
const undefinedIfEmpty = (values: readonly string[]): readonly string[] | undefined =>
  values.length === 0 ? undefined : values

const loyaltyCampaign = ({ loyalty: { campaigns } }: Customer, name: string) =>
  ownProperty(campaigns, name) as Customer['loyalty']['campaigns'][string] | undefined

/** Only own properties: names come from requests, and `constructor` must not match anything. */
const ownProperty = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as Record<string, unknown>)[name]
    : undefined
