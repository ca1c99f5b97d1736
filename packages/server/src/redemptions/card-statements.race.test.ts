import { beforeAll, expect, test } from 'vitest'
import { type Answer, newProject, type Shop, send } from '../testing/app.ts'
import { exportLines } from '../testing/exports.ts'
import { assign, fixed, newEarningRules, newMaterial, newMember, newProgram } from '../testing/loyalty.ts'
import { anotherConnection, type Node, openNode, postgresUrl } from '../testing/nodes.ts'
import { ok } from '../testing/orders.ts'
import { scaled } from '../testing/scale.ts'

/* The transactions of a card read like a bank statement, although requests are saved in another order than they arrived. */

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/** A request that waited ten seconds for a connection has the time of ten seconds ago: so has a node whose clock is slow. */
const waitedMs = [0, 10_000, -5_000]
let nodes: Node[]
let shop: Shop

beforeAll(async () => {
  shop = await newProject()
  nodes = []
  for (const waited of waitedMs)
    nodes.push(await openNode(anotherConnection(postgresUrl()), { now: () => Date.now() - waited }))
})

test('a gift card, changed by requests that waited and by others in turn', async () => {
  const card = await ok(shop, 'POST', '/v1/vouchers', { type: 'GIFT_VOUCHER', gift: { amount: 1_000 } })
  for (let round = 0; round < 2; round += 1)
    for (const node of nodes.keys()) {
      const { redemptions } = await done(node, 'POST', '/v1/redemptions', spendCredits(card, 30))
      await done(node + 1, 'POST', `/v1/redemptions/${redemptions[0].id}/rollback`)
      await done(node + 2, 'POST', `/v1/vouchers/${card.code}/balance`, { amount: round === 0 ? 7 : -7 })
    }
  await expectStatement(`/v1/vouchers/${card.code}`, card, { initial: 1_000, count: 18, left: 1_000 })
})

test('a loyalty card, changed by requests that waited and by others in turn', async () => {
  const { card, mug, program } = await newClub()
  for (const node of nodes.keys()) {
    await done(node, 'POST', '/v1/orders', { status: 'PAID', customer: { source_id: program.id }, amount: 1_000 })
    const { id } = await done(node + 1, 'POST', `/v1/loyalties/members/${card.code}/redemption`, {
      reward: { id: mug.id },
    })
    await done(node + 2, 'POST', `/v1/redemptions/${id}/rollback`)
    await done(node, 'POST', `/v1/loyalties/members/${card.code}/balance`, { points: -4 })
  }
  // Each order pays 7 and 3 points by two rules, so that two transactions of one request follow each other too.
  await expectStatement(`/v1/loyalties/members/${card.code}`, card, { initial: 100, count: 15, left: 118 })
})

test('both, changed by many requests at once, most of which are decided again after a conflict', async () => {
  const gift = await ok(shop, 'POST', '/v1/vouchers', { type: 'GIFT_VOUCHER', gift: { amount: 1_000 } })
  const { card, mug, program } = await newClub()
  const customer = { source_id: program.id }
  const rounds = scaled(12, 6)
  const replies = await Promise.all(
    Array.from({ length: rounds }, (_, node) => [
      at(node, 'POST', '/v1/redemptions', spendCredits(gift, 3)),
      at(node, 'POST', `/v1/vouchers/${gift.code}/balance`, { amount: 5 }),
      at(node, 'POST', '/v1/orders', { status: 'PAID', customer, amount: 1_000 }),
      at(node, 'POST', `/v1/loyalties/members/${card.code}/redemption`, { reward: { id: mug.id } }),
    ]).flat(),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  await expectStatement(`/v1/vouchers/${gift.code}`, gift, {
    initial: 1_000,
    count: 2 * rounds,
    left: 1_000 + (5 - 3) * rounds,
  })
  await expectStatement(`/v1/loyalties/members/${card.code}`, card, {
    initial: 100,
    count: 3 * rounds,
    left: 100 + (7 + 3 - 5) * rounds,
  })
})

const at = (node: number, method: string, path: string, body?: unknown): Promise<Answer<Body>> =>
  send((nodes[node % nodes.length] as Node).app, method, path, body, shop.headers)

async function done(node: number, method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await at(node, method, path, body)
  expect(answer, `${path}: ${JSON.stringify(answer.body)}`).toMatchObject({ status: 200 })
  return answer.body
}

const spendCredits = ({ code }: { code: string }, credits: number) => ({
  redeemables: [{ object: 'voucher', id: code, gift: { credits } }],
  order: { amount: 10_000 },
})

async function newClub() {
  const program = await newProgram(shop, { points: 100 })
  await newEarningRules(shop, program, fixed(7), fixed(3))
  const mug = await newMaterial(shop)
  await assign(shop, program, mug, 5)
  return { program, mug, card: await newMember(shop, program, program.id) }
}

/** The list, page by page in both directions, and the export: each balance is the one before plus the amount, and no date is earlier. */
async function expectStatement(
  path: string,
  { id }: { id: string },
  { initial, count, left }: { initial: number; count: number; left: number },
): Promise<void> {
  const rows = (await listAll(path, 'id')).map(({ details: { balance }, created_at }) => ({
    amount: balance.amount ?? balance.points,
    balance: balance.balance,
    created_at,
  }))
  expect(rows).toHaveLength(count)
  let balance = initial
  for (const row of rows) {
    balance += row.amount
    expect(row.balance).toBe(balance)
  }
  expect(balance).toBe(left)
  const dates = rows.map(({ created_at }) => created_at)
  expect(dates).toEqual(dates.toSorted())
  expect(new Set(dates).size).toBe(count)

  const backwards = await listAll(path, '-id')
  expect(backwards.map(({ created_at }) => created_at)).toEqual(dates.toReversed())
  const [, ...lines] = await exportLines(shop, 'voucher_transactions', {
    order: 'created_at',
    fields: ['amount', 'balance', 'created_at'],
    filters: { junction: 'AND', voucher_id: { conditions: { $in: [id] } } },
  })
  expect(lines).toEqual(rows.map((row) => `${row.amount},${row.balance},${row.created_at}`))
}

async function listAll(path: string, order: string): Promise<Body[]> {
  const rows: Body[] = []
  for (let after = ''; ; after = `&starting_after_id=${rows.at(-1).id}`) {
    const { data, has_more } = await ok(shop, 'GET', `${path}/transactions?limit=7&order=${order}${after}`)
    rows.push(...data)
    if (!has_more) return rows
  }
}
