import { type RawBuilder, sql } from 'kysely'
import { customerFields } from '../audience/customers/fields.ts'
import { yes } from '../core/query/filter/conditions.ts'
import { metadataField } from '../core/query/filter/filter.ts'
import { bothWays, column, type Exportable } from './exportable.ts'
import { apiLog } from './of-api-log.ts'
import { pointsExpiration, voucherTransactions } from './of-cards.ts'
import { publication } from './of-publications.ts'
import { redemption } from './of-redemptions.ts'
import { voucher } from './of-vouchers.ts'

/**
 * The objects that can be exported (docs/reference/exports.md#what-can-be-exported). To make another one exportable, add an entry.
 */
export const exportables = {
  voucher,
  redemption,
  publication,
  voucher_transactions: voucherTransactions,
  points_expiration: pointsExpiration,
  api_log: apiLog,
  order: {
    table: 'orders',
    metadata: column('orders.metadata'),
    described_as: 'order',
    fields: {
      id: column('orders.id'),
      source_id: column('orders.source_id'),
      status: column('orders.status'),
      created_at: column('orders.created_at'),
      updated_at: column('orders.updated_at'),
      amount: column('orders.amount'),
      discount_amount: column('orders.discount_amount'),
      items_discount_amount: column('orders.items_discount_amount'),
      total_discount_amount: column('orders.total_discount_amount'),
      total_amount: column('orders.total_amount'),
      customer_id: column('orders.customer_id'),
      referrer_id: column('orders.referrer_id'),
    },
    default_fields: ['id', 'source_id', 'status'],
    orders: bothWays('created_at', 'updated_at', 'status'),
    sorted_with_nulls: ['updated_at'],
    where: yes,
    filterFields: (types) => ({
      created_at: { type: 'datetime', column: 'orders.created_at' },
      updated_at: { type: 'datetime', column: 'orders.updated_at' },
      status: { type: 'string', column: 'orders.status' },
      source_id: { type: 'string', column: 'orders.source_id' },
      amount: { type: 'number', column: 'orders.amount' },
      discount_amount: { type: 'number', column: 'orders.discount_amount' },
      items_discount_amount: { type: 'number', column: 'orders.items_discount_amount' },
      total_discount_amount: { type: 'number', column: 'orders.total_discount_amount' },
      total_amount: { type: 'number', column: 'orders.total_amount' },
      'metadata.*': metadataField('orders.metadata', types),
    }),
  },
  customer: {
    table: 'customers',
    metadata: column('customers.metadata'),
    described_as: 'customer',
    fields: {
      name: column('customers.name'),
      source_id: column('customers.source_id'),
      id: column('customers.id'),
      description: column('customers.description'),
      email: column('customers.email'),
      phone: column('customers.phone'),
      birthdate: column('customers.birthdate'),
      birthday: column('customers.birthday'),
      created_at: column('customers.created_at'),
      updated_at: column('customers.updated_at'),
      address_city: address('city'),
      address_state: address('state'),
      address_line_1: address('line_1'),
      address_line_2: address('line_2'),
      address_country: address('country'),
      address_postal_code: address('postal_code'),
      redemptions_total_redeemed: sql`customers.redemptions_succeeded + customers.redemptions_failed`,
      redemptions_total_failed: column('customers.redemptions_failed'),
      redemptions_total_succeeded: column('customers.redemptions_succeeded'),
      redemptions_total_rolled_back: column('customers.redemptions_rolled_back'),
      redemptions_total_rollback_failed: column('customers.rollbacks_failed'),
      redemptions_total_rollback_succeeded: column('customers.rollbacks_succeeded'),
      orders_total_amount: column('customers.orders_total_amount'),
      orders_total_count: column('customers.orders_total_count'),
      // Rounded half up, in integer arithmetic.
      orders_average_amount: sql`case customers.orders_total_count when 0 then 0 else
        (2 * customers.orders_total_amount + customers.orders_total_count) / (2 * customers.orders_total_count) end`,
      orders_last_order_amount: sql`coalesce(customers.last_order_amount, 0)`,
      orders_last_order_date: column('customers.last_order_date'),
      loyalty_points: sql`customers.loyalty -> 'points'`,
      loyalty_referred_customers: sql`customers.loyalty -> 'referred_customers'`,
    },
    default_fields: ['name', 'source_id'],
    orders: bothWays('created_at', 'name', 'id', 'email', 'source_id', 'updated_at'),
    sorted_with_nulls: ['name', 'email', 'source_id', 'updated_at'],
    where: sql`customers.deleted_at is null`,
    filterFields: (types, { project_id }) => customerFields(project_id, types),
  },
  product: {
    table: 'products',
    metadata: column('products.metadata'),
    described_as: 'product',
    fields: {
      id: column('products.id'),
      name: column('products.name'),
      price: column('products.price'),
      image_url: column('products.image_url'),
      source_id: column('products.source_id'),
      attributes: column('products.attributes'),
      created_at: column('products.created_at'),
      updated_at: column('products.updated_at'),
    },
    default_fields: ['id', 'name', 'price', 'image_url', 'source_id', 'attributes', 'created_at'],
    orders: bothWays('created_at'),
    sorted_with_nulls: [],
    where: sql`products.deleted_at is null`,
    filterFields: catalogueFields('products'),
  },
  sku: {
    table: 'skus',
    metadata: column('skus.metadata'),
    described_as: 'product', // the product schema describes the metadata of SKUs too (docs/reference/products.md#the-product-object)
    fields: {
      id: column('skus.id'),
      sku: column('skus.sku'),
      product_id: column('skus.product_id'),
      currency: column('skus.currency'),
      price: column('skus.price'),
      image_url: column('skus.image_url'),
      source_id: column('skus.source_id'),
      attributes: column('skus.attributes'),
      created_at: column('skus.created_at'),
      updated_at: column('skus.updated_at'),
    },
    default_fields: [
      'id',
      'sku',
      'product_id',
      'currency',
      'price',
      'image_url',
      'source_id',
      'attributes',
      'created_at',
    ],
    orders: bothWays('created_at'),
    sorted_with_nulls: [],
    where: sql`skus.deleted_at is null`,
    filterFields: catalogueFields('skus'),
  },
} as const satisfies Record<string, Exportable>

export type ExportedObject = keyof typeof exportables

function address(part: string): RawBuilder<unknown> {
  return sql`customers.address ->> ${sql.lit(part)}`
}

function catalogueFields(table: 'products' | 'skus'): Exportable['filterFields'] {
  return (types) => ({
    created_at: { type: 'datetime', column: `${table}.created_at` },
    updated_at: { type: 'datetime', column: `${table}.updated_at` },
    'metadata.*': metadataField(`${table}.metadata`, types),
  })
}
