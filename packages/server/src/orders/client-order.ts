import { ApiError } from '../core/http/errors.ts'
import type { OrderInput } from './input.ts'
import type { StoredOrder } from './order.ts'

/** Whether a request says what the order is: its amount or its lines. */
const sendsAmounts = ({ amount, items }: OrderInput): boolean => amount !== undefined || items !== undefined

/**
 * Whether a server-side request replaces an order that only a page has described. Who names an order by `source_id` and sends its
 * amount or lines does not know that a page took the `source_id` first (docs/reference/client-side.md#orders).
 */
export const replacesClientOrder = ({ client_order }: StoredOrder, sent: OrderInput): boolean =>
  client_order === 'UNCONFIRMED' && sent.id === undefined && sendsAmounts(sent)

/** The state after a server-side request: an order of a page is the shop's as soon as the shop has sent its amount or lines. */
export const clientOrderAfter = (before: StoredOrder | null, sent: OrderInput): StoredOrder['client_order'] =>
  before?.client_order === 'UNCONFIRMED' && sendsAmounts(sent) ? 'CONFIRMED' : (before?.client_order ?? null)

/** What remains of an order of a page when the shop replaces it: its ids, its date and its redemptions. */
export const withoutClientFields = <Order extends StoredOrder>(order: Order): Order => ({
  ...order,
  status: 'CREATED',
  amount: null,
  initial_amount: null,
  discount_amount: 0,
  items_discount_amount: 0,
  total_discount_amount: 0,
  total_amount: null,
  items: [],
  metadata: {},
  customer_id: null,
  referrer_id: null,
  discounted_goods: null,
})

/**
 * Refuses to call an order paid that only a page has described: points, referrals and summaries follow from the amounts that the shop
 * states (docs/reference/client-side.md#orders).
 */
export function refuseUnconfirmed({ client_order, status }: Pick<StoredOrder, 'client_order' | 'status'>): void {
  if (client_order === 'UNCONFIRMED' && (status === 'PAID' || status === 'FULFILLED'))
    throw new ApiError('invalid_order', {
      details: `Only a page has described this order. To confirm that it is ${status}, send its amount or items too`,
    })
}
