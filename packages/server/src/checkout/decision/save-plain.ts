import type { Ctx } from '../../core/context.ts'
import type { VoucherChange } from '../../core/db/checkout-changes.ts'
import { joinJsonTexts } from '../../core/db/join-json-texts.ts'
import { savingStatement } from '../../core/db/latest-commit.ts'
import type { Payload } from './payload.ts'

/** The number of parameters of the function; `plainParameters` has the same order. */
const parametersCount = 63

const placeholders = Array.from({ length: parametersCount }, (_, place) => `$${place + 1}`)

/** What both functions that save return. */
export interface Saved {
  has_checks: boolean
}

/** Saves what `plainParameters` says (functions/checkout_save_plain.sql). */
export const savePlain = savingStatement<Saved>(`checkout_save_plain(${placeholders.join(', ')}) as has_checks`)

type PlainPayload = Required<Pick<Payload, 'vouchers' | 'redemptions' | 'usage' | 'tallies'>> & Payload

/**
 * The parameters of `checkout_save_plain` for successful redemptions of discount codes, one per request, which are most; null if the
 * payload holds anything else, for which `checkout_save_all` is there.
 */
export function plainParameters(ctx: Ctx, payload: Payload, lockTimeout: string): unknown[] | null {
  if (!isPlain(payload)) return null
  const { new_orders: orders, customer_sums: sums, vouchers, redemptions, usage, tallies } = payload
  const { segment_checks: checks = [], event_parts: requests, item_texts = [] } = payload
  const events = requests.flatMap(({ rows }) => rows)
  const lasts: number[] = []
  for (const { rows } of requests) lasts.push((lasts.at(-1) ?? 0) + rows.length)
  return [
    ctx.project_id,
    ctx.now,
    lockTimeout,
    ...(orders === undefined
      ? Array.from({ length: 13 }, () => null)
      : [
          column(orders, 'id'),
          column(orders, 'status'),
          column(orders, 'amount'),
          column(orders, 'initial_amount'),
          column(orders, 'discount_amount'),
          column(orders, 'items_discount_amount'),
          column(orders, 'customer_id'),
          column(orders, 'created_at'),
          column(orders, 'client_order'),
          joinJsonTexts(item_texts),
          jsonColumn(orders, 'metadata'),
          jsonColumn(orders, 'redemptions'),
          jsonColumn(orders, 'discounted_goods'),
        ]),
    ...(sums === undefined
      ? Array.from({ length: 6 }, () => null)
      : [
          column(sums, 'id'),
          figures(sums, 'orders_total_amount'),
          figures(sums, 'orders_total_count'),
          figures(sums, 'redemptions_succeeded'),
          column(sums, 'latest_amount'),
          column(sums, 'latest_date'),
        ]),
    column(vouchers, 'id'),
    column(vouchers, 'xmin'),
    figures(vouchers, 'quantity'),
    column(redemptions, 'id'),
    column(redemptions, 'related_object_id'),
    column(redemptions, 'campaign_id'),
    column(redemptions, 'voucher_code'),
    column(redemptions, 'customer_id'),
    column(redemptions, 'tracking_id'),
    column(redemptions, 'order_id'),
    column(redemptions, 'channel_id'),
    column(redemptions, 'created_at'),
    jsonColumn(redemptions, 'metadata'),
    jsonColumn(redemptions, 'order'),
    jsonColumn(redemptions, 'undo'),
    column(usage, 'scope_id'),
    column(usage, 'day'),
    column(usage, 'id'),
    column(usage, 'redemptions'),
    column(usage, 'orders_amount'),
    column(usage, 'discounted_amount'),
    column(tallies, 'name'),
    column(tallies, 'id'),
    column(tallies, 'delta'),
    checks.length === 0 ? null : column(checks, 'customer_id'),
    column(checks, 'request_id'),
    jsonColumn(checks, 'caller'),
    arrayText(requests.map(({ rows }) => rows[0]?.group_id)),
    arrayText(requests.map(({ rows }, place) => (lasts[place] as number) - rows.length + 1)),
    arrayText(lasts),
    joinJsonTexts(requests.map(({ rows }) => JSON.stringify(rows[0]?.event_source))),
    joinJsonTexts(requests.map(({ parts }) => parts)),
    column(events, 'id'),
    column(events, 'type'),
    column(events, 'category'),
    column(events, 'entity_id'),
    column(events, 'created_at'),
    arrayText(requests.flatMap(({ rows }, place) => rows.map(() => place + 1))),
    column(events, 'campaign_id'),
    column(events, 'voucher_id'),
    jsonColumn(events, 'data'),
  ]
}

/*
 * Arrays as PostgreSQL reads them. The drivers would write them too, but examine every element, which costs up to 17 µs more.
 */

function column<Row, Name extends keyof Row>(rows: readonly Row[], name: Name): string {
  let text = '{'
  for (const row of rows) text += `${text === '{' ? '' : ','}${elementText(row[name])}`
  return `${text}}`
}

function figures<Name extends string>(rows: ReadonlyArray<{ [_ in Name]?: number }>, name: Name): string {
  let text = '{'
  for (const row of rows) text += `${text === '{' ? '' : ','}${row[name] ?? 0}`
  return `${text}}`
}

function arrayText(values: readonly unknown[]): string {
  let text = '{'
  for (const value of values) text += `${text === '{' ? '' : ','}${elementText(value)}`
  return `${text}}`
}

function elementText(value: unknown): string {
  if (value == null) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `"${/["\\]/.test(value as string) ? (value as string).replaceAll(/["\\]/g, '\\$&') : value}"`
}

/** One text with the JSON of each row; `null` stands for SQL NULL. */
const jsonColumn = <Row, Name extends keyof Row>(rows: readonly Row[], name: Name): string =>
  joinJsonTexts(rows.map((row) => JSON.stringify(row[name] ?? null)))

const plainKeys: ReadonlySet<string> = new Set<keyof Payload>([
  'new_orders',
  'item_texts',
  'customer_sums',
  'customer_ids',
  'vouchers',
  'redemptions',
  'usage',
  'tallies',
  'segment_checks',
  'event_parts',
])

function isPlain(payload: Payload & { key?: unknown }): payload is PlainPayload {
  const { new_orders = [], customer_sums = [], vouchers = [], redemptions = [], usage = [], tallies = [] } = payload
  return (
    Object.keys(payload).every((key) => plainKeys.has(key)) &&
    [vouchers, redemptions, usage, tallies, payload.event_parts].every(({ length }) => length > 0) &&
    vouchers.every(isPlainUse) &&
    redemptions.every(isPlainRedemption) &&
    new_orders.every(({ referrer_id, source_id, updated_at }) => (referrer_id ?? source_id ?? updated_at) === null) &&
    customer_sums.every(hasOnlyPlainFigures) &&
    usage.every(({ is_undone, credits }) => !is_undone && credits === 0)
  )
}

const isPlainUse = (change: VoucherChange): boolean =>
  Object.keys(change).every((name) => name === 'id' || name === 'xmin' || name === 'quantity')

/** Columns that the function does not write are empty. */
function isPlainRedemption(row: PlainPayload['redemptions'][number]): boolean {
  return (
    row.object === 'redemption' &&
    row.status === 'SUCCEEDED' &&
    row.related_object_type === 'voucher' &&
    row.channel_type === 'API' &&
    row.undo !== null &&
    (row.stack_id ??
      row.parent_id ??
      row.redemption_id ??
      row.amount ??
      row.session_key ??
      row.failure_code ??
      row.failure_message ??
      row.reason ??
      row.reward ??
      row.rollback) === null
  )
}

const hasOnlyPlainFigures = (sum: NonNullable<Payload['customer_sums']>[number]): boolean =>
  (sum.redemptions_failed ?? 0) === 0 &&
  (sum.redemptions_rolled_back ?? 0) === 0 &&
  (sum.rollbacks_succeeded ?? 0) === 0 &&
  (sum.rollbacks_failed ?? 0) === 0 &&
  (sum.gift_redeemed_amount ?? 0) === 0 &&
  (sum.redeemed_points ?? 0) === 0
