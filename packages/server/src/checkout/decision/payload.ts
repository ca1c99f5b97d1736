import type { Ctx } from '../../core/context.ts'
import type { Changes, CustomerChange, CustomerFigure, VoucherChange } from '../../core/db/checkout-changes.ts'
import type { UsageRow } from '../../core/db/tables.ts'
import type { Tally } from '../../core/db/tallies.ts'
import { eventRows } from '../../core/events/emit.ts'
import { type SharedEventParts, shareParts } from '../../core/events/parts.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { itemsJson } from '../../orders/store.ts'

/** The changes of a decision as `checkout_save_all` reads them. Empty lists are omitted. */
export type Payload = Omit<Changes, 'order' | 'customers' | 'tallies' | 'usage' | 'segment_checks' | 'events'> & {
  /** An existing order, or a new one with a `source_id`, which another request may create too. */
  order?: Changes['order']
  new_orders?: Array<NonNullable<Changes['order']>['row']>
  customers?: object[]
  customer_sums?: CustomerSum[]
  customer_ids?: string[]
  tallies?: Array<{ name: Tally; delta: number; id: string }>
  usage?: Array<Omit<UsageRow, 'project_id'>>
  segment_checks?: Array<{ customer_id: string; request_id: string; caller: object }>
  event_parts: SharedEventParts[]
  /** The lines of each new order as JSON, which were written to measure them. `checkout_save_all` reads them in the row instead. */
  item_texts?: string[]
}

/** The parameter of `checkout_save_all`. Each key is read there: `functions/functions.test.ts` compares them. */
export type SaveParameter = Omit<Payload, 'event_parts' | 'item_texts'> & {
  now: Instant
  lock_timeout: string
  key?: IdempotentReply
  events?: object[]
  /** For each part of the function's second parameter, the ids of the events that share it. */
  told?: string[][]
}

/** A reply, stored under the Idempotency-Key of its request. */
export type IdempotentReply = { key: string; fingerprint: string; expires_at: Instant; status: number; body: string }

type CustomerSum = { id: string; latest_amount?: number; latest_date?: Instant } & Partial<
  Record<CustomerFigure, number>
>

export function payloadOf(ctx: Ctx, changes: Changes): Payload {
  const { request_id, caller } = ctx
  const { order, customers, tallies = [], usage = [], events = [], segment_checks = [], ...rest } = changes
  const payload: Payload = { event_parts: events.length === 0 ? [] : [shareParts(eventRows(ctx, events))] }
  // One by one: this is on the path of every redemption, where a spread per list costs more than the lists.
  for (const name in rest) {
    const value = rest[name as keyof typeof rest]
    if (!isEmpty(value)) payload[name as 'released'] = value as string
  }
  if (order !== undefined) addOrder(payload, order)
  if (customers !== undefined) Object.assign(payload, customersOf(customers))
  const changed = tallies.filter(([, delta]) => delta !== 0)
  if (changed.length > 0)
    payload.tallies = changed.map(([name, delta]) => ({ name, delta, id: newId('background_run') }))
  if (usage.length > 0) payload.usage = usage.map((row) => ({ ...row, id: newId('background_run') }))
  if (segment_checks.length > 0)
    payload.segment_checks = segment_checks.map((customerId) => ({ customer_id: customerId, request_id, caller }))
  return payload
}

const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0)

const unlessEmpty = <Name extends string, Row>(name: Name, rows: readonly Row[]): { [_ in Name]?: Row[] } =>
  rows.length === 0 ? {} : ({ [name]: rows } as { [_ in Name]: Row[] })

function addOrder(payload: Payload, order: NonNullable<Changes['order']>): void {
  const text = itemsJson(order.row.items)
  if (isNewOrder(order)) {
    payload.new_orders = [order.row]
    payload.item_texts = [text]
  } else payload.order = order
}

/** A new order without a `source_id`: no other request can create or change it, so no version is checked. */
const isNewOrder = ({ row, xmin }: NonNullable<Changes['order']>): boolean => xmin === null && row.source_id === null

/**
 * Splits the changes of customers: `customers` are inserted, or updated if their version is still current; `customer_sums` are
 * added. If there are several, `customer_ids` locks all of them in order first, against deadlocks.
 */
function customersOf(
  changes: readonly CustomerChange[],
): Pick<Payload, 'customers' | 'customer_sums' | 'customer_ids'> {
  const versioned: object[] = []
  const sums: CustomerSum[] = []
  for (const change of changes) {
    if ('row' in change) {
      versioned.push(change)
      continue
    }
    const { id, add, latest, ...more } = change
    if (Object.keys(more).length > 0) versioned.push({ id, ...more })
    sums.push({
      id,
      ...add,
      ...(latest === undefined ? {} : { latest_amount: latest.amount, latest_date: latest.date }),
    })
  }
  return {
    ...unlessEmpty('customers', versioned),
    ...unlessEmpty(
      'customer_sums',
      sumByKey(sums, ({ id }) => id, addCustomerSum),
    ),
    ...(changes.length > 1 ? { customer_ids: changes.map(({ id }) => id) } : {}),
  }
}

/**
 * Whether a decision can be saved in a batch: it depends on no versions but those of voucher rows, and otherwise only inserts
 * and adds to sums.
 */
export function isBatchable(changes: Changes): boolean {
  const { order, customers, vouchers, redemptions, usage, tallies, segment_checks, events, ...rest } = changes
  return (
    Object.values(rest).every(isEmpty) &&
    (order === undefined || isNewOrder(order)) &&
    (customers ?? []).every((change) => Object.keys(change).every((name) => ['id', 'add', 'latest'].includes(name)))
  )
}

/** Merges the payloads of a batch, all of them `isBatchable`, into one. */
export function mergePayloads(payloads: readonly Payload[]): Payload {
  if (payloads.length === 1) return payloads[0] as Payload
  const all = <Name extends keyof Payload>(name: Name) =>
    payloads.flatMap((payload) => (payload[name] ?? []) as unknown[]) as unknown as NonNullable<Payload[Name]>
  const customerSums = sumByKey(all('customer_sums'), ({ id }) => id, addCustomerSum)
  return {
    ...unlessEmpty('new_orders', all('new_orders')),
    ...unlessEmpty('item_texts', all('item_texts')),
    ...unlessEmpty('customer_sums', customerSums),
    ...(customerSums.length > 1 ? { customer_ids: customerSums.map(({ id }) => id) } : {}),
    ...unlessEmpty(
      'vouchers',
      sumByKey(all('vouchers'), ({ id }) => id, addVoucherChange),
    ),
    ...unlessEmpty('redemptions', all('redemptions')),
    ...unlessEmpty(
      'usage',
      sumByKey(all('usage'), ({ scope_id, day, is_undone }) => `${scope_id} ${day} ${is_undone}`, addUsage),
    ),
    ...unlessEmpty(
      'tallies',
      sumByKey(
        all('tallies'),
        ({ name }) => name,
        (sum, next) => ({ ...sum, delta: sum.delta + next.delta }),
      ),
    ),
    ...unlessEmpty('segment_checks', all('segment_checks')),
    event_parts: all('event_parts'),
  }
}

/** Adds up the rows of the same key, so that each is written once. */
function sumByKey<Row>(rows: readonly Row[], keyOf: (row: Row) => string, add: (sum: Row, next: Row) => Row): Row[] {
  const sums = new Map<string, Row>()
  for (const row of rows) {
    const sum = sums.get(keyOf(row))
    sums.set(keyOf(row), sum === undefined ? row : add(sum, row))
  }
  return [...sums.values()]
}

function addCustomerSum({ latest_amount, latest_date, ...figures }: CustomerSum, next: CustomerSum): CustomerSum {
  const sum: CustomerSum = { ...figures }
  for (const [figure, by] of Object.entries(next) as Array<[keyof CustomerSum, never]>)
    if (typeof by === 'number' && figure !== 'latest_amount')
      sum[figure as CustomerFigure] = (sum[figure as CustomerFigure] ?? 0) + by
  const latest =
    next.latest_date !== undefined && next.latest_date >= (latest_date ?? '') ? next : { latest_amount, latest_date }
  return {
    ...sum,
    ...(latest.latest_date === undefined
      ? {}
      : { latest_amount: latest.latest_amount as number, latest_date: latest.latest_date }),
  }
}

/** Keeps the version of the first change: it was read from the database, the later decisions were made on the state after it. */
const addVoucherChange = (sum: VoucherChange, next: VoucherChange): VoucherChange => ({
  ...sum,
  quantity: (sum.quantity ?? 0) + (next.quantity ?? 0),
})

const addUsage = (sum: NonNullable<Payload['usage']>[number], next: typeof sum): typeof sum => ({
  ...sum,
  redemptions: sum.redemptions + next.redemptions,
  orders_amount: sum.orders_amount + next.orders_amount,
  discounted_amount: sum.discounted_amount + next.discounted_amount,
  credits: sum.credits + next.credits,
})
