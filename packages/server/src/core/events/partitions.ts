import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { closeFirstPartitions, dropLateEnds } from '../db/first-partition.ts'
import {
  detachPartition,
  dropPartition,
  isLocked,
  listPartitions,
  makePartitions,
  type Partition,
  type PartitionedTables,
  spreadDefault,
} from '../db/partitions.ts'
import { monthOf, months } from '../db/periods.ts'
import { inTransaction } from '../db/transaction.ts'
import type { MaintenanceTask } from '../jobs/maintenance.ts'
import { timeDigitsAt } from '../lib/ids.ts'
import type { Settings } from '../settings.ts'

/**
 * Events and what they share, by months. Their ids have nine prefixes, so the bounds are compared with the digits of time behind these:
 * the time at which the event was written, whatever its `created_at` says.
 */
export const eventTables: PartitionedTables = {
  names: ['event_parts', 'event_rows'],
  period: months,
  key: 'right(id, 18)',
  boundAt: timeDigitsAt,
  has_default: true,
}

/** Months ahead for which there are partitions: the first event of a month needs none to be made. */
const monthsAhead = 2

/** Makes the partitions of this month and the next ones, unless everything is still in the first one. */
const makeMonths = (db: Db, now: number): Promise<void> =>
  makePartitions(
    db,
    eventTables,
    Array.from({ length: monthsAhead + 1 }, (_, later) => monthOf(now, later)),
  )

/** Before a node serves: all of them may have been stopped for months. If others use the tables meanwhile, they have what they need. */
export async function readyForEvents(db: Db, now: number): Promise<void> {
  try {
    await dropLateEnds(db, now)
    await makeMonths(db, now)
  } catch (error) {
    if (!isLocked(error)) throw error
  }
}

/** Makes the partitions of the next months, and drops those in which every event is older than the retention. */
export async function maintainEvents(
  db: Db,
  { event_retention_days: days }: Pick<Settings, 'event_retention_days'>,
  now: number,
): Promise<void> {
  await closeFirstPartitions(db, eventTables, now)
  await makeMonths(db, now)
  await spreadDefault(db, eventTables)
  if (days !== null) await dropEvents(db, now - days * 86_400_000)
}

export const eventMaintenance = (settings: Settings): MaintenanceTask => ({
  rows_max: 1,
  async processBatch(db, now) {
    await maintainEvents(db, settings, Date.parse(now))
    return 0
  },
})

/** Partitions that end before a moment, of events before those of the parts that they need. */
async function listOldEvents(db: Db, before: number): Promise<Partition[]> {
  const partitions = await listPartitions(db, eventTables)
  return partitions.filter(({ is_default, to }) => !is_default && to <= before).reverse()
}

async function dropEvents(db: Db, before: number): Promise<void> {
  for (const partition of await listOldEvents(db, before)) {
    await detachEvents(db, partition)
    await dropPartition(db, partition)
  }
}

/** Takes a partition out of the lists. The list of events refuses cursors from before its end from then on. */
export async function detachEvents(db: Db, partition: Partition): Promise<void> {
  if (partition.is_attached && partition.table === 'event_rows') await copySharedParts(db, partition.to)
  await detachPartition(db, partition, async (trx) => {
    const until = timeDigitsAt(partition.to)
    await sql`update event_positions set gone_until = ${until}
      where gone_until is null or gone_until < ${until} collate "C"`.execute(trx)
  })
}

/** A request makes the ids of its events within this time. */
const requestMs = 10 * 60_000

/**
 * What the events of a request share is stored under the first of their ids. Some of them may be in the next partition, after midnight:
 * they get a copy, with the same bytes.
 */
async function copySharedParts(db: Db, end: number): Promise<void> {
  const [from, to] = [timeDigitsAt(end), timeDigitsAt(end + requestMs)]
  await inTransaction(db, (trx) =>
    sql`update event_rows e set data = event_text(e.data, p.parts), parts_id = null
      from event_parts p
      where right(e.id, 18) >= ${from} and right(e.id, 18) < ${to} and right(e.parts_id, 18) < ${from}
        and p.project_id = e.project_id and p.id = e.parts_id
        and right(p.id, 18) < ${from} and right(p.id, 18) >= ${timeDigitsAt(end - requestMs)}`.execute(trx),
  )
}
