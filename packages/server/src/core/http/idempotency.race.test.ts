import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { send } from '../../testing/app.ts'
import { anotherConnection, type Node, openNode, postgresUrl } from '../../testing/nodes.ts'
import { insertTestProject } from '../../testing/project.ts'
import { inTransaction } from '../db/transaction.ts'
import { toInstant } from '../lib/instant.ts'
import { claim, fingerprintOf } from './idempotency.ts'

/** Two nodes with separate connections and caches: only the database synchronises them. */
let nodes: Node[]

beforeAll(async () => {
  nodes = []
  for (let opened = 0; opened < 2; opened += 1) nodes.push(await openNode(anotherConnection(postgresUrl())))
})

async function newShop() {
  const { app_id, app_token, access_token, project_id } = await insertTestProject(nodes[0]!.runtime, {})
  const headers = { 'x-app-id': app_id, 'x-app-token': app_token, authorization: `Bearer ${access_token}` }
  const post = (node: number, path: string, body: object, key: string) =>
    send(nodes[node]!.app, 'POST', path, body, { ...headers, 'idempotency-key': key })
  const categories = async () => {
    const { body } = await send(nodes[0]!.app, 'GET', '/v1/categories', undefined, headers)
    return body.data as Array<{ name: string }>
  }
  return { project_id, headers, post, categories }
}

test('200 retries over two nodes have one effect and one reply', async () => {
  const shop = await newShop()
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      for (;;) {
        const answer = await shop.post(index % 2, '/v1/categories', { name: 'Summer', hierarchy: 0 }, 'k1')
        if (answer.body.key !== 'idempotency_key_in_progress') return answer // it queued for too long behind the others
      }
    }),
  )
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
  expect(answers[0]!.status).toBe(200)
  expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
  expect(await shop.categories()).toHaveLength(1)
})

test('many concurrent keys over two nodes have one effect each', async () => {
  const shop = await newShop()
  const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`)
  const answers = await Promise.all(
    keys.flatMap((name) =>
      Array.from({ length: 10 }, (_, index) => shop.post(index % 2, '/v1/categories', { name, hierarchy: 0 }, name)),
    ),
  )
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(20)
  expect((await shop.categories()).map(({ name }) => name).sort()).toEqual(keys.sort())
})

test('of two different requests with the same key on two nodes, one is executed and the other refused', async () => {
  const shop = await newShop()
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(
      [0, 1].map((node) =>
        shop.post(node, '/v1/categories', { name: `round ${round} node ${node}`, hierarchy: 0 }, `key ${round}`),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ key: 'idempotency_key_conflict' })
  }
  expect(await shop.categories()).toHaveLength(10)
})

test('of many different redemptions with one key on two nodes, refused ones among them, one is done', async () => {
  const shop = await newShop()
  const create = async (code: string, more: object) => {
    const body = { type: 'GIFT_VOUCHER', gift: { amount: 1_000 }, ...more }
    expect(await shop.post(0, `/v1/vouchers/${code}`, body, code)).toMatchObject({ status: 200 })
  }
  await create('REFUSED', { active: false })
  for (const code of ['ONE', 'TWO']) await create(code, {})
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(
      ['REFUSED', 'REFUSED', 'ONE', 'TWO', 'ONE', 'REFUSED', 'TWO', 'REFUSED'].map(async (id, index) => {
        const redeemables = [{ object: 'voucher', id, gift: { credits: 10 + index } }]
        for (;;) {
          const answer = await shop.post(
            index % 2,
            '/v1/redemptions',
            { redeemables, order: { amount: 500 } },
            `${round}`,
          )
          if (answer.body.key !== 'multiple_requests') return { id, ...answer }
        }
      }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const others = answers.filter(({ status }) => status !== 200).map(({ body }) => body.key)
    expect(others.filter((key) => key !== 'voucher_disabled' && key !== 'idempotency_key_conflict')).toEqual([])
  }
  const { body } = await send(nodes[0]!.app, 'GET', '/v1/redemptions?limit=100', undefined, shop.headers)
  expect((body.redemptions as { result: string }[]).filter(({ result }) => result === 'SUCCESS')).toHaveLength(5)
})

test('a key whose first request does not end in time gives 409 in progress', async () => {
  const { project_id } = await newShop()
  const { db } = nodes[0]!.runtime.database
  const fingerprint = fingerprintOf('POST', '/v1/categories', undefined)
  const now = toInstant(Date.now())
  await inTransaction(db, async (first) => {
    expect(await claim(first, project_id, 'k1', fingerprint, now)).toBeNull()
    const second = inTransaction(db, async (trx) => {
      await sql`set local lock_timeout = '100ms'`.execute(trx)
      return claim(trx, project_id, 'k1', fingerprint, now)
    })
    await expect(second).rejects.toMatchObject({ key: 'idempotency_key_in_progress', status: 409 })
  })
})
