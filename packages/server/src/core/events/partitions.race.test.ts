import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openEvents, writerOf } from '../../testing/event-partitions.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { anotherConnection } from '../../testing/nodes.ts'
import { scaled } from '../../testing/scale.ts'
import { timeDigitsAt } from '../lib/ids.ts'
import { maintainEvents } from './partitions.ts'

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
  return {
    ids,
    async stop(): Promise<string[]> {
      isOver = true
      await Promise.all(writing)
      return ids
    },
  }
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
