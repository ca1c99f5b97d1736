import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Answer, newProject, type Shop } from '../../testing/app.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { scaled } from '../../testing/scale.ts'

const discount = { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 700 } }

async function newCampaign(shop: Shop, more: object = {}): Promise<string> {
  const { status, body } = await shop.call('POST', '/v1/campaigns', { name: 'Autumn', voucher: discount, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.id
}

/** Copies the only voucher of a campaign, so that `count` free ones exist. */
async function multiply(shop: Shop, count: number): Promise<void> {
  const { db } = shop.service.runtime.database
  const first = await shop.call('POST', '/v1/campaigns/Autumn/vouchers/C1', {})
  expect(first.status).toBe(200)
  await sql`
    insert into vouchers (project_id, id, code, code_key, type, campaign_id, terms_id, active, is_referral_code, asset_id, created_at)
    select project_id, left(id, 20) || lpad(n::text, 14, '0'), 'C' || n, 'C' || n, type, campaign_id, terms_id, active,
      is_referral_code, gen_random_uuid(), created_at
    from vouchers, generate_series(2, ${count}) as n where project_id = ${shop.project_id}`.execute(db)
}

/** Retries a request that the service rejects under load. */
async function publish(shop: Shop, body: object, query = ''): ReturnType<Shop['call']> {
  for (;;) {
    const answer = await shop.call('POST', `/v1/publications${query}`, body)
    if (answer.status !== 503) return answer
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
const atOnce = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))
const totalOf = async (shop: Shop, path: string): Promise<number> => (await shop.call('GET', path)).body.total
const unexpected = (answers: Answer[]) => answers.filter(({ status }) => status !== 200).map(({ body }) => body)

const many = scaled(100, 16)

test(`${many} concurrent publications to one new customer with join_once: all return the same voucher`, async () => {
  const shop = await newProject()
  await newCampaign(shop, { type: 'AUTO_UPDATE' })
  const request = { campaign: 'Autumn', customer: { source_id: 'anna' } }
  const answers = await atOnce(many, () => publish(shop, request, '?join_once=true'))
  expect(unexpected(answers)).toEqual([])
  expect(new Set(answers.map(({ body }) => `${body.id} ${body.voucher.code} ${body.customer_id}`)).size).toBe(1)
  expect(await totalOf(shop, '/v1/publications')).toBe(1)
  expect(await totalOf(shop, '/v1/customers')).toBe(1)
  expect(await totalOf(shop, '/v1/vouchers')).toBe(1)
  expect(await totalOf(shop, '/v1/customers/anna/activities?type=customer.created')).toBe(1)
  expect(await totalOf(shop, '/v1/customers/anna/activities?type=customer.publication.succeeded')).toBe(1)
})

const some = scaled(30, 12)

test.each(['', '?join_once=true'])(
  `${some} concurrent publications to one existing customer, join_once in campaign or query (%s): one voucher`,
  async (query) => {
    const shop = await newProject()
    await newCampaign(shop, { type: 'AUTO_UPDATE', join_once: query === '' })
    await shop.call('POST', '/v1/customers', { source_id: 'anna' })
    const answers = await atOnce(some, () => publish(shop, { campaign: 'Autumn', customer: 'anna' }, query))
    expect(unexpected(answers)).toEqual([])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await totalOf(shop, '/v1/vouchers')).toBe(1)
  },
)

test.each([1, 2])('a publication of %i waits for vouchers locked by a transaction that rolls back', async (count) => {
  const shop = await newProject()
  await newCampaign(shop)
  await multiply(shop, 2)
  const { db } = shop.service.runtime.database
  const held = Promise.withResolvers<number>()
  const givenBack = Promise.withResolvers<void>()
  const other = db
    .transaction()
    .execute(async (trx) => {
      const ids = trx.selectFrom('vouchers').where('project_id', '=', shop.project_id).select('id')
      await (count === 1 ? ids : ids.where('code', '=', 'C2')).forUpdate().execute()
      held.resolve(await backendOf(trx))
      await givenBack.promise
      throw new Error('undone')
    })
    .catch(() => {})
  const holder = await held.promise
  const answer = publish(shop, { campaign: { name: 'Autumn', count }, customer: 'anna' })
  await untilOthersWait(shop.service.runtime.database, holder)
  givenBack.resolve()
  await other
  expect(await answer).toMatchObject({ status: 200 })
})

const [sent, free] = [scaled(500, 40), scaled(300, 24)]

test(`${sent} concurrent publications from ${free} free vouchers: exactly ${free} succeed with different vouchers, the others are recorded as failures`, async () => {
  const shop = await newProject()
  await newCampaign(shop)
  await multiply(shop, free)
  const answers = await atOnce(sent, (n) => publish(shop, { campaign: 'Autumn', customer: `customer-${n}` }))
  const got = answers.filter(({ status }) => status === 200)
  expect(got).toHaveLength(free)
  expect(new Set(got.map(({ body }) => body.voucher.code)).size).toBe(free)
  expect(new Set(got.map(({ body }) => body.customer_id)).size).toBe(free)
  const refusals = unexpected(answers)
  expect(new Set(refusals.map(({ key }) => key))).toEqual(new Set(['no_voucher_suitable_for_publication']))
  expect(await totalOf(shop, '/v1/publications?result=SUCCESS')).toBe(free)
  expect(await totalOf(shop, '/v1/publications?result=FAILURE')).toBe(sent - free)
  expect(await totalOf(shop, '/v1/customers')).toBe(sent)
  const { body: summary } = await shop.call('GET', '/v1/campaigns/Autumn/summary')
  expect(summary).toMatchObject({ publications: sent, publications_succeeded: free, publications_failed: sent - free })
})

test('concurrent requests for several vouchers get all or nothing, and leave too few for another one', async () => {
  const shop = await newProject()
  await newCampaign(shop)
  const [sent, accepted] = [scaled(30, 10), scaled(14, 4)]
  await multiply(shop, 7 * accepted + 2)
  const campaign = { name: 'Autumn', count: 7 }
  const answers = await atOnce(sent, (n) => publish(shop, { campaign, customer: `customer-${n}` }))
  const got = answers.filter(({ status }) => status === 200)
  expect(got).toHaveLength(accepted)
  expect(new Set(got.flatMap(({ body }) => body.vouchers)).size).toBe(7 * accepted)
  expect(unexpected(answers).map(({ key }) => key)).toEqual(
    Array(sent - accepted).fill('no_voucher_suitable_for_publication'),
  )
  expect(await publish(shop, { campaign: { name: 'Autumn', count: 2 }, customer: 'last' })).toMatchObject({
    status: 200,
  })
})

test('concurrent publications use up all codes of a small auto-update campaign, existing or not', async () => {
  const shop = await newProject()
  const charset = 'ABC'.slice(0, scaled(3, 2))
  const possible = charset.length ** 3
  await newCampaign(shop, {
    type: 'AUTO_UPDATE',
    voucher: { ...discount, code_config: { charset, pattern: '##-#' } },
  })
  const answers = await atOnce(2 * possible, (n) => publish(shop, { campaign: 'Autumn', customer: `customer-${n}` }))
  const got = answers.filter(({ status }) => status === 200)
  expect(new Set(got.map(({ body }) => body.voucher.code)).size).toBe(possible)
  expect(got).toHaveLength(possible)
  expect(new Set(unexpected(answers).map(({ details }) => details))).toEqual(
    new Set(["Couldn't create new vouchers for publication"]),
  )
})

const few = scaled(20, 8)

test('one source id used concurrently: one publication for its customer, the other customers are refused as duplicates', async () => {
  const shop = await newProject()
  await newCampaign(shop, { type: 'AUTO_UPDATE' })
  const request = { campaign: 'Autumn', source_id: 'mail-77' }
  const same = await atOnce(few, () => publish(shop, { ...request, customer: { source_id: 'anna', name: 'Anna' } }))
  expect(unexpected(same)).toEqual([])
  expect(new Set(same.map(({ body }) => body.id)).size).toBe(1)
  expect(await totalOf(shop, '/v1/publications')).toBe(1)

  const others = await atOnce(few, (n) => publish(shop, { ...request, source_id: 'x', customer: `customer-${n}` }))
  const refusals = unexpected(others)
  expect(refusals.map(({ key }) => key)).toEqual(Array(few - 1).fill('duplicate_source_id'))
  expect(await totalOf(shop, '/v1/publications')).toBe(2)
  expect(await totalOf(shop, '/v1/vouchers')).toBe(2) // vouchers created by the refused requests are rolled back
  expect(await totalOf(shop, '/v1/customers')).toBe(2)
})

test('one given code published concurrently goes to one customer', async () => {
  const shop = await newProject()
  await shop.call('POST', '/v1/vouchers/ALONE', discount)
  const answers = await atOnce(few, (n) => publish(shop, { voucher: 'ALONE', customer: `customer-${n}` }))
  expect(unexpected(answers).map(({ key }) => key)).toEqual(Array(few - 1).fill('voucher_already_published'))
  expect((await shop.call('GET', '/v1/vouchers/ALONE')).body.publish.count).toBe(1)
  expect(await totalOf(shop, '/v1/publications?voucher=ALONE')).toBe(few)
})

test.each(['', '?force=true'])(
  'publications concurrent with the deletion of their campaign%s cause no internal error',
  async (query) => {
    const shop = await newProject()
    await newCampaign(shop, { type: 'AUTO_UPDATE' })
    await multiply(shop, 10)
    const half = scaled(20, 8)
    const answers = await atOnce(2 * half + 1, (n) => {
      if (n === half) return shop.call('DELETE', `/v1/campaigns/Autumn${query}`)
      return n % 4 === 0
        ? publish(shop, { voucher: `C${1 + (n % 10)}`, customer: `customer-${n}` })
        : publish(
            shop,
            { campaign: 'Autumn', customer: { source_id: `customer-${n % 7}`, name: `n${n}` } },
            '?join_once=true',
          )
    })
    expect(answers[half]?.status, JSON.stringify(answers[half]?.body)).toBeLessThan(300)
    for (const { status, body } of answers) expect([200, 202, 204, 400, 404], JSON.stringify(body)).toContain(status)
  },
)

test('publications concurrent with the erasure of their customer cause no internal error, and leave no data of the customer', async () => {
  const shop = await newProject()
  await newCampaign(shop, { type: 'AUTO_UPDATE' })
  const { body: anna } = await shop.call('POST', '/v1/customers', { source_id: 'anna' })
  const publishing = Array.from({ length: some }, (_, n) =>
    publish(shop, { campaign: 'Autumn', customer: { id: anna.id } }, n % 2 ? '?join_once=true' : ''),
  )
  await Promise.race(publishing) // so that the erasure comes between the first publication and the last
  const erasure = await shop.call('POST', `/v1/customers/${anna.id}/permanent-deletion`)
  expect(erasure.status, JSON.stringify(erasure.body)).toBe(200)
  const answers = await Promise.all(publishing)
  for (const { status, body } of answers) expect([200, 404], JSON.stringify(body)).toContain(status)
  const succeeded = answers.filter(({ status }) => status === 200)
  expect(succeeded.length).toBeGreaterThan(0)
  // Publications stay, without the customer, so that no other customer gets their vouchers.
  expect(await totalOf(shop, '/v1/publications')).toBe(new Set(succeeded.map(({ body }) => body.id)).size)
  const { db } = shop.service.runtime.database
  const left = sql`select from holders where project_id = ${shop.project_id} union all
    select from vouchers where project_id = ${shop.project_id} and holder_id is not null union all
    select from publications where project_id = ${shop.project_id} and customer_id is not null union all
    select from events where project_id = ${shop.project_id} and entity_id = ${anna.id}`
  expect((await left.execute(db)).rows).toEqual([])
})
