import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { anotherConnection, ownDatabase } from '../../testing/nodes.ts'
import { newId } from '../lib/ids.ts'
import type { Db } from './database.ts'
import { foldUsage, netUsageOf } from './usage.ts'

const use = (db: Db, projectId: string, scopeId: string, day: string, isUndone: boolean) =>
  sql`insert into usage values (${projectId}, ${scopeId}, ${day}, ${isUndone}, ${newId('redemption')}, 1, 100, 10, 3)`.execute(
    db,
  )

test('while two nodes merge usage and others redeem, every sum is exact', async () => {
  const { database, url } = await ownDatabase()
  const { db } = database
  const other = anotherConnection(url as string)
  const projectId = newId('project')
  const scopes = ['camp_1', 'camp_2', 'promo_1']
  const days = ['2026-01-01', '2026-01-02']
  const rounds = 120
  let isOver = false

  /** Redeems and rolls back in pairs: every other transaction always sees the same sum. */
  const redeemAndUndo = async (scopeId: string) => {
    for (let round = 0; round < rounds; round += 1)
      await db.transaction().execute(async (trx) => {
        await use(trx, projectId, scopeId, days[round % 2] as string, false)
        await use(trx, projectId, scopeId, days[round % 2] as string, true)
      })
  }
  const redeem = async (scopeId: string) => {
    for (let round = 0; round < rounds; round += 1) await use(db, projectId, scopeId, days[round % 2] as string, false)
  }
  const fold = async (on: Db, rowsMax: number) => {
    let folds = 0
    while (!isOver) if ((await foldUsage(on, rowsMax)) > 0) folds += 1
    return folds
  }
  const look = async () => {
    const seen: Array<Array<{ redemptions: number; orders_amount: number; discounted_amount: number; credits: number }>> = []
    while (!isOver) {
      const usage = await netUsageOf(other.db, projectId, scopes)
      seen.push(scopes.map(usage))
    }
    return seen
  }

  const folding = [fold(db, 20), fold(other.db, 50), fold(other.db, 7)]
  const looking = look()
  await Promise.all([redeemAndUndo('camp_1'), redeemAndUndo('camp_1'), redeem('camp_2'), redeem('promo_1'), redeem('camp_2')])
  isOver = true

  expect(Math.min(...(await Promise.all(folding)))).toBeGreaterThan(0)
  const seen = await looking
  expect(seen.length).toBeGreaterThan(10)
  expect([...new Set(seen.map(([first]) => first?.redemptions))]).toEqual([0])
  for (const place of [1, 2]) {
    const counts = seen.map((usages) => usages[place]?.redemptions as number)
    expect(counts).toEqual([...counts].sort((a, b) => a - b)) // it never decreased
    for (const usages of seen) {
      const { redemptions = -1, ...amounts } = usages[place] ?? {}
      expect(amounts).toEqual({ orders_amount: 100 * redemptions, discounted_amount: 10 * redemptions, credits: 3 * redemptions })
    }
  }

  while ((await foldUsage(db, 1_000)) > 0);
  const { rows } = await sql<{ scope_id: string; day: string; is_undone: boolean; id: string; redemptions: number }>`
    select scope_id, day::text, is_undone, id, redemptions from usage order by scope_id, day, is_undone`.execute(db)
  expect(rows.map(({ scope_id, day, is_undone, id, redemptions }) => `${scope_id} ${day} ${is_undone} '${id}' ${redemptions}`)).toEqual([
    `camp_1 2026-01-01 false '' ${rounds}`,
    `camp_1 2026-01-01 true '' ${rounds}`,
    `camp_1 2026-01-02 false '' ${rounds}`,
    `camp_1 2026-01-02 true '' ${rounds}`,
    `camp_2 2026-01-01 false '' ${rounds}`,
    `camp_2 2026-01-02 false '' ${rounds}`,
    `promo_1 2026-01-01 false '' ${rounds / 2}`,
    `promo_1 2026-01-02 false '' ${rounds / 2}`,
  ])
}) // biome-ignore format: one thought
