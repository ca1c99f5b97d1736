import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { made, openShopHere, printedBy, query, type Reply, type Shop } from '../../testing/checkout-load/shop.ts'
import { newPostgresDatabase } from '../../testing/database.ts'
import { auditLedger } from '../../testing/ledger-audit.ts'
import { scaled } from '../../testing/scale.ts'
import { retryUntilDecided } from '../../testing/torture/races/race.ts'

/* Points on two nodes and one PostgreSQL; requests alternate between the nodes. */

let shop: Shop
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await newPostgresDatabase({ migrated: true })
  drop = database.drop
  shop = await openShopHere(database.url)
})

afterAll(async () => {
  await shop.close()
  await drop()
})

const atOnce = (count: number, call: (index: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

/** The number of responses of each kind: `{ '200': 3, '400 reward_out_of_stock': 7 }`. */
function countReplies(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const name = status === 200 ? '200' : `${status} ${body?.key}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

interface Member {
  id: string
  code: string
  source_id: string
}

interface Club {
  id: string
  name: string
}

/** A program with rules that each pay this many points for an order. */
async function newClub(
  name: string,
  rules: object[] = [],
  { points = 0, ...settings }: { points?: number; auto_join?: boolean } = {},
): Promise<Club> {
  const { id } = await made(shop, 'POST', '/v1/loyalties', {
    name,
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points } },
    ...settings,
  })
  if (rules.length > 0)
    await made(
      shop,
      'POST',
      `/v1/loyalties/${id}/earning-rules`,
      rules.map((rule) => ({ event: 'order.paid', ...rule })),
    )
  return { id, name }
}

const fixed = (points: number, more: object = {}) => ({ loyalty: { type: 'FIXED', points }, ...more })

async function join({ id, name }: Club, who: string, points = 0): Promise<Member> {
  const sourceId = `${name} ${who}`
  const card = await made(shop, 'POST', `/v1/loyalties/${id}/members`, { customer: { source_id: sourceId } })
  if (points > 0) await made(shop, 'POST', `/v1/loyalties/members/${card.code}/balance`, { points })
  return { id: card.id, code: card.code, source_id: sourceId }
}

const joinMany = (club: Club, count: number): Promise<Member[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => join(club, String(index))))

async function offer({ id }: Club, points: number, reward: object): Promise<string> {
  const { id: rewardId } = await made(shop, 'POST', '/v1/rewards', { name: `Reward for ${id}`, ...reward })
  await made(shop, 'POST', `/v1/loyalties/${id}/rewards`, [{ reward: rewardId, parameters: { loyalty: { points } } }])
  return rewardId
}

const aMug = async () => ({ product: { id: (await made(shop, 'POST', '/v1/products', { name: 'Mug' })).id } })

const pay = ({ source_id }: Pick<Member, 'source_id'>, more: object = {}): Promise<Reply> =>
  shop.call('POST', '/v1/orders', { status: 'PAID', customer: { source_id }, amount: 1_000, ...more })

const redeemReward = ({ code }: Member, id: string): Promise<Reply> =>
  retryUntilDecided(() => shop.call('POST', `/v1/loyalties/members/${code}/redemption`, { reward: { id } }))

const cardOf = async ({ code }: Member) => (await made(shop, 'GET', `/v1/loyalties/members/${code}`)).loyalty_card

const balanceOf = async (member: Member): Promise<number> => (await cardOf(member)).balance

const audit = (): Promise<string[]> => auditLedger((text, values) => query(shop, text, values), shop.project_id)

const atOnceMax = scaled(200, 10)
const few = scaled(20, 5)
const transfersCount = scaled(50, 10)
const [stock, membersCount] = [scaled(10, 2), scaled(40, 6)]

describe('one card', () => {
  test(`${atOnceMax} paid orders and ${atOnceMax} rewards concurrently: the sums agree exactly`, async () => {
    const given = 5 * atOnceMax
    const club = await newClub('Busy', [fixed(7), fixed(3)])
    const reward = await offer(club, 15, { parameters: await aMug() })
    const ann = await join(club, 'ann', given)
    const replies = await atOnce(2 * atOnceMax, (index) => (index % 2 === 0 ? pay(ann) : redeemReward(ann, reward)))
    const [orders, rewards] = [0, 1].map((rest) => countReplies(replies.filter((_, index) => index % 2 === rest)))
    const { '200': paid = 0, ...unpaid } = orders as Record<string, number>
    const {
      '200': taken = 0,
      '400 loyalty_card_points_exceeded': refused = 0,
      ...others
    } = rewards as Record<string, number>
    expect([unpaid, others]).toEqual([{}, {}])
    expect([paid, taken + refused]).toEqual([atOnceMax, atOnceMax])
    expect(await cardOf(ann)).toMatchObject({ points: given + 10 * paid, balance: given + 10 * paid - 15 * taken })
    // A refused request came while the balance was too low; at the end it may be sufficient again.
    expect(taken).toBeGreaterThanOrEqual(Math.floor(given / 15))
    expect(await audit()).toEqual([])
  })

  test(`${transfersCount} concurrent transfers in all directions create and lose nothing`, async () => {
    const [club, other] = [await newClub('Here'), await newClub('There')]
    const [a, b, c] = [await join(club, 'a', 1_000), await join(club, 'b', 1_000), await join(other, 'c', 1_000)]
    const send = (to: Club, member: Member, ...from: Array<[Member, number]>) =>
      shop.call(
        'POST',
        `/v1/loyalties/${to.id}/members/${member.code}/transfers`,
        from.map(([{ code }, points]) => ({ code, points })),
      )
    const ways = [
      () => send(club, b, [a, 3]),
      () => send(club, a, [b, 5]),
      () => send(club, a, [b, 1], [c, 2]),
      () => send(other, c, [b, 4], [a, 1]),
      () => send(club, b, [c, 1], [a, 2]),
    ]
    const replies = await atOnce(transfersCount, (index) => (ways[index % ways.length] as () => Promise<Reply>)())
    expect(countReplies(replies)).toEqual({ '200': transfersCount })
    const times = transfersCount / ways.length
    expect([await balanceOf(a), await balanceOf(b), await balanceOf(c)]).toEqual([
      1_000 + times * (5 + 1 + 2 - 3 - 1 - 2),
      1_000 + times * (3 + 1 + 2 - 5 - 1 - 4),
      1_000 + times * (4 + 1 - 2 - 1),
    ])
    expect(await audit()).toEqual([])
  })

  test('concurrent transfers beyond the balance succeed only as long as there are points', async () => {
    const club = await newClub('Scarce')
    const [a, b] = [await join(club, 'a', 100), await join(club, 'b')]
    const path = `/v1/loyalties/${club.id}/members/${b.code}/transfers`
    const replies = await atOnce(few, () => shop.call('POST', path, [{ code: a.code, points: 30 }]))
    expect(countReplies(replies)).toEqual({ '200': 3, '400 loyalty_card_points_exceeded': few - 3 })
    expect([await balanceOf(a), await balanceOf(b)]).toEqual([10, 90])
  })
})

describe('one order', () => {
  test(`sent as paid ${few} times concurrently, new or existing, by POST or PUT, earns once`, async () => {
    const club = await newClub('Once', [
      fixed(7),
      fixed(3, { pending_points: { period_type: 'DAY', period_value: 3 } }),
    ])
    const ann = await join(club, 'ann')
    const sourceId = 'the same'
    expect(countReplies(await atOnce(few, () => pay(ann, { source_id: sourceId })))).toEqual({ '200': few })
    expect(await cardOf(ann)).toMatchObject({ balance: 7, pending_points: 3 })

    const { id } = await made(shop, 'POST', '/v1/orders', {
      customer: { source_id: ann.source_id },
      source_id: 'later',
      amount: 1_000,
    })
    const replies = await atOnce(few, (index) =>
      index % 2 === 0 ? shop.call('PUT', `/v1/orders/${id}`, { status: 'PAID' }) : pay(ann, { source_id: 'later' }),
    )
    expect(countReplies(replies)).toEqual({ '200': few })
    expect(await cardOf(ann)).toMatchObject({ balance: 14, pending_points: 6 })
    const backAndForth = await atOnce(few, (index) =>
      shop.call('PUT', `/v1/orders/${id}`, { status: index % 2 === 0 ? 'CANCELED' : 'PAID' }),
    )
    expect(countReplies(backAndForth)).toEqual({ '200': few })
    expect(await cardOf(ann)).toMatchObject({ balance: 14, pending_points: 3 })
    expect(await audit()).toEqual([])
  })

  test(`${few} concurrent orders of a customer who joins by them create one card`, async () => {
    await newClub('Joined', [fixed(7), fixed(3)], { auto_join: true })
    const bob = { source_id: 'joins by himself' }
    expect(countReplies(await atOnce(few, () => pay(bob)))).toEqual({ '200': few })
    const [held] = await query(
      shop,
      `select count(*) as cards, sum(v.credits_added) as points from vouchers v
      join customers c on c.project_id = v.project_id and c.id = v.holder_id where c.source_id = $1
        and v.campaign_id = (select id from campaigns where name = 'Joined')`,
      [bob.source_id],
    )
    expect(held).toEqual({ cards: 1, points: 10 * few })
    expect(await audit()).toEqual([])
  })
})

describe(`of ${stock} rewards requested by ${membersCount} members concurrently`, () => {
  test(`a material reward is issued ${stock} times, and the other members keep their points`, async () => {
    const club = await newClub('Stock', [], { points: 50 })
    const reward = await offer(club, 20, { parameters: await aMug(), stock })
    await expectOnlyStock(club, reward, 'reward_out_of_stock')
  })

  test(`${stock} coupons of a pool are issued, and the other members keep their points`, async () => {
    const club = await newClub('Pool', [], { points: 50 })
    const pool = await made(shop, 'POST', '/v1/campaigns', {
      name: 'Coupons',
      type: 'STATIC',
      voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } },
    })
    for (let number = 0; number < stock; number += 1)
      await made(shop, 'POST', `/v1/campaigns/${pool.id}/vouchers/POOL-${number}`, {})
    const reward = await offer(club, 20, { parameters: { campaign: { id: pool.id } } })
    await expectOnlyStock(club, reward, 'no_voucher_suitable_for_publication')
    const given = await query(shop, `select holder_id from vouchers where campaign_id = $1`, [pool.id])
    expect(new Set(given.map(({ holder_id }) => holder_id)).size).toBe(stock)
  })

  async function expectOnlyStock(club: Club, reward: string, key: string): Promise<void> {
    const members = await joinMany(club, membersCount)
    const replies = await atOnce(membersCount, (index) => redeemReward(members[index] as Member, reward))
    expect(countReplies(replies)).toEqual({ '200': stock, [`400 ${key}`]: membersCount - stock })
    for (const [index, { status }] of replies.entries())
      expect(await balanceOf(members[index] as Member)).toBe(status === 200 ? 30 : 50)
    expect(await audit()).toEqual([])
  }
})

test('the ledger audit is clean, and no node has logged an error', async () => {
  expect(await audit()).toEqual([])
  expect(printedBy(shop)).toEqual([])
})
