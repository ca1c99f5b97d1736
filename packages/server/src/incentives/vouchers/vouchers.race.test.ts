import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { getVoucher, newCampaign, newVoucher, runCampaignJobs, tenOff } from '../../testing/campaigns.ts'
import { scaled } from '../../testing/scale.ts'

const countBy = (statuses: number[]): Record<number, number> =>
  Object.fromEntries([...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]))

const many = scaled(50, 12)
/** Two of these are a code. */
const charset = '0123456789'.slice(0, scaled(10, 4))
const possible = charset.length ** 2

test(`of ${many} concurrent creations of one code, one succeeds`, async () => {
  const shop = await newProject({ project: { case_sensitive_codes: false } })
  const answers = await Promise.all(
    Array.from({ length: many }, (_, n) =>
      shop.call('POST', `/v1/vouchers/${n % 2 === 0 ? 'only-one' : 'ONLY-ONE'}`, { discount: tenOff }),
    ),
  )
  expect(countBy(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: many - 1 })
  expect((await shop.call('GET', '/v1/vouchers')).body.total).toBe(1)
})

test('codes drawn concurrently from a small set are all different, including the last free one', async () => {
  const shop = await newProject()
  const body = { type: 'DISCOUNT_VOUCHER', discount: tenOff, code_config: { charset, length: 2 } }
  const answers = await Promise.all(Array.from({ length: possible + 6 }, () => shop.call('POST', '/v1/vouchers', body)))
  expect(countBy(answers.map(({ status }) => status))).toEqual({ 200: possible, 400: 6 })
  const codes = answers.filter(({ status }) => status === 200).map(({ body }) => body.code)
  expect(new Set(codes).size).toBe(possible)
})

test('concurrent additions and subtractions on a gift card add up exactly', async () => {
  const shop = await newProject()
  const [count, covered] = [scaled(60, 24), scaled(20, 8)]
  const { id } = await newVoucher(shop, 'G', { type: 'GIFT_VOUCHER', gift: { amount: 50 * covered } })
  const amounts = Array.from({ length: count }, (_, n) => (n % 3 === 0 ? 7 : -50))
  const answers = await Promise.all(amounts.map((amount) => shop.call('POST', '/v1/vouchers/G/balance', { amount })))
  const taken = answers.flatMap(({ status }, n) => (status === 200 ? [amounts[n] as number] : []))
  for (const { status, body } of answers) if (status !== 200) expect(body.key).toBe('gift_amount_exceeded')
  const balance = 50 * covered + taken.reduce((sum, amount) => sum + amount, 0)
  expect(balance).toBeGreaterThanOrEqual(0)
  // The initial balance covers these subtractions in any order; whether one more is refused depends on the additions before it.
  expect(taken.filter((amount) => amount < 0).length).toBeGreaterThanOrEqual(covered)
  expect((await getVoucher(shop, 'G')).gift.balance).toBe(balance)
  const { db } = shop.service.runtime.database
  const postings = await db.selectFrom('postings').where('project_id', '=', shop.project_id).selectAll().execute()
  expect(postings.reduce((sum, { destination, amount }) => sum + (destination === id ? amount : -amount), 0)).toBe(
    balance,
  )
  const { data } = (await shop.call('GET', '/v1/vouchers/G/transactions?limit=100')).body
  expect(data).toHaveLength(taken.length)
})

test('concurrent additions never exceed the voucher limit of a campaign', async () => {
  const shop = await newProject()
  const max = scaled(20, 8)
  await shop.manage('PUT', '/limits', { campaign_vouchers: max })
  await newCampaign(shop, 'C')
  const answers = await Promise.all(
    Array.from({ length: 2 * max }, (_, n) =>
      shop.call('POST', `/v1/campaigns/C/vouchers?vouchers_count=${(n % 2) + 1}`),
    ),
  )
  await runCampaignJobs(shop)
  const { vouchers_count } = (await shop.call('GET', '/v1/campaigns/C')).body
  expect(vouchers_count).toBe(max)
  const promised = answers.map(({ status }) => (status === 200 ? 1 : status === 202 ? 2 : 0) as number)
  expect(promised.reduce((sum, count) => sum + count, 0)).toBe(max)
  for (const { status, body } of answers) if (status >= 400) expect(body.key).toBe('invalid_campaign')
})

test('of concurrent creations of a campaign of one name, one succeeds, with its vouchers', async () => {
  const shop = await newProject()
  const body = { name: 'One', vouchers_count: 1, voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff } }
  const answers = await Promise.all(Array.from({ length: many }, () => shop.call('POST', '/v1/campaigns', body)))
  expect(countBy(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: many - 1 })
  expect((await shop.call('GET', '/v1/vouchers')).body.total).toBe(1)
})

test('concurrent updates, additions and publications of one campaign, disabled and enabled, cause no internal error', async () => {
  const shop = await newProject()
  await newCampaign(shop, 'C', { type: 'AUTO_UPDATE' })
  const works = [
    (n: number) => shop.call('PUT', '/v1/campaigns/C', { metadata: { [`k${n}`]: n }, category: `cat ${n % 3}` }),
    () => shop.call('POST', '/v1/campaigns/C/vouchers'),
    (n: number) =>
      shop.call('POST', '/v1/publications', { campaign: 'C', customer: { source_id: `c${Math.floor(n / 5) % 5}` } }),
    () => shop.call('POST', '/v1/campaigns/C/disable'),
    () => shop.call('POST', '/v1/campaigns/C/enable'),
  ]
  const times = scaled(12, 5)
  const answers = await Promise.all([
    ...Array.from({ length: times * works.length }, (_, n) =>
      (works[n % works.length] as (n: number) => ReturnType<typeof shop.call>)(n),
    ),
    runCampaignJobs(shop).then(() => null),
  ])
  for (const answer of answers)
    if (answer !== null) expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  await runCampaignJobs(shop)
  const { body } = await shop.call('GET', '/v1/campaigns/C')
  expect(Object.keys(body.metadata)).toHaveLength(times)
  expect(body).toMatchObject({ creation_status: 'DONE' })
  expect((await shop.call('GET', '/v1/vouchers?campaign=C&limit=100')).body.vouchers).toHaveLength(body.vouchers_count)
})

test('vouchers created by concurrent publications are all counted, posted and in events, up to the last possible code', async () => {
  const shop = await newProject()
  const voucher = { type: 'GIFT_VOUCHER', gift: { amount: 100 }, code_config: { charset, length: 2 } }
  await newCampaign(shop, 'A', { type: 'AUTO_UPDATE', voucher })
  const free = scaled(15, 6)
  await newCampaign(shop, 'B', { vouchers_count: possible - free, voucher })
  await runCampaignJobs(shop)
  const answers = await Promise.all(
    Array.from({ length: 2 * free }, (_, n) =>
      shop.call('POST', '/v1/publications', { campaign: 'A', customer: { source_id: `c${n}` } }),
    ),
  )
  expect(countBy(answers.map(({ status }) => status))).toEqual({ 200: free, 400: free })
  const { db } = shop.service.runtime.database
  const { id, vouchers_count } = (await shop.call('GET', '/v1/campaigns/A')).body
  const codes = await db.selectFrom('vouchers').where('campaign_id', '=', id).select('id').execute()
  expect([codes.length, vouchers_count]).toEqual([free, free])
  const booked = await db
    .selectFrom('postings')
    .where(
      'voucher_id',
      'in',
      codes.map(({ id }) => id),
    )
    .select('amount')
    .execute()
  expect(booked.map(({ amount }) => amount)).toEqual(Array(free).fill(100))
})

test('a customer can be erased while the campaign of its card is deleted, in either order', async () => {
  const shop = await newProject()
  for (const n of [1, 2, 3]) {
    const voucher = { type: 'LOYALTY_CARD', loyalty_card: { points: 5 } }
    await newCampaign(shop, `L${n}`, { type: 'AUTO_UPDATE', voucher })
    const customer = { source_id: `c${n}`, name: 'Anna Secret' }
    await shop.call('POST', '/v1/publications', { campaign: `L${n}`, customer })
    const [erased, deleted] = await Promise.all([
      shop.call('POST', `/v1/customers/c${n}/permanent-deletion`),
      shop.call('DELETE', `/v1/campaigns/L${n}`),
    ])
    expect([erased.status, deleted.status]).toEqual([200, 202])
  }
  await runCampaignJobs(shop)
  expect((await shop.call('GET', '/v1/vouchers')).body.total).toBe(0)
  const { db } = shop.service.runtime.database
  const events = await db.selectFrom('events').where('project_id', '=', shop.project_id).select('data').execute()
  expect(events.filter(({ data }) => JSON.stringify(data).includes('Anna Secret'))).toEqual([])
})
