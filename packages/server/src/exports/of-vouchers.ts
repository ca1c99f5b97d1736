import { type RawBuilder, sql } from 'kysely'
import { assetsOf } from '../incentives/code-images/urls.ts'
import { voucherFields } from '../incentives/vouchers/fields.ts'
import { bothWays, column, type Exportable } from './exportable.ts'

/**
 * Vouchers, over the same tables as `voucherQuery` (incentives/vouchers/store.ts), and their holders. PostgreSQL never gathers
 * statistics of a table with a few rows, such as terms and campaigns, and would estimate that almost no voucher has a match: it
 * would then sort a million vouchers for each step. Hence the left joins, which cannot lose rows, and the `case`, of which the
 * planner assumes that half are true.
 */
export const voucher = {
  table: 'vouchers',
  joins: sql`
    left join terms on terms.project_id = vouchers.project_id and terms.id = vouchers.terms_id
    left join campaigns on campaigns.project_id = vouchers.project_id and campaigns.id = vouchers.campaign_id
    left join categories on categories.project_id = vouchers.project_id and categories.id = vouchers.category_id
    left join customers as holder on holder.project_id = vouchers.project_id and holder.id = vouchers.holder_id
      and holder.deleted_at is null`,
  metadata: sql`coalesce(vouchers.metadata, terms.content -> 'metadata', '{}'::jsonb)`,
  described_as: 'voucher',
  fields: {
    code: column('vouchers.code'),
    voucher_type: column('vouchers.type'),
    value: sql`case vouchers.type when 'DISCOUNT_VOUCHER' then ${discount()} -> ${valueName()} else to_jsonb(${balance()}) end`,
    discount_type: sql`${discount()} ->> 'type'`,
    id: column('vouchers.id'),
    formula: sql`${discount()} ->> (${valueName()} || '_formula')`,
    campaign: column('campaigns.name'),
    campaign_id: column('vouchers.campaign_id'),
    category: column('categories.name'),
    start_date: column('vouchers.start_date'),
    expiration_date: column('vouchers.expiration_date'),
    gift_balance: sql`case vouchers.type when 'GIFT_VOUCHER' then ${balance()} end`,
    loyalty_balance: sql`case vouchers.type when 'LOYALTY_CARD' then ${balance()} end`,
    redemption_quantity: column('vouchers.quantity'),
    redemption_count: column('vouchers.redeemed_quantity'),
    active: column('vouchers.active'),
    qr_code: ({ settings }) => sql`${assetsOf(settings, '').qr.url}::text || vouchers.asset_id`,
    bar_code: ({ settings }) => sql`${assetsOf(settings, '').barcode.url}::text || vouchers.asset_id`,
    is_referral_code: column('vouchers.is_referral_code'),
    created_at: column('vouchers.created_at'),
    updated_at: column('vouchers.updated_at'),
    validity_timeframe_interval: sql`terms.content -> 'validity_timeframe' ->> 'interval'`,
    validity_timeframe_duration: sql`terms.content -> 'validity_timeframe' ->> 'duration'`,
    validity_day_of_week: sql`terms.content -> 'validity_day_of_week'`,
    discount_amount_limit: sql`${discount()} -> 'amount_limit'`,
    additional_info: column('vouchers.additional_info'),
    customer_id: column('vouchers.holder_id'),
    customer_source_id: column('holder.source_id'),
    discount_effect: sql`case when ${discount()} ->> 'type' <> 'UNIT' then ${discount()} ->> 'effect' end`,
    discount_unit_type: sql`${discount()} ->> 'unit_type'`,
    discount_unit_effect: sql`case ${discount()} ->> 'type' when 'UNIT' then ${discount()} ->> 'effect' end`,
    validation_rules_id: ({
      project_id,
    }) => sql`(select jsonb_agg(assigned.rule_id order by assigned.id) from rule_assignments as assigned
      where assigned.project_id = ${project_id} and assigned.related_object_type = 'voucher'
        and assigned.related_object_id = vouchers.id)`,
  },
  default_fields: ['code', 'voucher_type', 'value', 'discount_type'],
  orders: bothWays('created_at', 'updated_at', 'code'),
  // Ids begin with the time of creation, so a million vouchers are read in the order of the primary key.
  sort_keys: { created_at: 'vouchers.id', code: 'vouchers.code_key' },
  sorted_with_nulls: ['updated_at'],
  sorted_without_index: ['updated_at'],
  where: sql`vouchers.deleted_at is null and case when campaigns.deleted_at is null then true end`,
  filterFields: (types, { project }) => voucherFields(types, project),
  campaign_id: 'vouchers.campaign_id',
} satisfies Exportable

function discount(): RawBuilder<unknown> {
  return sql`(terms.content -> 'discount')`
}

/** The property that holds the value of a discount, which depends on its type. */
function valueName(): RawBuilder<unknown> {
  return sql`(case ${discount()} ->> 'type' when 'AMOUNT' then 'amount_off' when 'PERCENT' then 'percent_off'
    when 'FIXED' then 'fixed_amount' when 'UNIT' then 'unit_off' end)`
}

/** The balance of a card. */
function balance(): RawBuilder<unknown> {
  return sql`(vouchers.credits_added - vouchers.credits_subtracted - vouchers.credits_redeemed - vouchers.credits_expired)`
}
