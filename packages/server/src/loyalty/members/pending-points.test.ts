import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { insertPending, newCardCampaign, newHeldCard } from '../../testing/member-rows.ts'
import { expectStablePaging } from '../../testing/paging.ts'

async function twoCards() {
  const shop = await newProject()
  const [program, other] = [await newCardCampaign(shop), await newCardCampaign(shop)]
  const [card, neighbour] = [await newHeldCard(shop, program), await newHeldCard(shop, program)]
  const paths = {
    program: `/v1/loyalties/${program.id}/pending-points`,
    both: `/v1/loyalties/${program.id}/members/${card.code}/pending-points`,
    member: `/v1/loyalties/members/${card.code}/pending-points`,
  }
  return { shop, program, other, card, neighbour, paths }
}

const idsOf = (body: { data: Array<{ id: string }> }) => body.data.map(({ id }) => id)

test('an entry is returned without its status', async () => {
  const { shop, card, paths } = await twoCards()
  const id = await insertPending(shop, card, { points: 25, updated_at: '2031-05-11T09:00:00.000Z' })
  const { body } = await shop.call('GET', paths.member)
  expect(body).toEqual({ object: 'list', data_ref: 'data', data: [expect.anything()], has_more: false })
  const [{ details, ...entry }] = body.data
  expect(entry).toEqual({
    id,
    voucher_id: card.id,
    campaign_id: card.campaign_id,
    customer_id: card.customer_id,
    order_id: 'ord_1',
    points: 25,
    activates_at: '2031-05-20',
    created_at: '2031-05-10T09:00:00.000Z',
    updated_at: '2031-05-11T09:00:00.000Z',
  })
  expect(details).toMatchObject({
    event: { type: 'customer.order.paid', category: 'EFFECT', event_source: { channel: 'API' } },
    earning_rule: { id: 'ern_1', source: {} },
    order: { id: 'ord_1', source_id: null },
  })
})

test('lists only pending entries, of a card or a program, by the day they activate', async () => {
  const { shop, other, card, neighbour, paths } = await twoCards()
  const later = await insertPending(shop, card, { activates_at: '2031-06-30' })
  const sooner = await insertPending(shop, card, { activates_at: '2031-06-01' })
  const between = await insertPending(shop, neighbour, { activates_at: '2031-06-15' })
  for (const status of ['ACTIVATED', 'CANCELED']) await insertPending(shop, card, { status })
  await insertPending(shop, await newHeldCard(shop, other))
  expect(idsOf((await shop.call('GET', paths.member)).body)).toEqual([later, sooner])
  expect(idsOf((await shop.call('GET', paths.both)).body)).toEqual([later, sooner])
  expect(idsOf((await shop.call('GET', paths.program)).body)).toEqual([later, between, sooner])
  expect(idsOf((await shop.call('GET', `${paths.program}?order=id`)).body)).toEqual([sooner, between, later])
  // The id of the card works, too.
  expect(idsOf((await shop.call('GET', `/v1/loyalties/members/${card.id}/pending-points`)).body)).toHaveLength(2)
})

test('example 24: five entries, two at a time', async () => {
  const { shop, card, paths } = await twoCards()
  for (let day = 1; day <= 5; day += 1) await insertPending(shop, card, { activates_at: `2031-06-0${day}` })
  let after = ''
  const pages = []
  for (let page = 0; page < 3; page += 1) {
    const { body } = await shop.call('GET', `${paths.member}?limit=2${after}`)
    pages.push([body.data.map(({ activates_at }: { activates_at: string }) => activates_at.at(-1)), body.has_more])
    expect(body.more_starting_after).toBe(body.has_more ? body.data.at(-1).id : undefined)
    after = `&starting_after_id=${body.more_starting_after}`
  }
  expect(pages).toEqual([
    [['5', '4'], true],
    [['3', '2'], true],
    [['1'], false],
  ])
})

test('a page can continue after an entry activated since', async () => {
  const { shop, card, paths } = await twoCards()
  const sooner = await insertPending(shop, card, { activates_at: '2031-06-01' })
  const gone = await insertPending(shop, card, { activates_at: '2031-06-02', status: 'ACTIVATED' })
  expect(idsOf((await shop.call('GET', `${paths.member}?starting_after_id=${gone}`)).body)).toEqual([sooner])
})

test.each<[of: 'program' | 'both' | 'member']>([['program'], ['both'], ['member']])(
  'pages are stable while entries are added, %s',
  async (of) => {
    const { shop, card, paths } = await twoCards()
    await expectStablePaging({
      shop,
      path: paths[of],
      orders: ['-id', 'id'],
      data_ref: 'data',
      create: (n) => insertPending(shop, card, { activates_at: `2031-0${1 + (n % 9)}-01` }),
    })
  },
)

test('returns 404 for unknown cards, campaigns of another type and other vouchers', async () => {
  const { shop, other, card } = await twoCards()
  const coupons = await shop.call('POST', '/v1/campaigns', {
    name: 'Coupons',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 100 } },
  })
  await shop.call('POST', '/v1/vouchers/GIFT', { type: 'GIFT_VOUCHER', gift: { amount: 100 } })
  const cases: Array<[path: string, type: string]> = [
    ['/v1/loyalties/nowhere/pending-points', 'campaign'],
    [`/v1/loyalties/${coupons.body.id}/pending-points`, 'campaign'],
    [`/v1/loyalties/${coupons.body.id}/members/${card.code}/pending-points`, 'campaign'],
    [`/v1/loyalties/${other.id}/members/${card.code}/pending-points`, 'voucher'],
    ['/v1/loyalties/members/unknown/pending-points', 'voucher'],
    ['/v1/loyalties/members/GIFT/pending-points', 'voucher'],
  ]
  for (const [path, resourceType] of cases)
    expect(await shop.call('GET', path), path).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_type: resourceType },
    })
})
