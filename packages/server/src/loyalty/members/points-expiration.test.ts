import { expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { followExport, readExport, workOnExports } from '../../testing/exports.ts'
import { type HeldCard, insertRow, newCardCampaign, newHeldCard } from '../../testing/member-rows.ts'
import { expectStablePaging } from '../../testing/paging.ts'

const createdAt = '2031-02-01T08:00:00.000Z'

async function insertLot(shop: Shop, card: HeldCard, row: Record<string, unknown>): Promise<string> {
  const id = newId('points_bucket')
  await insertRow(shop, 'lots', { id, voucher_id: card.id, points: 10, created_at: createdAt, ...row })
  return id
}

const pathOf = (card: HeldCard) => `/v1/loyalties/${card.campaign_id}/members/${card.code}/points-expiration`

test('lists open buckets, the next to expire first and the one that never expires last, including empty ones', async () => {
  const shop = await newProject()
  const program = await newCardCampaign(shop)
  const card = await newHeldCard(shop, program)
  await insertLot(shop, await newHeldCard(shop, program), { expires_at: '2031-01-01' })
  const never = await insertLot(shop, card, { points: 400 })
  const later = await insertLot(shop, card, { points: 0, expires_at: '2031-12-31' })
  const sooner = await insertLot(shop, card, {
    points: 90,
    expires_at: '2031-09-30',
    updated_at: '2031-06-03T10:15:00.000Z',
  })
  await insertLot(shop, card, { points: 0, expired_points: 30, expires_at: '2031-03-31' })
  await insertLot(shop, card, { points: 0, expired_points: 0, expires_at: '2031-04-30' })
  const bucket = {
    voucher_id: card.id,
    campaign_id: program.id,
    status: 'ACTIVE',
    created_at: createdAt,
    object: 'loyalty_points_bucket',
  }
  expect((await shop.call('GET', pathOf(card))).body).toEqual({
    object: 'list',
    data_ref: 'data',
    data: [
      {
        ...bucket,
        id: sooner,
        bucket: { total_points: 90 },
        expires_at: '2031-09-30',
        updated_at: '2031-06-03T10:15:00.000Z',
      },
      { ...bucket, id: later, bucket: { total_points: 0 }, expires_at: '2031-12-31' },
      { ...bucket, id: never, bucket: { total_points: 400 } },
    ],
    total: 3,
  })
  const second = (await shop.call('GET', `${pathOf(card)}?limit=1&page=2`)).body
  expect(second).toMatchObject({ data: [{ id: later }], total: 3 })
})

test('pages are stable while buckets are added', async () => {
  const shop = await newProject()
  const card = await newHeldCard(shop, await newCardCampaign(shop))
  const dayOf = (n: number) => new Date(Date.UTC(2031, 0, (n * 7) % 53)).toISOString().slice(0, 10)
  await expectStablePaging({
    shop,
    path: pathOf(card),
    orders: ['expires_at', '-expires_at'],
    data_ref: 'data',
    create: (n) => insertLot(shop, card, n === 3 ? {} : { expires_at: dayOf(n) }),
  })
})

test('returns 404 for a card of another program', async () => {
  const shop = await newProject()
  const [program, other] = [await newCardCampaign(shop), await newCardCampaign(shop)]
  const card = await newHeldCard(shop, program)
  expect(await shop.call('GET', pathOf({ ...card, campaign_id: other.id }))).toMatchObject({
    status: 404,
    body: { resource_type: 'voucher' },
  })
})

async function exportOf(shop: Shop, campaignId: string, body?: object) {
  const answer = await shop.call('POST', `/v1/loyalties/${campaignId}/points-expiration/export`, body)
  expect(answer).toMatchObject({ status: 200 })
  await workOnExports(shop)
  const done = await readExport(shop, answer.body.id)
  expect(done).toEqual({ ...answer.body, status: 'DONE', result: expect.anything() })
  return { answer: answer.body, csv: (await followExport(shop, done.result?.url ?? '')).body }
}

test('the export returns its parameters, and is limited to the program', async () => {
  const shop = await newProject()
  const [program, other] = [await newCardCampaign(shop), await newCardCampaign(shop)]
  const [card, foreign] = [await newHeldCard(shop, program), await newHeldCard(shop, other)]
  await insertLot(shop, card, { points: 5, expires_at: '2031-09-30' })
  await insertLot(shop, card, { points: 0, expired_points: 30, expires_at: '2031-03-31' })
  await insertLot(shop, card, { points: 7 })
  await insertLot(shop, foreign, { points: 1, expires_at: '2031-05-31' })

  const plain = await exportOf(shop, program.id)
  expect(plain.answer).toEqual({
    id: expect.stringMatching(/^exp_/),
    object: 'export',
    created_at: expect.anything(),
    status: 'SCHEDULED',
    channel: 'API',
    exported_object: 'points_expiration',
    parameters: {},
    result: null,
    user_id: null,
  })
  const [header, ...rows] = plain.csv.trimEnd().split('\n')
  expect(header).toBe('ID,Campaign ID,Voucher ID,Status,Expires At,Points')
  expect(rows.map((row) => row.split(',').slice(1).join(','))).toEqual([
    `${program.id},${card.id},ACTIVE,2031-09-30,5`,
    `${program.id},${card.id},EXPIRED,2031-03-31,30`,
    `${program.id},${card.id},ACTIVE,,7`,
  ])

  const parameters = {
    order: 'expires_at',
    fields: ['status', 'points'],
    filters: { junction: 'or', voucher_id: { conditions: { $in: [card.id, foreign.id] } } },
  }
  const chosen = await exportOf(shop, program.id, { parameters })
  expect(chosen.answer.parameters).toEqual(parameters)
  expect(chosen.csv).toBe('Status,Points\nEXPIRED,30\nACTIVE,5\nACTIVE,7\n')

  const elsewhere = { filters: { campaign_id: { conditions: { $is: other.id } } }, fields: ['points'] }
  const none = await exportOf(shop, program.id, { parameters: elsewhere })
  expect([none.answer.parameters, none.csv]).toEqual([elsewhere, 'Points\n'])
})

test.each<[parameters: object, key: string]>([
  [{ fields: ['balance'] }, 'invalid_export_fields'],
  [{ order: 'created_at' }, 'invalid_payload'],
  [{ filters: { points: { conditions: { $is: 1 } } } }, 'invalid_payload'],
])('an export of %o is refused', async (parameters, key) => {
  const shop = await newProject()
  const { id } = await newCardCampaign(shop)
  expect(await shop.call('POST', `/v1/loyalties/${id}/points-expiration/export`, { parameters })).toMatchObject({
    status: 400,
    body: { key },
  })
})
