import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { newProjectOn, type Shop, send, type TestService } from '../../testing/app.ts'
import { anotherConnection, type Node, openNode, postgresUrl } from '../../testing/nodes.ts'
import { scaled } from '../../testing/scale.ts'

/** Two nodes with separate connections, caches and batches: only the database synchronises them. */
let nodes: Node[]

beforeAll(async () => {
  nodes = [await openNode(anotherConnection(postgresUrl())), await openNode(anotherConnection(postgresUrl()))]
})

const discount = { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 700 } }

/** A shop whose campaign has this many free vouchers, and a function that publishes on the nodes in turn. */
async function newShop(count: number, more: object = {}) {
  const shop: Shop = await newProjectOn(nodes[0] as TestService)
  const made = await shop.call('POST', '/v1/campaigns', { name: 'Autumn', voucher: discount, ...more })
  expect(made.status, JSON.stringify(made.body)).toBe(200)
  expect(await shop.call('POST', '/v1/campaigns/Autumn/vouchers/C1', {})).toMatchObject({ status: 200 })
  await sql`
    insert into vouchers (project_id, id, code, code_key, type, campaign_id, terms_id, active, is_referral_code, asset_id, created_at)
    select project_id, left(id, 20) || lpad(n::text, 14, '0'), 'C' || n, 'C' || n, type, campaign_id, terms_id, active,
      is_referral_code, gen_random_uuid(), created_at
    from vouchers, generate_series(2, ${count}::int) as n where project_id = ${shop.project_id}`.execute(
    nodes[0]!.runtime.database.db,
  )
  let sent = 0
  const publish = async (body: object, query = '') => {
    const node = nodes[sent++ % 2] as Node
    for (;;) {
      const answer = await send(node.app, 'POST', `/v1/publications${query}`, body, shop.headers)
      if (answer.status !== 503) return answer as { status: number; body: Record<string, unknown> }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  return { shop, publish }
}

const codeOf = ({ body }: { body: Record<string, unknown> }) => (body.voucher as { code: string }).code

test('two nodes publish the vouchers of one campaign: each once, to known and new customers', async () => {
  const [sent, free] = [scaled(300, 40), scaled(200, 28)]
  const customersCount = scaled(40, 16)
  const { shop, publish } = await newShop(free)
  const answers = await Promise.all(
    Array.from({ length: sent }, (_, n) => publish({ campaign: 'Autumn', customer: `customer-${n % customersCount}` })),
  )
  const got = answers.filter(({ status }) => status === 200)
  expect(got).toHaveLength(free)
  expect(new Set(got.map(codeOf)).size).toBe(free)
  expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.key))).toEqual(
    new Set(['no_voucher_suitable_for_publication']),
  )
  const { body: summary } = await shop.call('GET', '/v1/campaigns/Autumn/summary')
  expect(summary).toMatchObject({ publications: sent, publications_succeeded: free })
  expect((await shop.call('GET', '/v1/customers')).body.total).toBe(customersCount)
  const { rows } = await sql<{ type: string; count: number }>`
    select type, count(*)::int as count from event_rows where project_id = ${shop.project_id}
      and type in ('customer.created', 'publication.succeeded', 'voucher.published', 'customer.publication.failed')
    group by type order by type`.execute(nodes[0]!.runtime.database.db)
  expect(Object.fromEntries(rows.map(({ type, count }) => [type, count]))).toEqual({
    'customer.created': customersCount,
    'customer.publication.failed': sent - free,
    'publication.succeeded': free,
    'voucher.published': free,
  })
})

test('a customer joins once over two nodes, new or not, and a source id is used once', async () => {
  const { shop, publish } = await newShop(60, { join_once: true })
  const customers = ['anna', 'bob', 'cleo', 'dora']
  await shop.call('POST', '/v1/customers', { source_id: 'anna' })
  const answers = await Promise.all(
    Array.from({ length: scaled(60, 24) }, (_, n) => {
      const customer = { source_id: customers[n % 4], ...(n % 3 === 0 ? { name: `Name ${n}` } : {}) }
      return publish({ campaign: 'Autumn', customer })
    }),
  )
  expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([])
  expect(new Set(answers.map(codeOf)).size).toBe(4)
  expect((await shop.call('GET', '/v1/publications')).body.total).toBe(4)

  const named = await Promise.all(
    Array.from({ length: scaled(30, 15) }, (_, n) =>
      publish({ campaign: 'Autumn', customer: `other-${n % 10}`, source_id: `mail-${n % 3}` }),
    ),
  )
  const accepted = named.filter(({ status }) => status === 200)
  expect(new Set(accepted.map(({ body }) => body.source_id)).size).toBe(3)
  expect(new Set(accepted.map(({ body }) => body.id)).size).toBe(3)
  expect((await shop.call('GET', '/v1/publications?result=SUCCESS')).body.total).toBe(7)
})
