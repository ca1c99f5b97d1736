import { beforeAll, expect, test } from 'vitest'
import { untilFinal } from '../../server/src/testing/event-list.ts'
import { GuerdonError, unwrap } from '../src/index.ts'
import { notSet, type OpenShop, openShop } from './open-shop.ts'

/** Three pages of 100. */
const rowsCount = 201

let open: OpenShop
beforeAll(async () => {
  open = await openShop({ project: { client_list_vouchers_enabled: true } })
})

const numbers = Array.from({ length: rowsCount }, (_, n) => n)

/** Three pages of another size: the lists but for the first one need no more. */
const few = numbers.slice(0, 21)
const limit = 10

/** Sends a request for each, past the client and the proxy. */
const sendAll = <Item>(items: readonly Item[], request: (item: Item) => [method: string, path: string, body: object]) =>
  forAll(items, async (item) => {
    const { status, body } = await open.shop.call(...request(item))
    expect(status, JSON.stringify(body)).toBeLessThan(300)
  })

/** Does something for each, ten at a time. */
async function forAll<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
  const waiting = [...items]
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: 10 }, work))
}

async function collect<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = []
  for await (const row of rows) found.push(row)
  return found
}

const giftCard = { type: 'GIFT_VOUCHER', gift: { amount: 1_000 } } as const
const codeOf = (n: number) => `GIFT-${String(n).padStart(3, '0')}`

test('by cursor, of a list by page: every code once, in order, 100 at a time', async () => {
  const { guerdon, proxy } = open
  await sendAll(numbers, (n) => ['POST', `/v1/vouchers/${codeOf(n)}`, giftCard])
  const rows = await collect(guerdon.listVouchers.each({ order: 'code' }))
  expect(rows.map(({ code }) => code)).toEqual(numbers.map(codeOf))
  const queries = proxy.requestsTo('GET /v1/vouchers').map(({ path }) => new URL(path, 'http://shop').searchParams)
  expect(queries.map((query) => query.get('starting_after_id'))).toEqual([null, rows[99]?.id, rows[199]?.id])
  expect(queries.map((query) => query.get('limit'))).toEqual(['100', '100', '100'])
})

test('a limit that is undefined is none: the rows of further pages come too', async () => {
  const rows = await collect(open.guerdon.listVouchers.each({ limit: notSet }))
  expect(rows).toHaveLength(rowsCount)
})

test('by page: the codes of a customer on the client side', async () => {
  const { clientSide, proxy } = open
  const customer = { source_id: 'collector' }
  await sendAll(few, (n) => ['POST', '/v1/publications', { voucher: codeOf(n), customer }])
  const rows = await collect(clientSide.listClientVouchers.each({ customer: 'collector', order: 'code', limit }))
  expect(rows.map(({ code }) => code)).toEqual(few.map(codeOf))
  const pages = proxy.requestsTo('GET /client/v1/vouchers').map(({ path }) => /page=(\d+)/.exec(path)?.[1])
  expect(pages).toEqual([undefined, '2', '3'])
})

test('by the cursor of events', async () => {
  const { guerdon, shop } = open
  const path = { projectId: shop.project_id }
  await untilFinal(shop)
  const rows = await collect(guerdon.listEvents.each(path, { type: ['voucher.created'] }))
  expect(new Set(rows.map(({ entity_id }) => entity_id)).size).toBe(rowsCount)
  expect(rows).toHaveLength(rowsCount)
})

test('by has_more and more_starting_after: customers', async () => {
  const { guerdon } = open
  await sendAll(few, (n) => ['POST', '/v1/customers', { source_id: `customer-${n}` }])
  const rows = await collect(guerdon.listCustomers.each({ limit }))
  expect(new Set(rows.map(({ source_id }) => source_id))).toEqual(
    new Set(['collector', ...few.map((n) => `customer-${n}`)]),
  )
  expect(rows).toHaveLength(few.length + 1)
})

test('by the id of the last row: async actions, some of which begin in one millisecond', async () => {
  const { guerdon } = open
  // Through the client: the clock of injected requests would tell them apart.
  await forAll(few, async (n) =>
    unwrap(await guerdon.updateVouchersMetadataInBulk({ codes: [codeOf(n)], metadata: { n } })),
  )
  const rows = await collect(guerdon.listAsyncActions.each({ limit }))
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  expect(rows).toHaveLength(few.length)
})

test('all at once: categories, asked for without a page', async () => {
  const { guerdon, proxy } = open
  await sendAll(few, (n) => ['POST', '/v1/categories', { name: `Category ${n}`, hierarchy: 1 }])
  expect(await collect(guerdon.listCategories.each())).toHaveLength(few.length)
  expect(proxy.requestsTo('GET /v1/categories').map(({ path }) => path)).toEqual(['/v1/categories'])
})

test('with a path: the transactions of one card', async () => {
  const { guerdon } = open
  const path = { code: codeOf(0) }
  for (const n of few) unwrap(await guerdon.adjustVoucherBalance(path, { amount: n + 1 }))
  const rows = await collect(guerdon.listVoucherTransactions.each(path, { order: 'id', limit }))
  expect(rows.map(({ details }) => details)).toMatchObject(few.map((n) => ({ balance: { amount: n + 1 } })))
})

test('a loop that ends early reads no further page', async () => {
  const { guerdon, proxy } = open
  const before = proxy.requestsTo('GET /v1/customers').length
  for await (const _ of guerdon.listCustomers.each()) break
  expect(proxy.requestsTo('GET /v1/customers').length).toBe(before + 1)
})

test('a loop may delete what it gets, the last row of a page too', async () => {
  const { guerdon } = open
  let deleted = 0
  for await (const { id } of guerdon.listCustomers.each({ limit })) {
    unwrap(await guerdon.deleteCustomer({ customerId: id }))
    deleted += 1
  }
  expect(deleted).toBe(few.length + 1)
})

test('a page that is refused ends the loop with the refusal', async () => {
  const rows = open.guerdon.listVouchers.each({ limit: 101 })
  await expect(rows.next()).rejects.toThrow(GuerdonError)
})
