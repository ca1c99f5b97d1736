import { expect, test } from 'vitest'
import type { Project } from '../../core/db/project-row.ts'
import { folderWith } from '../../testing/account-server.ts'
import { newProject } from '../../testing/app.ts'
import type { DownloadState, ListCheckpoint } from './folder.ts'
import { type ImportReport, reportText } from './report.ts'
import { writeAccount } from './write.ts'

const at = '2025-03-01T10:00:00.000Z'
const discount = { type: 'PERCENT', percent_off: 10 }
const campaign = (id: string, more: object = {}) => ({
  id,
  name: id,
  campaign_type: 'DISCOUNT_COUPONS',
  type: 'STATIC',
  voucher: { type: 'DISCOUNT_VOUCHER', discount },
  created_at: at,
  ...more,
})
const code = (text: string, more: object = {}) => ({
  id: `v_${text}aaaa`,
  code: text,
  type: 'DISCOUNT_VOUCHER',
  discount,
  active: true,
  redemption: {},
  created_at: at,
  ...more,
})

interface Bucket {
  expires_at?: string
  bucket: { total_points: number }
}

/** Writes a made-up account into a new project. */
async function written(lists: Record<string, object[]>) {
  const shop = await newProject()
  const { runtime } = shop.service
  const project = (await runtime.credentials.project(shop.project_id)) as Project
  const folder = await folderWith(lists)
  const write = () => writeAccount({ runtime, project, folder, onProgress: () => {} })
  return { shop, folder, write, report: await write() }
}

const reasons = (report: ImportReport, kind: string, of: 'left_out' | 'changed' = 'left_out') =>
  Object.fromEntries(Object.entries(report[kind]?.[of] ?? {}).map(([reason, { count }]) => [reason, count]))

test('what cannot be read is left out with its reason, and the rest is written', async () => {
  const { shop, report } = await written({
    campaigns: [
      campaign('camp_good'),
      campaign('camp_kind', { campaign_type: 'LUCKY_DRAW' }),
      campaign('camp_discount', { voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'BARTER' } } }),
      campaign('camp_date', { start_date: 'soon' }),
      campaign('camp_same', { name: 'camp_good' }),
      campaign('camp_new_field', { galaxy: { far: true } }),
    ],
    vouchers: [
      code('GOOD', { campaign_id: 'camp_good', quark: 1 }),
      code('KIND', { type: 'BITCOIN' }),
      code('LOST', { campaign_id: 'camp_kind' }),
      code('NUL', { additional_info: 'a\u0000b' }),
      code('HUGE', { additional_info: 'x'.repeat(2_000_000) }),
      code('MANY', { redemption: { quantity: 1.5 } }),
      code('NEGATIVE', { type: 'GIFT_VOUCHER', gift: { amount: 10, balance: -5 } }),
      code('HALF', { metadata: { text: '\ud800' } }),
    ],
  })
  expect(report.campaigns).toMatchObject({ read: 6, written: 2 })
  expect(reasons(report, 'campaigns')).toEqual({
    'Property .campaign_type has the unknown value "LUCKY_DRAW"': 1,
    'Property .voucher.discount.type must be equal to one of the allowed values [ AMOUNT, PERCENT, FIXED, UNIT ]': 1,
    'Property .start_date is no date': 1,
    'another object has the same name, code or source id': 1,
  })
  expect(report.vouchers).toMatchObject({ read: 8, written: 1 })
  expect(reasons(report, 'vouchers')).toMatchObject({
    'Property .type has the unknown value "BITCOIN"': 1,
    'its campaign was not carried over': 1,
    'the object is larger than 1 MiB': 1,
    'Property .quantity is no integer': 1,
    'Property .balance is negative': 1,
  })
  expect(reasons(report, 'vouchers', 'changed')).toEqual({ 'the field "quark" is not known here, and was dropped': 1 })
  expect((await shop.call('GET', '/v1/vouchers/GOOD')).body).toMatchObject({
    id: 'v_GOODaaaa',
    campaign: 'camp_good',
    created_at: at,
  })
  expect(reportText(report)).toContain('vouchers: 1 × its campaign was not carried over (v_LOSTaaaa)')
})

test('definitions are checked as our own operations check them', async () => {
  const { shop, report } = await written({
    'event-schemas': [
      { id: 'ms_good', name: 'good', schema: { properties: { plan: { type: 'string', optional: true } } } },
      { id: 'ms_none', name: 'none' },
      { id: 'ms_kind', name: 'kind', schema: { properties: { plan: { type: 'galaxy', optional: true } } } },
    ],
    'metadata-schemas': [{ id: 'ms_null', related_object: 'order', properties: { plan: null } }],
    collections: [
      {
        id: 'pc_good',
        name: 'good',
        type: 'AUTO_UPDATE',
        filter: { junction: 'and', name: { conditions: { $is: ['a'] } } },
      },
      { id: 'pc_none', name: 'none', type: 'AUTO_UPDATE' },
      {
        id: 'pc_kind',
        name: 'kind',
        type: 'AUTO_UPDATE',
        filter: { junction: 'and', name: { conditions: { $eval: 1 } } },
      },
      { id: 'pc_list', name: 'list', type: 'STATIC', filter: { junction: 1 } },
    ],
  })
  expect(report['event-schemas']).toMatchObject({ read: 3, written: 1 })
  expect(report['metadata-schemas']).toMatchObject({ read: 1, written: 0 })
  expect(report.collections).toMatchObject({ read: 4, written: 2 })
  // An account without a list of members means none.
  expect((await shop.call('GET', '/v1/product-collections/pc_list/products')).body).toMatchObject({ total: 0 })
  const sent = { event: 'none', customer: { source_id: 'anna' }, metadata: { plan: 'x' } }
  expect((await shop.call('POST', '/v1/events', sent)).status).toBeLessThan(500)
})

test('a text that no query can contain, and mappings of any form, leave their object out and nothing else', async () => {
  const program = campaign('camp_program', {
    campaign_type: 'LOYALTY_PROGRAM',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 1 }, redemption: {} },
  })
  const tier = (id: string, more: object = {}) => ({
    id,
    name: id,
    parent_id: program.id,
    points: { from: 1 },
    ...more,
  })
  const rule = (id: string, event: string) => ({
    id,
    parent_id: program.id,
    event,
    loyalty: { type: 'FIXED', points: 1 },
  })
  const { report } = await written({
    campaigns: [program],
    'loyalty-tiers': [
      tier('ltr_good', {
        points: { from: 1, to: 9 },
        earning_rules: { ern_good: { type: 'MULTIPLY', multiplier: 2 } },
      }),
      tier('ltr_null', { earning_rules: { ern_good: null } }),
      tier('ltr_kind', { rewards: { rew_good: { type: 'EXPLODE' } } }),
    ],
    'earning-rules': [rule('ern_good', 'order.paid'), rule('ern_null', 'custom\u0000event')],
    'points-expirations': [{ id: 'lopb_1111', voucher_id: 'v_none', status: 'ACTIVE', points: '1', expires_at: {} }],
  })
  expect(report['loyalty-tiers']).toMatchObject({ read: 3, written: 1 })
  expect(report['earning-rules']).toMatchObject({ read: 2, written: 1 })
  expect(reasons(report, 'points-expirations')).toEqual({ 'Property .expires_at is no text': 1 })
})

test('repeated ids and codes are written once', async () => {
  const { shop, report } = await written({
    vouchers: [code('ONE'), code('ONE'), code('TWO'), code('TWO', { id: 'v_otherother' })],
    customers: [
      { id: 'cust_1111', source_id: 'anna', created_at: at },
      { id: 'cust_2222', source_id: 'anna', created_at: at },
    ],
  })
  expect((await shop.call('GET', '/v1/vouchers?limit=1')).body.total).toBe(2)
  expect((await shop.call('GET', '/v1/customers?limit=1')).body.total).toBe(1)
  expect(reasons(report, 'vouchers')).toEqual({ 'another object has the same name, code or source id': 1 })
  expect(report.vouchers).toMatchObject({ read: 4, written: 3 })
})

test('references that lead nowhere are dropped or leave the object out', async () => {
  const { shop, report } = await written({
    vouchers: [code('HELD', { holder_id: 'cust_nobody' })],
    rules: [{ id: 'val_1111', name: 'A rule', rules: {}, created_at: at }],
    'rule-assignments': [
      {
        id: 'asgm_1111',
        rule_id: 'val_1111',
        related_object_type: 'campaign',
        related_object_id: 'camp_none',
        created_at: at,
      },
      {
        id: 'asgm_2222',
        rule_id: 'val_none',
        related_object_type: 'voucher',
        related_object_id: 'v_HELDaaaa',
        created_at: at,
      },
      { id: 'asgm_3333', rule_id: 'val_1111', related_object_type: 'galaxy', related_object_id: 'x', created_at: at },
    ],
    'promotion-tiers': [
      { id: 'promo_1111', name: 'T', campaign_id: 'camp_none', action: { discount }, created_at: at },
    ],
    skus: [{ id: 'sku_1111', sku: 'S', parent_id: 'prod_none', created_at: at }],
    publications: [
      { id: 'pub_1111', customer_id: 'cust_nobody', vouchers_id: ['v_HELDaaaa'], result: 'SUCCESS', created_at: at },
    ],
    transactions: [{ id: 'vtx_1111', voucher_id: 'v_none', type: 'CREDITS_ADDITION', details: {}, created_at: at }],
  })
  expect(reasons(report, 'vouchers', 'changed')).toEqual({
    'its holder_id is no customer of the copy, and was dropped': 1,
  })
  expect(reasons(report, 'rule-assignments')).toEqual({
    'its campaign was not carried over': 1,
    'its rule was not carried over': 1,
    'Property .related_object_type has the unknown value "galaxy"': 1,
  })
  for (const kind of ['promotion-tiers', 'skus', 'transactions'])
    expect([kind, report[kind]?.written]).toEqual([kind, 0])
  expect((await shop.call('GET', '/v1/vouchers/HELD')).body.holder_id).toBeUndefined()
})

test('a transaction refers to the one it follows from, also where both have ids that are not ours', async () => {
  const cards = campaign('camp_cards', {
    campaign_type: 'GIFT_VOUCHERS',
    voucher: { type: 'GIFT_VOUCHER', gift: { amount: 100 }, redemption: {} },
  })
  const card = { campaign_id: cards.id, type: 'GIFT_VOUCHER', discount: undefined, gift: { amount: 100, balance: 100 } }
  const moved = (id: string, amount: number, day: string, related: string | null) => ({
    id,
    voucher_id: 'v_CARDaaaa',
    type: amount < 0 ? 'CREDITS_REDEMPTION' : 'CREDITS_REFUND',
    related_transaction_id: related,
    details: { balance: { amount, balance: 100 } },
    created_at: `2025-03-${day}T10:00:00.000Z`,
  })
  const { shop, write } = await written({
    campaigns: [cards],
    vouchers: [code('CARD', card)],
    transactions: [
      moved('17', -10, '01', null),
      moved('vtx_1111', -10, '02', null),
      moved('18', 10, '03', '17'),
      moved('19', 10, '04', 'vtx_1111'),
    ],
  })
  await write()
  const [first, second, third, fourth] = (await shop.service.runtime.database.db
    .selectFrom('voucher_transactions')
    .select(['id', 'related_transaction_id'])
    .where('project_id', '=', shop.project_id as never)
    .orderBy('created_at')
    .execute()) as Array<{ id: string; related_transaction_id: string | null }>
  expect([first?.related_transaction_id, second?.related_transaction_id]).toEqual([null, null])
  expect(third?.related_transaction_id).toBe(first?.id)
  expect(fourth?.related_transaction_id).toBe('vtx_1111')
})

test('pending points without an order are carried over, and do not share one', async () => {
  const program = campaign('camp_pending', {
    campaign_type: 'LOYALTY_PROGRAM',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 1 }, redemption: {} },
  })
  const pending = (id: string, points: number, order?: string) => ({
    id,
    voucher_id: 'v_CARDaaaa',
    customer_id: 'cust_1111',
    order_id: order,
    points,
    activates_at: '2030-01-01',
    details: { earning_rule: { id: 'ern_1111' } },
    created_at: at,
  })
  const { shop, report } = await written({
    campaigns: [program],
    customers: [{ id: 'cust_1111', source_id: 'anna', created_at: at }],
    vouchers: [
      code('CARD', {
        campaign_id: program.id,
        type: 'LOYALTY_CARD',
        discount: undefined,
        loyalty_card: { points: 0, balance: 0 },
      }),
    ],
    'pending-points': [pending('lopp_1111', 10), pending('lopp_2222', 20), pending('lopp_3333', 30, 'ord_1111')],
  })
  expect(report['pending-points']).toMatchObject({ read: 3, written: 3 })
  expect(reasons(report, 'pending-points', 'changed')).toEqual({
    'it names no order, and got the id of one that does not exist': 2,
  })
  const { db } = shop.service.runtime.database
  const orders = await db
    .selectFrom('pending_points')
    .select('order_id')
    .where('project_id', '=', shop.project_id as never)
    .execute()
  expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(3)
  const earnings = await db
    .selectFrom('earnings')
    .select('order_id')
    .where('project_id', '=', shop.project_id as never)
    .execute()
  expect(earnings).toEqual([{ order_id: 'ord_1111' }])
})

test('whoever is no customer of the copy is left out of a segment with a reason', async () => {
  const { report } = await written({
    customers: [{ id: 'cust_1111', source_id: 'anna', created_at: at }],
    segments: [{ id: 'seg_1111', name: 'Static', type: 'static', created_at: at }],
    'segment-members': [
      { id: 'cust_1111', parent_id: 'seg_1111', created_at: at },
      { id: 'cust_nobody', parent_id: 'seg_1111', created_at: at },
      { id: 'cust_1111', parent_id: 'seg_none', created_at: at },
    ],
  })
  expect(report['segment-members']).toMatchObject({ read: 3, written: 1 })
  expect(reasons(report, 'segment-members')).toEqual({
    'it is no customer of the copy': 1,
    'its segment was not carried over': 1,
  })
})

test('points that expire on one day become one lot, and those that the card does not have take no room', async () => {
  const program = campaign('camp_program', {
    campaign_type: 'LOYALTY_PROGRAM',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 1 }, redemption: {} },
  })
  const lot = (id: string, points: string, day: string) => ({
    id,
    voucher_id: 'v_CARDaaaa',
    status: 'ACTIVE',
    points,
    expires_at: day,
  })
  const { shop, report } = await written({
    campaigns: [program],
    vouchers: [
      code('CARD', {
        campaign_id: program.id,
        type: 'LOYALTY_CARD',
        discount: undefined,
        loyalty_card: { points: 50, balance: 50 },
      }),
    ],
    'points-expirations': [
      lot('lopb_1111', '100', '2029-12-31'),
      lot('lopb_2222', '30', '2030-01-01'),
      lot('lopb_3333', '10', '2030-01-01'),
      lot('lopb_4444', '5', '2030-02-01'),
    ],
  })
  const { body } = await shop.call('GET', `/v1/loyalties/${program.id}/members/CARD/points-expiration`)
  expect(body.data.map((one: Bucket) => [one.expires_at, one.bucket.total_points])).toEqual([
    ['2030-01-01', 40],
    ['2030-02-01', 5],
    [undefined, 5],
  ])
  expect(report['points-expirations']).toMatchObject({ read: 4, written: 3 })
  expect(reasons(report, 'points-expirations')).toEqual({
    'more points expire than the card has, or the card was not carried over': 1,
  })
})

test('the report tells of referral tiers in words, and not of SKUs, which are a list of their own', async () => {
  const { report } = await written({
    products: [
      { id: 'prod_1111', source_id: 'p', name: 'P', skus: { object: 'list', data: [], total: 0 }, created_at: at },
    ],
    rewards: [{ id: 'rew_1111', name: 'R', type: 'COIN', parameters: { coin: { exchange_ratio: 1 } }, created_at: at }],
    'reward-assignments': [
      {
        id: 'rewa_1111',
        reward_id: 'rew_1111',
        related_object_type: 'referral_tier',
        related_object_id: 'reft_1111',
        created_at: at,
      },
    ],
  })
  expect(reasons(report, 'products', 'changed')).toEqual({})
  expect(reasons(report, 'reward-assignments')).toEqual({
    'it rewards referrers by a referral tier, of which the public API has no list: create the tier again': 1,
  })
})

test('an id of another form is replaced everywhere by the same one', async () => {
  const { shop, report } = await written({
    campaigns: [campaign('4711', { name: 'Numbered' })],
    vouchers: [code('MINE', { id: '815', campaign_id: '4711' })],
  })
  const { body } = await shop.call('GET', '/v1/vouchers/MINE')
  expect(body).toMatchObject({ id: expect.stringMatching(/^v_\w{24}$/), campaign: 'Numbered' })
  expect(reasons(report, 'vouchers', 'changed')).toEqual({ 'the id has a form that is not ours, and got another': 1 })
})

test('the balance of a card is kept where its figures contradict each other', async () => {
  const { shop, report } = await written({
    vouchers: [
      code('GIFT', {
        type: 'GIFT_VOUCHER',
        discount: undefined,
        gift: { amount: 100, balance: 80 },
        redemption: { redeemed_amount: 30 },
      }),
      code('LESS', {
        type: 'GIFT_VOUCHER',
        discount: undefined,
        gift: { amount: 100, balance: 20 },
        redemption: { redeemed_amount: 30 },
      }),
    ],
  })
  const balance = async (name: string) => (await shop.call('GET', `/v1/vouchers/${name}`)).body.gift.balance
  expect([await balance('GIFT'), await balance('LESS')]).toEqual([80, 20])
  expect(reasons(report, 'vouchers', 'changed')).toEqual({
    'what was added, redeemed and expired does not add up to the balance, which is kept': 2,
  })
})

test('a project with data is refused, and no webhook hears of an import', async () => {
  const { folder } = await written({ vouchers: [code('A')] })
  const shop = await newProject()
  const { runtime } = shop.service
  const project = (await runtime.credentials.project(shop.project_id)) as Project
  await expect(writeAccount({ runtime, project, folder, onProgress: () => {} })).rejects.toThrow(
    'name it with --project',
  )

  const other = await folderWith({ vouchers: [code('A')], campaigns: [campaign('camp_good')] })
  await shop.call('POST', '/v1/categories', { name: 'Mine', hierarchy: 1 })
  await expect(writeAccount({ runtime, project, folder: other, onProgress: () => {} })).rejects.toThrow(
    'has data, which the account would mix with',
  )

  const quiet = await newProject()
  const empty = (await runtime.credentials.project(quiet.project_id)) as Project
  await writeAccount({ runtime, project: empty, folder: other, onProgress: () => {} })
  const events = await runtime.database.db
    .selectFrom('event_rows')
    .where('project_id', '=', quiet.project_id)
    .selectAll()
    .execute()
  expect(events).toEqual([])
})

test('lists that are read later are written later, if nothing lacks them', async () => {
  const { shop, folder, write, report } = await written({ vouchers: [code('FIRST')] })
  const state = (await folder.readState('download')) as DownloadState
  const categories = state.lists.categories as ListCheckpoint
  categories.bytes = await folder.append('categories', 0, [{ id: 'cat_later', name: 'later', created_at: at }])
  state.lists.orders = { ...(state.lists.orders as ListCheckpoint), unreachable: 7 }
  await folder.saveState('download', state)
  expect(report.orders?.left_out).toEqual({})
  for (const again of [await write(), await write()])
    expect(reasons(again, 'orders')).toEqual({ 'the pages of the list end before it does': 7 })
  expect((await shop.call('GET', '/v1/categories/cat_later')).status).toBe(200)
})
