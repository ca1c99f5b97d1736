import { operation } from '../core/http/operation.ts'
import { startAsyncAction } from '../core/jobs/async-action.ts'
import { StartedAsyncAction } from '../core/jobs/async-actions/schema.ts'
import { listed } from '../core/query/list.ts'
import { createOrder } from './create.ts'
import { orderFilterSql } from './filter.ts'
import { importOrders } from './import.ts'
import { readOrder } from './input.ts'
import { toOrder } from './order.ts'
import { CreateOrder, ImportOrders, Order, OrderList, OrderQuery, UpdateOrder } from './schema.ts'
import { getOrder, listOrders } from './store.ts'
import { changeOrder } from './update.ts'

/** The errors of creating and updating an order. */
const writeErrors = [
  'invalid_payload',
  'invalid_amount',
  'invalid_order',
  'metadata_validation_failed',
  'not_found',
  'duplicate_found',
] as const

export const orders = [
  operation({
    id: 'listOrders',
    method: 'GET',
    path: '/v1/orders',
    summary: 'List orders',
    description: 'Page by page; filters narrow the list.',
    query: OrderQuery,
    reply: OrderList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const where = query.filters === undefined ? [] : [await orderFilterSql(ctx, query.filters)]
      const { orders, total } = await listOrders(ctx, query, where)
      return listed('orders', orders.map(toOrder), { total })
    },
  }),
  operation({
    id: 'createOrder',
    method: 'POST',
    path: '/v1/orders',
    summary: 'Create an order',
    description:
      'An order whose `id` or `source_id` is known is updated instead. Discounts that were granted elsewhere are cut to what they are taken off: a total is never negative.',
    body: CreateOrder,
    reply: Order,
    errors: writeErrors,
    run: async (ctx, { body }) => toOrder(await createOrder(ctx, readOrder(body))),
  }),
  operation({
    id: 'getOrder',
    method: 'GET',
    path: '/v1/orders/{orderId}',
    summary: 'Get an order',
    description: 'By id or source id, with what was redeemed in it.',
    reply: Order,
    errors: ['not_found'],
    run: async (ctx, { params }) => toOrder(await getOrder(ctx, params.orderId)),
  }),
  operation({
    id: 'updateOrder',
    method: 'PUT',
    path: '/v1/orders/{orderId}',
    summary: 'Update an order',
    description:
      'Only what is sent changes. `items` replaces all lines, and the amount follows from them unless it is sent too.',
    body: UpdateOrder,
    reply: Order,
    errors: writeErrors,
    target: (ctx, { params }) => getOrder(ctx, params.orderId, { lock: true }),
    run: async (ctx, { target, body }) => toOrder(await changeOrder(ctx, target, readOrder(body))),
  }),
  operation({
    id: 'importOrders',
    method: 'POST',
    path: '/v1/orders/import',
    summary: 'Import orders',
    description: 'Customers and summaries are brought up to date, but no order event is told and nothing is earned.',
    body: ImportOrders,
    reply: StartedAsyncAction,
    errors: ['invalid_payload'],
    run: (ctx, { body }) => startAsyncAction(ctx, importOrders, { orders: body }),
  }),
]
