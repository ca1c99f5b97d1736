import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openEvents } from '../../testing/event-partitions.ts'
import { listPartitions, type Partition } from '../db/partitions.ts'
import { timeDigitsAt } from '../lib/ids.ts'
import { detachEvents, eventTables, maintainEvents } from './partitions.ts'

const kept = { event_retention_days: null }

const open = () => openEvents({ first_until: timeDigitsAt(Date.UTC(2026, 0)) })
const openLarge = () => openEvents({ first_until: null })

const june = Date.UTC(2031, 5)
const july = Date.UTC(2031, 6)
const august = Date.UTC(2031, 7)

test('there are partitions for this month and two more, to the millisecond', async () => {
  const { database, write, places, partitions } = await open()
  await maintainEvents(database.db, kept, june + 1)
  await maintainEvents(database.db, kept, june + 2)
  expect(await partitions()).toEqual(['203106', '203107', '203108', 'before', 'default'])
  const written = await Promise.all([june, july - 1, july, july + 1].map((at) => write(at)))
  expect(Object.values(await places())).toHaveLength(4)
  const found = await places()
  expect(written.map((id) => found[id])).toEqual(['203106', '203106', '203107', '203107'])
})

test('whatever a clock says, an event is written, and gets into the partition of its month', async () => {
  const { database, write, places } = await open()
  await maintainEvents(database.db, kept, june)
  const [past, ahead, wrong] = [
    await write(Date.UTC(1999, 0)),
    await write(Date.UTC(2044, 1, 29)),
    await write(Date.UTC(2044, 2), 'voucher_event'),
  ]
  expect(await places()).toEqual({ [past]: 'before', [ahead]: 'default', [wrong]: 'default' })
  await maintainEvents(database.db, kept, june)
  expect(await places()).toEqual({ [past]: 'before', [ahead]: '204402', [wrong]: '204403' })
})

test('months whose events are all older than the retention are dropped, and the others kept', async () => {
  const { database, write, places, partitions } = await open()
  await maintainEvents(database.db, kept, june)
  await write(Date.UTC(2020, 0))
  await write(june)
  const young = await write(july)
  await maintainEvents(database.db, { event_retention_days: 31 }, august - 1)
  expect(await partitions()).toContain('203106')
  await maintainEvents(database.db, { event_retention_days: 31 }, august)
  expect(await places()).toEqual({ [young]: '203107' })
  expect(await partitions()).toEqual(['203107', '203108', '203109', '203110', 'default'])
  const { rows } = await sql`select gone_until from event_positions`.execute(database.db)
  expect(rows).toEqual([{ gone_until: timeDigitsAt(july) }])
  // What comes from before the first partition has a place, too, and goes with its month.
  await write(june)
  await maintainEvents(database.db, { event_retention_days: 31 }, august)
  await maintainEvents(database.db, { event_retention_days: 31 }, august)
  expect(await places()).toEqual({ [young]: '203107' })
})

test('an event of a request that began before midnight keeps the data that it shares', async () => {
  const { database, writeShared, events } = await open()
  await maintainEvents(database.db, kept, june)
  const [, after] = await writeShared(july - 1, july)
  const [inJuly] = await writeShared(july + 3)
  await maintainEvents(database.db, { event_retention_days: 31 }, august)
  expect(await events()).toEqual([after, inJuly].map((id) => ({ id, data: { customer: { id: 'cust_1' } } })))
  const parts = await sql<{ id: string }>`select id from event_parts`.execute(database.db)
  expect(parts.rows).toEqual([{ id: inJuly }])
})

test('a month that was detached comes back when it is needed, with its rows, and without a trace of how that was prepared', async () => {
  const { database, write, places } = await open()
  await maintainEvents(database.db, kept, june)
  const id = await write(june)
  await database.execute('alter table event_rows detach partition event_rows_203106')
  await maintainEvents(database.db, kept, june)
  expect(await places()).toEqual({ [id]: '203106' })
  const { rows } = await database.execute(`select conname from pg_constraint
    where conrelid = 'event_rows_203106'::regclass and conname like '%range'`)
  expect(rows).toEqual([])
})

test('a first partition that was detached and not dropped goes when it is too old, and one that somebody detached by hand stays', async () => {
  const { database, write, places } = await open()
  await maintainEvents(database.db, kept, june)
  await write(june - 1)
  const first = async (table: string) => {
    const found = (await listPartitions(database.db, eventTables)).find(({ name }) => name === `${table}_before`)
    return found ?? null
  }
  await detachEvents(database.db, (await first('event_rows')) as Partition)
  await database.execute('alter table event_parts detach partition event_parts_before')
  const end = Date.UTC(2026, 0)
  expect(await first('event_rows')).toMatchObject({ is_attached: false, to: end })
  const retention = { event_retention_days: 31 }
  await maintainEvents(database.db, retention, end + 31 * 86_400_000 - 1)
  expect(await first('event_rows')).toMatchObject({ is_attached: false, to: end })
  await maintainEvents(database.db, retention, end + 31 * 86_400_000)
  expect([await first('event_rows'), await first('event_parts')]).toMatchObject([
    null,
    { to: Number.POSITIVE_INFINITY },
  ])
  expect(Object.values(await places())).toEqual(['203105'])
})

test('a large table gets partitions after its rows were read: the rest of the month and a week later at the earliest', async () => {
  const { database, write, places, partitions } = await openLarge()
  const [old, late] = [await write(Date.UTC(2020, 0)), await write(Date.UTC(2050, 0))]
  await maintainEvents(database.db, kept, july - 8 * 86_400_000)
  expect(await partitions()).toEqual(['203107', '203108', '205001', 'before', 'default'])
  const ahead = await write(july)
  expect(await places()).toEqual({ [old]: 'before', [late]: '205001', [ahead]: '203107' })
})

test('an end that comes near before the rows were read is given up, and another one decided', async () => {
  const { database, write, partitions } = await openLarge()
  await database.execute(`alter table event_rows_before add constraint event_rows_before_end
    check (right(id, 18) is not null and right(id, 18) < '${timeDigitsAt(july)}') not valid`)
  await expect(write(july)).rejects.toMatchObject({ code: '23514' })
  await maintainEvents(database.db, kept, july - 86_400_000)
  await write(july)
  expect(await partitions()).toEqual(['203108', 'before', 'default'])
})
