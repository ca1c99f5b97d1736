import type { StateOperator } from '@guerdon/engine'
import type { MetadataType } from '@guerdon/engine/schema'
import { type RawBuilder, sql } from 'kysely'
import type { Project } from '../../core/db/project-row.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import type { FilterField, FilterMoment } from '../../core/query/filter/field.ts'
import { type FilterFields, metadataField } from '../../core/query/filter/filter.ts'

/**
 * Filter fields of vouchers, for lists and exports (docs/reference/vouchers.md#read-vouchers), over the tables that
 * `voucherQuery` joins.
 */
export function voucherFields(
  types: Readonly<Record<string, MetadataType>>,
  { case_sensitive_codes }: Pick<Project, 'case_sensitive_codes'>,
): FilterFields {
  // If codes are case-sensitive, the key equals the code and is indexed.
  const code: FilterField = case_sensitive_codes
    ? text('vouchers.code_key')
    : { type: 'string', column: 'vouchers.code', case_insensitive: true }
  return {
    code,
    vouchers: code,
    id: text('vouchers.id'),
    campaign_ids: text('vouchers.campaign_id'),
    campaigns: text('campaigns.name'),
    voucher_type: text('vouchers.type'),
    categories: text('categories.name'),
    category_ids: text('categories.id'),
    holder_id: text('vouchers.holder_id'),
    published_for_customer_id: text('vouchers.holder_id'),
    is_referral_code: { type: 'boolean', column: 'vouchers.is_referral_code' },
    created_at: date('vouchers.created_at'),
    created_date: date('vouchers.created_at'),
    updated_at: date('vouchers.updated_at'),
    start_date: date('vouchers.start_date'),
    expiration_date: date('vouchers.expiration_date'),
    validity_timeframe: text(sql`(terms.content ->> 'validity_timeframe')`),
    validity_day_of_week: weekdays(sql`terms.content -> 'validity_day_of_week'`),
    'redemption.quantity': { type: 'number', column: 'vouchers.quantity' },
    'redemption.redeemed_quantity': { type: 'number', column: 'vouchers.redeemed_quantity' },
    redemption_status: text(sql`(case when vouchers.redeemed_quantity > 0 then 'redeemed' else 'not_redeemed' end)`),
    active: { type: 'boolean', column: 'vouchers.active', states: activeStates('vouchers') },
    'metadata.*': metadataField(sql`coalesce(vouchers.metadata, terms.content -> 'metadata', '{}'::jsonb)`, types),
  }
}

const text = (column: string | FilterField['column']): FilterField => ({ type: 'string', column })
/** Without a limit, all seven days. */
export const weekdays = (column: RawBuilder<unknown>): FilterField => ({
  type: 'array',
  column: sql`coalesce(${column}, '[0, 1, 2, 3, 4, 5, 6]'::jsonb)`,
})

const date = (column: string): FilterField => ({ type: 'datetime', column })

/** The state operators (`$active` …) of a table with `active` and two dates. */
export function activeStates(
  table: 'vouchers' | 'campaigns',
): Partial<Record<StateOperator, (moment: FilterMoment) => Condition>> {
  const [active, startDate, expirationDate] = ['active', 'start_date', 'expiration_date'].map((column) =>
    sql.ref(`${table}.${column}`),
  )
  const hasExpired = (now: string): Condition => sql`coalesce(${expirationDate} < ${now}::timestamptz, false)`
  return {
    $enabled: () => sql`${active}`,
    $disabled: () => sql`not ${active}`,
    $expired: ({ now }) => hasExpired(now),
    $active: ({ now }) =>
      sql`(${active} and coalesce(${startDate} <= ${now}::timestamptz, true) and not ${hasExpired(now)})`,
  }
}
