import type { Ctx } from '../../core/context.ts'
import type { Changes, CustomerChange, CustomerFigure, VoucherChange } from '../../core/db/checkout-changes.ts'
import type { UsageRow } from '../../core/db/tables.ts'
import type { Tally } from '../../core/db/tallies.ts'
import { eventRows } from '../../core/events/emit.ts'
import { type SharedEventParts, shareParts } from '../../core/events/parts.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { itemsJson } from '../../orders/store.ts'

/** What `checkout_save` reads. Lists that are empty are not there. */
export type Payload = Omit<Changes, 'order' | 'customers' | 'tallies' | 'usage' | 'segment_checks' | 'events'> & {
  /** One that is there already, or that others may have a name for. */
  order?: Changes['order']
  new_orders?: Array<NonNullable<Changes['order']>['row']>
  customers?: object[]
  customer_sums?: CustomerSum[]
  customer_ids?: string[]
  tallies?: Array<{ name: Tally; delta: number; id: string }>
  usage?: Array<Omit<UsageRow, 'project_id'>>
  segment_checks?: object[]
  told: SharedEventParts[]
}

/** The parameter of `checkout_save`. Each key is read there: `functions/functions.test.ts` compares them. */
export type SaveParameter = Omit<Payload, 'told'> & {
  project_id: string
  now: Instant
  lock_timeout: string
  key?: KeptKey
  events?: object[]
  /** The ids of the events that share each part of the function's second parameter. */
  told?: string[][]
}

/** A reply, stored under the Idempotency-Key of its request. */
export type KeptKey = { key: string; fingerprint: string; expires_at: Instant; status: number; body: string }

type CustomerSum = { id: string; latest_amount?: number; latest_date?: Instant } & Partial<
  Record<CustomerFigure, number>
>

/** All that a decision writes. */
export function payloadOf(ctx: Ctx, changes: Changes): Payload {
  const { request_id, caller } = ctx
  const { order, customers, tallies, usage, events, segment_checks, ...rest } = changes
  return {
    ...(Object.fromEntries(Object.entries(rest).filter(([, value]) => !isNothing(value))) as typeof rest),
    ...orderOf(order),
    ...customersOf(customers ?? []),
    ...listed(
      'tallies',
      (tallies ?? [])
        .filter(([, delta]) => delta !== 0)
        .map(([name, delta]) => ({ name, delta, id: newId('background_run') })),
    ),
    ...listed(
      'usage',
      (usage ?? []).map((row) => ({ ...row, id: newId('background_run') })),
    ),
    ...listed(
      'segment_checks',
      (segment_checks ?? []).map((customerId) => ({ customer_id: customerId, request_id, caller })),
    ),
    told: events === undefined || events.length === 0 ? [] : [shareParts(eventRows(ctx, events))],
  }
}

const isNothing = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0)

const listed = <Name extends string, Row>(name: Name, rows: readonly Row[]): { [_ in Name]?: Row[] } =>
  rows.length === 0 ? {} : ({ [name]: rows } as { [_ in Name]: Row[] })

function orderOf(order: Changes['order']): Pick<Payload, 'order' | 'new_orders'> {
  if (order === undefined) return {}
  itemsJson(order.row.items)
  return isNewOrder(order) ? { new_orders: [order.row] } : { order }
}

/** Nobody else can have it. */
const isNewOrder = ({ row, xmin }: NonNullable<Changes['order']>): boolean => xmin === null && row.source_id === null

/** Who is written as a row or relies on what was read, and what is added to whom; several are locked in order first. */
function customersOf(
  changes: readonly CustomerChange[],
): Pick<Payload, 'customers' | 'customer_sums' | 'customer_ids'> {
  const special: object[] = []
  const sums: CustomerSum[] = []
  for (const change of changes) {
    if ('row' in change) {
      special.push(change)
      continue
    }
    const { id, add, latest, ...more } = change
    if (Object.keys(more).length > 0) special.push({ id, ...more })
    sums.push({
      id,
      ...add,
      ...(latest === undefined ? {} : { latest_amount: latest.amount, latest_date: latest.date }),
    })
  }
  return {
    ...listed('customers', special),
    ...listed(
      'customer_sums',
      added(sums, ({ id }) => id, mergedSum),
    ),
    ...(changes.length > 1 ? { customer_ids: changes.map(({ id }) => id) } : {}),
  }
}

/** Whether a decision can be written together with others: it relies on nothing but rows of codes, and adds to sums. */
export function canGoTogether(changes: Changes): boolean {
  const { order, customers, vouchers, redemptions, usage, tallies, segment_checks, events, ...rest } = changes
  return (
    Object.values(rest).every(isNothing) &&
    (order === undefined || isNewOrder(order)) &&
    (customers ?? []).every((change) => Object.keys(change).every((name) => ['id', 'add', 'latest'].includes(name)))
  )
}

/** One payload out of several that can go together. */
export function merged(payloads: readonly Payload[]): Payload {
  const all = <Name extends keyof Payload>(name: Name) =>
    payloads.flatMap((payload) => (payload[name] ?? []) as unknown[]) as unknown as NonNullable<Payload[Name]>
  const customerSums = added(all('customer_sums'), ({ id }) => id, mergedSum)
  return {
    ...listed('new_orders', all('new_orders')),
    ...listed('customer_sums', customerSums),
    ...(customerSums.length > 1 ? { customer_ids: customerSums.map(({ id }) => id) } : {}),
    ...listed(
      'vouchers',
      added(all('vouchers'), ({ id }) => id, mergedVoucher),
    ),
    ...listed('redemptions', all('redemptions')),
    ...listed(
      'usage',
      added(all('usage'), ({ scope_id, day, is_undone }) => `${scope_id} ${day} ${is_undone}`, mergedUsage),
    ),
    ...listed(
      'tallies',
      added(
        all('tallies'),
        ({ name }) => name,
        (one, more) => ({ ...one, delta: one.delta + more.delta }),
      ),
    ),
    ...listed('segment_checks', all('segment_checks')),
    told: all('told'),
  }
}

/** Rows of one name become one. */
function added<Row>(rows: readonly Row[], name: (row: Row) => string, sum: (one: Row, more: Row) => Row): Row[] {
  const byName = new Map<string, Row>()
  for (const row of rows) {
    const known = byName.get(name(row))
    byName.set(name(row), known === undefined ? row : sum(known, row))
  }
  return [...byName.values()]
}

function mergedSum({ latest_amount, latest_date, ...one }: CustomerSum, more: CustomerSum): CustomerSum {
  const sum: CustomerSum = { ...one }
  for (const [figure, by] of Object.entries(more) as Array<[keyof CustomerSum, never]>)
    if (typeof by === 'number' && figure !== 'latest_amount')
      sum[figure as CustomerFigure] = (sum[figure as CustomerFigure] ?? 0) + by
  const latest =
    more.latest_date !== undefined && more.latest_date >= (latest_date ?? '') ? more : { latest_amount, latest_date }
  return {
    ...sum,
    ...(latest.latest_date === undefined
      ? {}
      : { latest_amount: latest.latest_amount as number, latest_date: latest.latest_date }),
  }
}

/** The first of them relied on the version that was read, each other on what the one before it changed. */
const mergedVoucher = (one: VoucherChange, more: VoucherChange): VoucherChange => ({
  ...one,
  quantity: (one.quantity ?? 0) + (more.quantity ?? 0),
})

const mergedUsage = (one: NonNullable<Payload['usage']>[number], more: typeof one): typeof one => ({
  ...one,
  redemptions: one.redemptions + more.redemptions,
  orders_amount: one.orders_amount + more.orders_amount,
  discounted_amount: one.discounted_amount + more.discounted_amount,
  credits: one.credits + more.credits,
})
