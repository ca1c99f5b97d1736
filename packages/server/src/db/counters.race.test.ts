import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { anotherConnection, postgresUrl } from '../testing/nodes.ts'
import type { Db } from './connect.ts'
import { type Spending, spend } from './counters.ts'

/** Nodes with connections of their own, eight each. */
const nodes = Array.from({ length: 4 }, () => anotherConnection(postgresUrl()).db)
const nodeOf = (index: number): Db => nodes[index % nodes.length] as Db
const newProject = () => `proj_${randomUUID()}`

async function usedIn(project_id: string): Promise<Record<string, number>> {
  const rows = await nodeOf(0)
    .selectFrom('counters')
    .where('project_id', '=', project_id)
    .select(['name', 'used'])
    .execute()
  return Object.fromEntries(rows.map(({ name, used }) => [name, used]))
}

test('two hundred who want one of a hundred: a hundred get it', async () => {
  const project_id = newProject()
  const refusals = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      spend(nodeOf(index), project_id, [{ name: 'codes', by: 1, ceiling: 100 }]),
    ),
  )
  expect(refusals.filter((refused) => refused.length === 0)).toHaveLength(100)
  expect(await usedIn(project_id)).toEqual({ codes: 100 })
})

test('spending and giving back at once end at their sum, and never above the ceiling', async () => {
  const project_id = newProject()
  await spend(nodeOf(0), project_id, [{ name: 'codes', by: 50, ceiling: 60 }])
  const spent = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const by: number = index % 2 === 0 ? 1 : -1
      return (await spend(nodeOf(index), project_id, [{ name: 'codes', by, ceiling: 60 }])).length === 0 ? by : 0
    }),
  )
  expect(spent.filter((by) => by === -1)).toHaveLength(50)
  expect(await usedIn(project_id)).toEqual({ codes: 50 + spent.reduce((sum, by) => sum + by, 0) })
})

/**
 * Many transactions over the same counters, named in every order. They run without the retry a request has, so that a
 * deadlock would be seen here.
 */
async function inAnyOrder(project_id: string, spendings: (index: number) => Spending[]): Promise<void> {
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      nodeOf(index)
        .transaction()
        .execute(async (trx) => {
          expect(await spend(trx, project_id, spendings(index))).toEqual([])
        }),
    ),
  )
}

test('counters taken in opposite order never wait for each other in a circle', async () => {
  const project_id = newProject()
  const names = ['a', 'b', 'c', 'd', 'e']
  await inAnyOrder(project_id, (index) =>
    (index % 2 === 0 ? names : names.toReversed()).map((name) => ({ name, by: 1, ceiling: 1_000 })),
  )
  expect(await usedIn(project_id)).toEqual({ a: 100, b: 100, c: 100, d: 100, e: 100 })
})

test('nor do those who spend here what others give back there', async () => {
  const project_id = newProject()
  const names = ['a', 'b', 'c', 'd', 'e']
  await spend(
    nodeOf(0),
    project_id,
    names.map((name) => ({ name, by: 500, ceiling: 1_000 })),
  )
  await inAnyOrder(project_id, (index) =>
    (index % 3 === 0 ? names : names.toReversed()).map((name, position) => ({
      name,
      by: (index + position) % 2 === 0 ? 1 : -1,
      ceiling: 1_000,
    })),
  )
  const sum = Object.values(await usedIn(project_id)).reduce((a, b) => a + b, 0)
  // Each call makes two steps one way and three the other, in turn.
  expect(sum).toBe(2_500)
})
