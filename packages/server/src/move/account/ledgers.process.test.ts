import { expect, test } from 'vitest'
import type { Project } from '../../core/db/project-row.ts'
import { folderWith } from '../../testing/account-server.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { auditLedger } from '../../testing/ledger-audit.ts'
import type { AccountFolder, DownloadState } from './folder.ts'
import type { ImportReport } from './report.ts'
import { writeAccount } from './write.ts'

/* The ledgers of cards of a made-up account. */

const at = '2025-03-01T10:00:00.000Z'
const program = {
  id: 'camp_program',
  name: 'Program',
  campaign_type: 'LOYALTY_PROGRAM',
  type: 'STATIC',
  voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 1 }, redemption: {} },
  created_at: at,
}
const anna = { id: 'cust_anna', source_id: 'anna', created_at: at }
const card = (points: number, more: object = {}) => ({
  id: 'v_CARDaaaa',
  code: 'CARD',
  type: 'LOYALTY_CARD',
  campaign_id: program.id,
  holder_id: anna.id,
  loyalty_card: { points, balance: points },
  redemption: {},
  created_at: at,
  ...more,
})
const lot = (id: string, points: number, day: string) => ({
  id: `lopb_${id}`,
  voucher_id: 'v_CARDaaaa',
  status: 'ACTIVE',
  points: String(points),
  expires_at: day,
})

async function newTarget(folder: AccountFolder) {
  const shop = await newProject()
  const { runtime } = shop.service
  const project = (await runtime.credentials.project(shop.project_id)) as Project
  const write = (signal?: AbortSignal, onProgress: (list: string) => void = () => {}) =>
    writeAccount({ runtime, project, folder, signal, onProgress })
  return { shop, write }
}

const reasons = (report: ImportReport, kind: string, of: 'left_out' | 'changed' = 'left_out') =>
  Object.fromEntries(Object.entries(report[kind]?.[of] ?? {}).map(([reason, { count }]) => [reason, count]))

/** Without what is about earlier transactions: they are shown as they were, and their postings are part of the opening of the card. */
async function audit({ service: { runtime }, project_id }: Shop): Promise<string[]> {
  const found = await auditLedger(
    async (text, values) => (await runtime.database.execute(text, values)).rows,
    project_id,
  )
  return found.filter((line) => !/^(vtx_|transactions that differ|postings beyond the initial)/.test(line))
}

/** As a run whose key could not read a list, or left it out by `--only`, and then one that reads it. */
async function hideLists(folder: AccountFolder, hidden: string[]): Promise<() => Promise<void>> {
  const whole = (await folder.readState<DownloadState>('download')) as DownloadState
  const lists = Object.fromEntries(Object.entries(whole.lists).filter(([name]) => !hidden.includes(name)))
  await folder.saveState('download', { ...whole, lists })
  return () => folder.saveState('download', whole)
}

const late = (other: string) =>
  `it was read after ${other} had been written without it: use a new folder and an empty project`

const lotsOf = async ({ service, project_id }: Shop) =>
  (
    await service.runtime.database.execute(
      `select points, expires_at::text as day, expired_points from lots where project_id = $1 order by expires_at nulls last`,
      [project_id],
    )
  ).rows

test('points of one day become one lot, whichever batches they are in, also if a batch is repeated after a crash', async () => {
  const days = ['2030-01-01', '2030-02-01', '2030-03-01']
  const expirations = Array.from({ length: 2_400 }, (_, n) => lot(`${n}`.padStart(6, '0'), 1, days[n % 3] as string))
  const folder = await folderWith({
    campaigns: [program],
    customers: [{ ...anna, loyalty: { points: 3_000, campaigns: { Program: { points: 3_000 } } } }],
    vouchers: [card(3_000)],
    'points-expirations': expirations,
  })
  const { shop, write } = await newTarget(folder)
  const stop = new AbortController()
  let batches = 0
  const crash = write(stop.signal, (list) => {
    if (list === 'points-expirations' && ++batches === 2) stop.abort(new Error('crashed'))
  })
  await expect(crash).rejects.toThrow('crashed')
  const state = (await folder.readState<{ lists: Record<string, number> }>('write')) as {
    lists: Record<string, number>
  }
  await folder.saveState('write', { ...state, lists: { ...state.lists, 'points-expirations': 0 } })

  const report = await write()
  expect(reasons(report, 'points-expirations')).toEqual({})
  // 2,400 points on three days, and the rest of 3,000 for ever.
  const expected = [
    ...days.map((day) => ({ points: 800, day, expired_points: null })),
    { points: 600, day: null, expired_points: null },
  ]
  expect(await lotsOf(shop)).toEqual(expected)
  expect(await audit(shop)).toEqual([])

  await folder.saveState('write', { ...state, lists: {} })
  await write()
  expect(await lotsOf(shop)).toEqual(expected)
  expect(await audit(shop)).toEqual([])
})

/** Redemptions can be rolled back for three months. */
const lately = new Date(Date.now() - 86_400_000).toISOString()
const redemption = (id: string, code: object & { id: string }, amount: number, more: object = {}) => ({
  id,
  object: 'redemption',
  result: 'SUCCESS',
  status: 'SUCCEEDED',
  date: lately,
  amount,
  voucher: code,
  related_object_type: 'voucher',
  related_object_id: code.id,
  ...more,
})
const payment = (id: string, voucherId: string, redemptionId: string, type: string, amount: number) => ({
  id,
  voucher_id: voucherId,
  type,
  details: { balance: { amount: -amount, balance: 70 }, redemption: { id: redemptionId } },
  created_at: lately,
})
const expectRolledBack = async (shop: Shop, id: string) => {
  const { status, body } = await shop.call('POST', `/v1/redemptions/${id}/rollback`, {})
  expect([status, body.result], JSON.stringify(body)).toEqual([200, 'SUCCESS'])
}
const roseTo = 'it has paid more than it shows as redeemed: both were raised, and the balance is kept'
const moreRedemptions = 'it has more redemptions than it counts or its limit allows: both were raised to their number'

test('a redemption of a gift card that shows less redeemed than it paid is rolled back', async () => {
  const gifts = {
    ...program,
    id: 'camp_gifts',
    name: 'Gifts',
    campaign_type: 'GIFT_VOUCHERS',
    voucher: { type: 'GIFT_VOUCHER', gift: { amount: 1 }, redemption: {} },
  }
  const gift = {
    ...card(0),
    id: 'v_GIFTaaaa',
    code: 'GIFT',
    type: 'GIFT_VOUCHER',
    campaign_id: gifts.id,
    loyalty_card: undefined,
    gift: { amount: 70, balance: 70 },
    redemption: { redeemed_quantity: 1 },
  }
  const folder = await folderWith({
    campaigns: [gifts],
    customers: [anna],
    vouchers: [gift],
    redemptions: [redemption('r_1111', gift, 30, { customer_id: anna.id })],
    transactions: [payment('vtx_1111', gift.id, 'r_1111', 'CREDITS_REDEMPTION', 30)],
  })
  const { shop, write } = await newTarget(folder)
  const report = await write()
  expect(reasons(report, 'vouchers', 'changed')).toEqual({ [roseTo]: 1 })
  // 70 there, and 30 that were paid.
  expect((await shop.call('GET', '/v1/vouchers/GIFT')).body).toMatchObject({
    gift: { amount: 100, balance: 70 },
    redemption: { redeemed_quantity: 1, redeemed_amount: 30 },
  })
  await expectRolledBack(shop, 'r_1111')
  expect((await shop.call('GET', '/v1/vouchers/GIFT')).body).toMatchObject({
    gift: { amount: 100, balance: 100 },
    redemption: { redeemed_quantity: 0, redeemed_amount: 0 },
  })
})

test('a redemption of a loyalty card whose points all expire is rolled back, and one that was rolled back there leaves no trace', async () => {
  const loyal = card(70, { redemption: { redeemed_quantity: 1 } })
  const other = card(50, { id: 'v_OTHERaaa', code: 'OTHER', holder_id: null })
  const folder = await folderWith({
    campaigns: [program],
    customers: [{ ...anna, loyalty: { points: 70, campaigns: { Program: { points: 70 } } } }],
    vouchers: [loyal, other],
    redemptions: [
      redemption('r_1111', loyal, 30, { customer_id: anna.id }),
      redemption('r_2222', other, 20, { status: 'ROLLED_BACK' }),
    ],
    transactions: [
      payment('vtx_1111', loyal.id, 'r_1111', 'POINTS_REDEMPTION', 30),
      payment('vtx_2222', other.id, 'r_2222', 'POINTS_REDEMPTION', 20),
    ],
    'points-expirations': [lot('1111', 70, '2099-01-01'), { ...lot('2222', 50, '2099-01-01'), voucher_id: other.id }],
  })
  const { shop, write } = await newTarget(folder)
  const report = await write()
  expect(reasons(report, 'vouchers', 'changed')).toEqual({ [roseTo]: 1 })
  expect(report.vouchers?.changed[roseTo]?.first_ids).toEqual(['CARD'])
  expect(await audit(shop)).toEqual([])
  await expectRolledBack(shop, 'r_1111')
  expect((await shop.call('GET', '/v1/vouchers/CARD')).body).toMatchObject({
    loyalty_card: { points: 100, balance: 100 },
    redemption: { redeemed_quantity: 0, redeemed_points: 0 },
  })
  expect(await audit(shop)).toEqual([])
})

test('every redemption of a code that was used more often than its limit allows now is rolled back', async () => {
  const code = {
    id: 'v_CODEaaaa',
    code: 'CODE',
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'PERCENT', percent_off: 10 },
    redemption: { quantity: 1, redeemed_quantity: 3 },
    created_at: at,
  }
  const ids = ['r_1111', 'r_2222', 'r_3333']
  const folder = await folderWith({ vouchers: [code], redemptions: ids.map((id) => redemption(id, code, 0)) })
  const { shop, write } = await newTarget(folder)
  expect(reasons(await write(), 'vouchers', 'changed')).toEqual({ [moreRedemptions]: 1 })
  for (const id of ids) await expectRolledBack(shop, id)
  expect((await shop.call('GET', '/v1/vouchers/CODE')).body.redemption).toMatchObject({
    quantity: 3,
    redeemed_quantity: 0,
  })
})

test('points that expire are not added to ledgers that were opened without them, and the report says so', async () => {
  const folder = await folderWith({
    campaigns: [program],
    customers: [{ ...anna, loyalty: { points: 100, campaigns: { Program: { points: 100 } } } }],
    vouchers: [card(100)],
    'points-expirations': [lot('1111', 60, '2030-01-01')],
  })
  const showLists = await hideLists(folder, ['points-expirations'])
  const { shop, write } = await newTarget(folder)
  expect((await write())['points-expirations']).toBeUndefined()
  await showLists()
  for (const report of [await write(), await write()]) {
    expect(report['points-expirations']).toMatchObject({ read: 0, written: 0 })
    expect(reasons(report, 'points-expirations')).toEqual({ [late('the ledgers of cards')]: 1 })
  }
  expect(await lotsOf(shop)).toEqual([{ points: 100, day: null, expired_points: null }])
  expect(await audit(shop)).toEqual([])
})

test.each([
  ['customers', 'vouchers'],
  ['vouchers', 'publications'],
  ['redemptions', 'transactions'],
  ['publications', 'the ledgers of cards'],
  ['loyalty-tiers', 'the ledgers of cards'],
  ['pending-points', 'the ledgers of cards'],
])('%s that are read after %s were written without them are left out with a reason', async (list, other) => {
  const loyal = card(70, { redemption: { redeemed_quantity: 1, redeemed_points: 30 } })
  const lists: Record<string, object[]> = {
    campaigns: [program],
    customers: [{ ...anna, loyalty: { points: 70, campaigns: { Program: { points: 70, loyalty_tier: 'ltr_1111' } } } }],
    vouchers: [loyal],
    'loyalty-tiers': [{ id: 'ltr_1111', name: 'Gold', parent_id: program.id, points: { from: 1 }, created_at: at }],
    publications: [
      { id: 'pub_1111', customer_id: anna.id, vouchers_id: [loyal.id], result: 'SUCCESS', created_at: at },
    ],
    redemptions: [redemption('r_1111', loyal, 30, { customer_id: anna.id })],
    transactions: [payment('vtx_1111', loyal.id, 'r_1111', 'POINTS_REDEMPTION', 30)],
    'pending-points': [
      {
        id: 'lopp_1111',
        voucher_id: loyal.id,
        customer_id: anna.id,
        points: 5,
        activates_at: '2099-01-01',
        created_at: at,
      },
    ],
  }
  const folder = await folderWith(lists)
  const showLists = await hideLists(folder, [list])
  const { write } = await newTarget(folder)
  await write()
  await showLists()
  const report = await write()
  expect(report[list]?.written).toBe(0)
  expect(reasons(report, list)).toEqual({ [late(other)]: 1 })
})
