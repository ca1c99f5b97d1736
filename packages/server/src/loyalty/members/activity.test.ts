import { expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { type HeldCard, insertRow, newCardCampaign, newHeldCard } from '../../testing/member-rows.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { activityTypes } from './activity-types.ts'

async function insertEvent(shop: Shop, entityId: string, type: string, data: object): Promise<string> {
  const id = newId('customer_event')
  await insertRow(shop, 'event_rows', {
    id,
    type,
    category: 'EFFECT',
    entity_id: entityId,
    created_at: '2031-05-01T12:00:00.000Z',
    group_id: 'v-7',
    event_source: { channel: 'INTERNAL' },
    campaign_id: (data as { campaign?: { id: string } }).campaign?.id ?? null,
    voucher_id: (data as { voucher?: { id: string } }).voucher?.id ?? null,
    data,
  })
  return id
}

const added = 'customer.voucher.loyalty_card.points_added'
const about = ({ id, campaign_id }: HeldCard) => ({ campaign: { id: campaign_id }, voucher: { id } })

async function aMember() {
  const shop = await newProject()
  const program = await newCardCampaign(shop)
  const card = await newHeldCard(shop, program)
  const paths = [
    `/v1/loyalties/members/${card.code}/activity`,
    `/v1/loyalties/${program.id}/members/${card.id}/activity`,
  ] as const
  return { shop, program, card, paths }
}

test('lists events of the card and of its holder in the program, the newest first', async () => {
  const { shop, card, paths } = await aMember()
  const elsewhere = await newHeldCard(shop, await newCardCampaign(shop))
  const { customer_id } = card
  const data = { ...about(card), balance: { points: 5 } }
  const mine = [
    await insertEvent(shop, customer_id, added, data),
    await insertEvent(shop, customer_id, 'customer.loyalty.tier.joined', { campaign: { id: card.campaign_id } }),
    await insertEvent(shop, customer_id, 'customer.voucher.deleted', { voucher: { id: card.id }, campaign: null }),
  ]
  await insertEvent(shop, customer_id, added, about(elsewhere)) // another program of the same customer
  await insertEvent(shop, elsewhere.customer_id, added, about(card)) // another customer
  await insertEvent(shop, customer_id, 'customer.loyalty.updated', data) // not a type of this list
  await insertEvent(shop, card.id, 'voucher.loyalty_card.points_added', data)
  for (const path of paths) {
    const { body } = await shop.call('GET', path)
    expect(body).toMatchObject({ object: 'list', data_ref: 'data', has_more: false })
    const older = (await shop.call('GET', path.replace(/y$/, 'ies'))).body
    expect(older).toEqual({
      ...{ object: 'list', data_ref: 'activities', total: body.data.length, has_more: false },
      activities: body.data.map((activity: object) => ({ ...activity, object: 'event' })),
    })
    expect(body.data.map(({ id }: { id: string }) => id).slice(0, 3)).toEqual(mine.toReversed())
    expect(body.data.slice(3).map(({ type }: { type: string }) => type)).toEqual(['customer.publication.succeeded'])
    expect(body.data[2]).toEqual({
      id: mine[0],
      type: added,
      data: { data, event_source: { channel: 'INTERNAL' } },
      created_at: '2031-05-01T12:00:00.000Z',
      group_id: 'v-7',
    })
  }
})

test('every type of the list is emitted, and no other', async () => {
  const { shop, card, paths } = await aMember()
  for (const type of activityTypes) await insertEvent(shop, card.customer_id, type, about(card))
  const { body } = await shop.call('GET', `${paths[0]}?order=created_at&limit=100`)
  expect(body.data.slice(1).map(({ type }: { type: string }) => type)).toEqual(activityTypes)
  expect(activityTypes).toHaveLength(6 + 2 + 4 + 2 + 4 + 1 + 7)
})

test('pages are stable while events are added', async () => {
  const { shop, card, paths } = await aMember()
  for (const path of paths)
    await expectStablePaging({
      shop,
      path,
      orders: ['-created_at', 'created_at'],
      data_ref: 'data',
      create: () => insertEvent(shop, card.customer_id, added, about(card)),
    })
})

test('a card without a holder has no activity', async () => {
  const shop = await newProject()
  const { id } = await newCardCampaign(shop)
  await shop.call('POST', `/v1/campaigns/${id}/vouchers/FREE`, {})
  expect(await shop.call('GET', '/v1/loyalties/members/FREE/activity')).toMatchObject({
    status: 200,
    body: { data: [], has_more: false },
  })
  expect(await shop.call('GET', '/v1/loyalties/members/unknown/activity')).toMatchObject({ status: 404 })
})
