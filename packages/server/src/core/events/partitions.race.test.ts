import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../testing/background.ts'
import { openEvents, writerOf } from '../../testing/event-partitions.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { anotherConnection } from '../../testing/nodes.ts'
import { scaled } from '../../testing/scale.ts'
import type { Database } from '../db/database.ts'
import { closeFirstPartitions } from '../db/first-partition.ts'
import { timeDigitsAt } from '../lib/ids.ts'
import { eventTables, maintainEvents } from './partitions.ts'

const kept = { event_retention_days: null }
const dayMs = 86_400_000
const [june, july] = [5, 6].map((month) => Date.UTC(2031, month)) as [number, number]

/** Nodes that write without a pause, each by its clock; `stop` returns the ids of what they have written. */
function writeAlways(url: string, clocks: readonly number[]) {
  let isOver = false
  const ids: string[] = []
  const writing = clocks.map(async (clock) => {
    const { writeShared } = writerOf(anotherConnection(url).db)
    for (let n = 0; !isOver; n += 1) ids.push(...(await writeShared(clock + n, clock + n)))
  })
  const stop = async (): Promise<string[]> => {
    isOver = true
    await Promise.all(writing)
    return ids
  }
  onTestFinished(async () => void (await stop()))
  return { ids, stop }
}

test('no redemption fails and no event is lost while nodes make partitions, close the first one and empty the default one', async () => {
  const { database, url, events, partitions, places } = await openEvents({ first_until: null })
  const now = july - 10 * dayMs
  const clocks = [now, now + 1, june - 400 * dayMs, now + 6 * dayMs]
  const written = writeAlways(url as string, clocks)
  const other = anotherConnection(url as string)
  // Two nodes do the same at once, month after month.
  for (let at = now; at < now + scaled(6, 3) * 31 * dayMs; at += 31 * dayMs)
    for (const result of await Promise.allSettled([database, other].map(({ db }) => maintainEvents(db, kept, at))))
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: '55P03' }) // gives way, and comes again
  await maintainEvents(database.db, kept, now)
  const ahead = writeAlways(url as string, [july, Date.UTC(2040, 0)])
  while (ahead.ids.length < 20) await maintainEvents(database.db, kept, now)
  const ids = [...(await written.stop()), ...(await ahead.stop())].sort()
  await maintainEvents(database.db, kept, now)
  expect(await events()).toEqual(ids.map((id) => ({ id, data: { customer: { id: 'cust_1' } } })))
  expect(await partitions()).toEqual(expect.arrayContaining(['before', 'default', '203107', '204001']))
  expect(Object.values(await places())).not.toContain('default')
})

test('of two nodes that close the first partition, one does, wherever the other overtakes it', async () => {
  for (let overtakenAfter = 1, statements = 1; statements >= overtakenAfter; overtakenAfter += 1) {
    const { database, url, partitions } = await openEvents({ first_until: null })
    const faster = anotherConnection(url as string)
    let overtaking: Promise<void> | undefined
    statements = 0
    const slower = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        statements += 1
        if (statements !== overtakenAfter) return result
        let isOver = false
        overtaking = closeFirstPartitions(faster.db, eventTables, june).finally(() => {
          isOver = true
        })
        await until(async () => isOver || (await isAnyWaiting(database)) || undefined)
        return result
      },
    })
    await closeFirstPartitions(slower, eventTables, june)
    await overtaking
    expect(await partitions(), `overtaken after statement ${overtakenAfter}`).toEqual(['before', 'default'])
    const { rows } = await database.execute(`select conname from pg_constraint where conname like '%before_end'`)
    expect(rows).toEqual([])
  }
})

/** Whether a transaction of this database waits for a lock. */
async function isAnyWaiting({ execute }: Database): Promise<boolean> {
  const { rows } = await execute(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}

test('a month is dropped while others read: it gives way to a reader, those behind it are served, and it comes again', async () => {
  const { database, url, write, events, partitions } = await openEvents({ first_until: timeDigitsAt(june) })
  await maintainEvents(database.db, kept, june)
  await write(june)
  const other = anotherConnection(url as string)
  const drop = () => maintainEvents(other.db, { event_retention_days: 1 }, july + dayMs)
  await database.db.transaction().execute(async (reader) => {
    await sql`select from event_rows`.execute(reader)
    const dropping = drop().then(
      () => 'dropped',
      ({ code }: { code: string }) => code,
    )
    await untilOthersWait(database, await backendOf(reader))
    await write(july)
    expect(await dropping).toBe('55P03') // lock not available
  })
  expect(await events()).toHaveLength(2)
  await drop()
  expect(await events()).toHaveLength(1)
  expect(await partitions()).not.toContain('203106')
})
