import { type RawBuilder, sql } from 'kysely'
import { exportedRedemptionFields } from '../redemptions/list.ts'
import { isListed } from '../redemptions/store.ts'
import { bothWays, column, type Exportable } from './exportable.ts'

/** Redemptions, failures and rollbacks: the same rows as in their list. */
export const redemption = {
  table: 'redemptions',
  joins: sql`
    left join vouchers on vouchers.project_id = redemptions.project_id and vouchers.id = redemptions.related_object_id
    left join campaigns on campaigns.project_id = redemptions.project_id and campaigns.id = redemptions.campaign_id
    left join customers on customers.project_id = redemptions.project_id and customers.id = redemptions.customer_id`,
  metadata: column('redemptions.metadata'),
  described_as: 'redemption',
  fields: {
    id: column('redemptions.id'),
    object: column('redemptions.object'),
    voucher_code: column('redemptions.voucher_code'),
    customer_id: column('redemptions.customer_id'),
    date: column('redemptions.created_at'),
    result: column('redemptions.result'),
    campaign: column('campaigns.name'),
    promotion_tier_id: sql`case redemptions.related_object_type when 'promotion_tier' then redemptions.related_object_id end`,
    customer_source_id: column('customers.source_id'),
    customer_name: column('customers.name'),
    tracking_id: column('redemptions.tracking_id'),
    order_id: column('redemptions.order_id'),
    order_amount: sql`redemptions."order" -> 'amount'`,
    gift_amount: creditsOf('GIFT_VOUCHER'),
    loyalty_points: creditsOf('LOYALTY_CARD'),
    failure_code: column('redemptions.failure_code'),
    failure_message: column('redemptions.failure_message'),
  },
  default_fields: ['id', 'object', 'voucher_code', 'customer_id', 'date', 'result'],
  orders: bothWays('created_at', 'id', 'voucher_code', 'tracking_id', 'customer_id'),
  sort_keys: { created_at: 'redemptions.created_at', id: 'redemptions.id' },
  sorted_with_nulls: ['voucher_code', 'tracking_id', 'customer_id'],
  sorted_without_index: ['voucher_code', 'tracking_id', 'customer_id'],
  where: isListed,
  filterFields: (types, { project }) => exportedRedemptionFields(types, project),
} satisfies Exportable

/** The credits or points that were spent or refunded. */
function creditsOf(type: 'GIFT_VOUCHER' | 'LOYALTY_CARD'): RawBuilder<unknown> {
  return sql`case vouchers.type when ${sql.lit(type)} then redemptions.amount end`
}
