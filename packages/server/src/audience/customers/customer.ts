import { mulDiv } from '@guerdon/engine'
import type { Selectable } from 'kysely'
import type { CustomerRow } from '../../core/db/tables.ts'
import type { SimpleCustomer } from '../../core/events/shapes.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { shownMetadata } from '../../core/lib/shown-metadata.ts'
import type { Customer, CustomerSummary } from './schema.ts'

export type StoredCustomer = Selectable<CustomerRow>

/** A customer as the API returns it, without fields that were never set (docs/reference/customers.md#the-customer-object). */
export function toCustomer(row: StoredCustomer): Customer {
  const { id, source_id, address, loyalty, referrals, metadata, system_metadata, created_at } = row
  const customer: Customer = {
    id,
    source_id,
    address,
    summary: summaryOf(row),
    loyalty,
    referrals,
    ...shownMetadata(metadata),
    system_metadata,
    created_at,
    object: 'customer',
  }
  for (const name of omittedIfUnset) if (row[name] !== null) customer[name] = row[name]
  return customer
}

/** A customer that is not stored: it has only a source id, and an empty id. */
export const anonymousCustomer = (sourceId: string, now: Instant): Customer => ({
  ...toCustomer(newCustomerRow({ source_id: sourceId }, now)),
  id: '',
})

/** The row of a new customer: the given columns, and defaults for the rest. */
export const newCustomerRow = (columns: Partial<StoredCustomer>, now: Instant): StoredCustomer => ({
  ...defaultRow,
  ...columns,
  created_at: now,
})

/** The short form of a customer in events, redemptions and responses about other objects. */
export function toSimpleCustomer({
  id,
  name,
  email,
  source_id,
  metadata,
}: Pick<StoredCustomer, 'id' | 'name' | 'email' | 'source_id' | 'metadata'>): SimpleCustomer {
  return { id, name, email, source_id, metadata, object: 'customer' }
}

const omittedIfUnset = ['name', 'description', 'email', 'phone', 'birthdate', 'birthday', 'updated_at'] as const

function summaryOf(row: StoredCustomer): CustomerSummary {
  const { orders_total_amount: totalAmount, orders_total_count: totalCount, last_order_date } = row
  return {
    redemptions: {
      total_redeemed: row.redemptions_succeeded + row.redemptions_failed,
      total_failed: row.redemptions_failed,
      total_succeeded: row.redemptions_succeeded,
      total_rolled_back: row.redemptions_rolled_back,
      total_rollback_failed: row.rollbacks_failed,
      total_rollback_succeeded: row.rollbacks_succeeded,
      gift: { redeemed_amount: row.gift_redeemed_amount, amount_to_go: row.gift_amount_to_go },
      loyalty_card: { redeemed_points: row.redeemed_points, points_to_go: row.loyalty.points },
    },
    orders: {
      total_amount: totalAmount,
      total_count: totalCount,
      average_amount: totalCount === 0 ? 0 : mulDiv(totalAmount, 1, totalCount),
      last_order_amount: row.last_order_amount ?? 0,
      ...(last_order_date === null ? {} : { last_order_date }),
    },
  }
}

const defaultRow: StoredCustomer = {
  project_id: '',
  id: 'cust_',
  source_id: null,
  name: null,
  description: null,
  email: null,
  phone: null,
  birthdate: null,
  birthday: null,
  address: null,
  metadata: {},
  system_metadata: {},
  orders_total_amount: 0,
  orders_total_count: 0,
  last_order_amount: null,
  last_order_date: null,
  redemptions_succeeded: 0,
  redemptions_failed: 0,
  redemptions_rolled_back: 0,
  rollbacks_succeeded: 0,
  rollbacks_failed: 0,
  gift_redeemed_amount: 0,
  gift_amount_to_go: 0,
  redeemed_points: 0,
  loyalty: { points: 0, referred_customers: 0, campaigns: {} },
  referrals: { total: 0, campaigns: [] },
  created_at: '',
  updated_at: null,
  deleted_at: null,
}
