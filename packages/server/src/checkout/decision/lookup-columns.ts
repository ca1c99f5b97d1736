import type { Selectable } from 'kysely'
import type { CustomerRow, ProductRow, SkuRow, VoucherRow } from '../../core/db/tables.ts'

/** All columns of a table but those that are known, by name: the compiler checks that none is missing. */
type Columns<Row> = Record<Exclude<keyof Row, 'project_id' | 'deleted_at'>, true>

/** Columns that have always the same values in a plain voucher: a discount that nobody holds. */
export const heldColumns = {
  type: 'DISCOUNT_VOUCHER',
  credits_added: null,
  credits_subtracted: null,
  credits_redeemed: null,
  credits_expired: null,
  credits_pending: null,
  is_referral_code: false,
  publish_count: 0,
  holder_id: null,
  referrer_id: null,
} as const satisfies Partial<Selectable<VoucherRow>>

export const plainVoucherColumns: Omit<Columns<VoucherRow>, keyof typeof heldColumns> = {
  id: true,
  code: true,
  code_key: true,
  campaign_id: true,
  category_id: true,
  terms_id: true,
  start_date: true,
  expiration_date: true,
  quantity: true,
  redeemed_quantity: true,
  active: true,
  additional_info: true,
  metadata: true,
  is_automatic: true,
  asset_id: true,
  created_at: true,
  updated_at: true,
}

export const voucherColumns = { ...plainVoucherColumns, ...heldColumns }

export const customerColumns: Columns<CustomerRow> = {
  id: true,
  source_id: true,
  name: true,
  description: true,
  email: true,
  phone: true,
  birthdate: true,
  birthday: true,
  address: true,
  metadata: true,
  system_metadata: true,
  orders_total_amount: true,
  orders_total_count: true,
  last_order_amount: true,
  last_order_date: true,
  redemptions_succeeded: true,
  redemptions_failed: true,
  redemptions_rolled_back: true,
  rollbacks_succeeded: true,
  rollbacks_failed: true,
  gift_redeemed_amount: true,
  gift_amount_to_go: true,
  redeemed_points: true,
  loyalty: true,
  referrals: true,
  created_at: true,
  updated_at: true,
}

export const productColumns: Columns<ProductRow> = {
  id: true,
  source_id: true,
  name: true,
  price: true,
  attributes: true,
  metadata: true,
  image_url: true,
  created_at: true,
  updated_at: true,
}

export const skuColumns: Columns<SkuRow> = {
  id: true,
  product_id: true,
  source_id: true,
  sku: true,
  price: true,
  currency: true,
  attributes: true,
  metadata: true,
  image_url: true,
  created_at: true,
  updated_at: true,
}
