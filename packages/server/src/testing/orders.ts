import { expect } from 'vitest'
import type { Shop } from './app.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/** Sends a request, expects 200, and returns the body. */
export async function ok(shop: Shop, method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await shop.call(method, path, body)
  expect(answer, `${method} ${path}: ${JSON.stringify(answer.body)}`).toMatchObject({ status: 200 })
  return answer.body
}

export const newOrder = (shop: Shop, body: unknown): Promise<Body> => ok(shop, 'POST', '/v1/orders', body)

/** The order summary of a customer, as the API returns it. */
export async function orderSummary(shop: Shop, customer: string): Promise<Body> {
  return (await ok(shop, 'GET', `/v1/customers/${customer}`)).summary.orders
}

/** The order events of a project, the oldest first. */
export async function orderEvents(shop: Shop): Promise<Array<{ type: string; entity_id: string; data: Body }>> {
  const rows = await shop.service.runtime.database.db
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .where('type', 'like', 'customer.order.%')
    .orderBy('id')
    .select(['type', 'entity_id', 'data'])
    .execute()
  return rows
}

/** The last part of their types: `created`, `paid`. */
export const eventNames = async (shop: Shop): Promise<string[]> =>
  (await orderEvents(shop)).map(({ type }) => type.slice('customer.order.'.length))
