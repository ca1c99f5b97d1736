import { expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { type HeldCard, insertRow, newCardCampaign, newHeldCard } from '../../testing/member-rows.ts'

/** `[from, to, amount, expires_at, moment]`, where `card` stands for the card. */
type Move = [from: string, to: string, amount: number, expires_at: string | null, at: string]

async function post(shop: Shop, card: HeldCard, ...moves: Move[]): Promise<void> {
  for (const [from, to, amount, expiresAt, at] of moves)
    await insertRow(shop, 'postings', {
      voucher_id: card.id,
      id: newId('posting'),
      source: from === 'card' ? card.id : from,
      destination: to === 'card' ? card.id : to,
      amount,
      lot_id: from === 'pending' || to === 'pending' ? 'lopp_1' : `lopb_${expiresAt}`,
      expires_at: expiresAt,
      created_at: at,
    })
}

async function liability(shop: Shop, { id }: { id: string }, asOf?: string) {
  const query = asOf === undefined ? '' : `?as_of=${encodeURIComponent(asOf)}`
  const { status, body } = await shop.call('GET', `/v1/loyalties/${id}/liability${query}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  const { outstanding, expiring, non_expiring } = body
  const months: Array<{ month: string; amount: number }> = expiring
  expect(outstanding).toBe(months.reduce((sum, { amount }) => sum + amount, non_expiring))
  return body
}

/** 100 earned that expire in May, 300 in August and 1000 never; 150 spent in April, 30 of it refunded. */
const postedMoves: Move[] = [
  ['issued', 'card', 1000, null, '2031-01-01T10:00:00.000Z'],
  ['issued', 'card', 100, '2031-05-31', '2031-02-01T10:00:00.000Z'],
  ['issued', 'card', 300, '2031-08-31', '2031-03-01T10:00:00.000Z'],
  ['card', 'redeemed', 80, '2031-05-31', '2031-04-01T10:00:00.000Z'],
  ['card', 'redeemed', 70, '2031-08-31', '2031-04-01T10:00:00.000Z'],
  ['redeemed', 'card', 30, '2031-08-31', '2031-04-02T10:00:00.000Z'],
  ['card', 'expired', 20, '2031-05-31', '2031-06-05T00:00:00.000Z'], // four days late
]

const atDays: Array<[as_of: string, expiring: Record<string, number>, non_expiring: number]> = [
  ['2030-12-31', {}, 0],
  ['2031-01-01T09:59:59.999Z', {}, 0],
  ['2031-01-01T10:00:00Z', {}, 1000],
  ['2031-01-01', {}, 1000], // until the end of the day
  ['2031-03-31', { '2031-05': 100, '2031-08': 300 }, 1000],
  ['2031-04-01', { '2031-05': 20, '2031-08': 230 }, 1000],
  ['2031-04-02', { '2031-05': 20, '2031-08': 260 }, 1000],
  ['2031-05-31', { '2031-05': 20, '2031-08': 260 }, 1000],
  ['2031-06-01T00:00:00Z', { '2031-08': 260 }, 1000], // expired, although the daily job had not closed it yet
  ['2031-06-30', { '2031-08': 260 }, 1000],
  ['2031-09-01', {}, 1000],
  ['9999-12-31', {}, 1000],
  ['0001-01-01', {}, 0],
]

test.each(atDays)('as of %s: %o expiring and %i never expiring', async (asOf, expiring, nonExpiring) => {
  const { shop, program } = await sharedProgram()
  const body = await liability(shop, program, asOf)
  expect(
    Object.fromEntries(body.expiring.map((each: { month: string; amount: number }) => [each.month, each.amount])),
  ).toEqual(expiring)
  expect(body).toMatchObject({ non_expiring: nonExpiring, pending: 0 })
})

/** Shared by all tests that only read. */
const sharedProgram = () => (cachedProgram ??= newProgramWithPostings())
let cachedProgram: ReturnType<typeof newProgramWithPostings> | undefined

async function newProgramWithPostings() {
  const shop = await newProject()
  const program = await newCardCampaign(shop)
  const card = await newHeldCard(shop, program)
  await post(shop, card, ...postedMoves)
  return { shop, program, card }
}

test('cards add up by month, without those of other programs', async () => {
  const shop = await newProject()
  const [program, other] = [await newCardCampaign(shop), await newCardCampaign(shop)]
  const [first, second, empty] = [
    await newHeldCard(shop, program),
    await newHeldCard(shop, program),
    await newHeldCard(shop, program),
  ]
  const at = '2031-01-01T10:00:00.000Z'
  await post(shop, first, ['issued', 'card', 10, '2031-05-15', at], ['issued', 'card', 5, '2031-05-31', at])
  await post(shop, second, ['issued', 'card', 7, '2031-05-20', at], ['issued', 'card', 2, '2032-01-31', at])
  await post(shop, empty, ['issued', 'card', 9, null, at], ['card', 'subtracted', 9, null, at])
  await post(shop, await newHeldCard(shop, other), ['issued', 'card', 1_000, null, at])
  expect(await liability(shop, program, '2031-02-01T00:00:00+02:00')).toEqual({
    object: 'liability',
    campaign: { id: program.id, name: program.name, object: 'campaign' },
    as_of: '2031-01-31T22:00:00.000Z',
    asset: 'points',
    outstanding: 24,
    pending: 0,
    expiring: [
      { month: '2031-05', amount: 22 },
      { month: '2032-01', amount: 2 },
    ],
    non_expiring: 0,
    cards: 3,
  })
})

test('pending points are reported separately until activated or canceled', async () => {
  const shop = await newProject()
  const program = await newCardCampaign(shop)
  const card = await newHeldCard(shop, program)
  const [created, activated, canceled] = [1, 2, 3].map((day) => `2031-01-0${day}T10:00:00.000Z`) as [
    string,
    string,
    string,
  ]
  await post(
    shop,
    card,
    ['issued', 'pending', 50, '2031-01-02', created], // with the day of activation
    ['issued', 'pending', 20, '2031-01-01', created],
    ['pending', 'issued', 50, '2031-01-02', activated],
    ['issued', 'card', 50, '2031-12-31', activated],
    ['pending', 'issued', 20, '2031-01-01', canceled],
  )
  expect(await liability(shop, program, created)).toMatchObject({ outstanding: 0, pending: 70 })
  expect(await liability(shop, program, activated)).toMatchObject({ outstanding: 50, pending: 20 })
  expect(await liability(shop, program, canceled)).toMatchObject({ outstanding: 50, pending: 0 })
})

test('a day ends in the time zone of the project', async () => {
  const shop = await newProject({ project: { timezone: 'Pacific/Auckland' } })
  const program = await newCardCampaign(shop)
  const card = await newHeldCard(shop, program)
  // In Auckland it is one in the morning of the second of June.
  await post(shop, card, ['issued', 'card', 10, '2031-06-02', '2031-06-01T13:00:00.000Z'])
  expect(await liability(shop, program, '2031-06-01')).toMatchObject({
    as_of: '2031-06-01T11:59:59.999Z',
    outstanding: 0,
  })
  expect(await liability(shop, program, '2031-06-02')).toMatchObject({
    as_of: '2031-06-02T11:59:59.999Z',
    outstanding: 10,
  })
  expect(await liability(shop, program, '2031-06-02T12:00:00Z')).toMatchObject({ outstanding: 0 })
})

test('gift cards count when sold, spent and deleted', async () => {
  const shop = await newProject()
  const campaign = await newCardCampaign(shop, { type: 'GIFT_VOUCHER', gift: { amount: 2_500 } })
  const [first, second] = [await newHeldCard(shop, campaign), await newHeldCard(shop, campaign)]
  await shop.call('POST', `/v1/vouchers/${first.code}/balance`, { amount: -700 })
  const before = await liability(shop, campaign)
  expect(before).toMatchObject({ asset: 'credits', outstanding: 4_300, non_expiring: 4_300, expiring: [], cards: 2 })
  shop.service.clock.advance(60_000)
  await shop.call('DELETE', `/v1/vouchers/${second.code}`)
  expect(await liability(shop, campaign)).toMatchObject({ outstanding: 1_800, cards: 1 })
  expect(await liability(shop, campaign, before.as_of)).toEqual(before)
})

test('invalid requests are refused', async () => {
  const { shop, program } = await sharedProgram()
  for (const asOf of ['yesterday', '2031-13-01', '2031-02-30', ''])
    expect(await shop.call('GET', `/v1/loyalties/${program.id}/liability?as_of=${asOf}`), asOf).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params' },
    })
  const coupons = await newCampaign(shop, 'Coupons')
  for (const key of ['nowhere', coupons.id])
    expect(await shop.call('GET', `/v1/loyalties/${key}/liability`)).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_type: 'campaign' },
    })
})
