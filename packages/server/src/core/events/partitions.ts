import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { closeFirstPartitions, dropLateEnds } from '../db/first-partition.ts'
import {
  beforeOf,
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
import { idKinds, idPrefix, timeDigitsAt } from '../lib/ids.ts'
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

/** Events first: what they share goes when no event is left that could need it, whichever partition that is in. */
async function dropEvents(db: Db, before: number): Promise<void> {
  const drop = async (partition: Partition) => {
    await detachEvents(db, partition)
    await dropPartition(db, partition)
  }
  const isOld = ({ is_default, to }: Partition) => !is_default && to <= before
  for (const partition of await listPartitions(db, eventTables))
    if (partition.table === 'event_rows' && isOld(partition)) await drop(partition)
  const left = await listPartitions(db, eventTables)
  const oldest = startOf(left, 'event_rows')
  for (const partition of left)
    if (partition.table === 'event_parts' && isOld(partition) && partition.to <= oldest) await drop(partition)
}

/** When the partitions of a table begin. The default partition has no rows for long, unless it is all that there is. */
export function startOf(partitions: readonly Partition[], table: string): number {
  const own = partitions.filter((each) => each.table === table && each.is_attached)
  return Math.min(
    ...own.flatMap(({ name, from, is_default }) => (is_default && name !== beforeOf(table) ? [] : [from])),
  )
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

/** Of the ids of events. */
const prefixes = idKinds.filter((kind) => kind.endsWith('_event') && kind !== 'custom_event').map(idPrefix)

/**
 * What the events of a request share is stored under the first of their ids. Some of them may be in the next partition, after midnight:
 * they get a copy, with the same bytes. They are found by the keys of each project: the month has too many events to look at all.
 */
async function copySharedParts(db: Db, end: number): Promise<void> {
  const [from, to] = [timeDigitsAt(end), timeDigitsAt(end + requestMs)]
  await inTransaction(db, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx)
    await sql`
      update event_rows e set data = event_text(e.data, shared.parts), parts_id = null
      from (
        select r.project_id, r.id, p.parts
        from projects cross join unnest(${prefixes}::text[]) prefix
        cross join lateral (
          select each.project_id, each.id, each.parts_id from event_rows each
          where each.project_id = projects.id and each.id >= prefix || ${from}::text and each.id < prefix || ${to}::text
            and right(each.id, 18) >= ${from} and right(each.id, 18) < ${to} and right(each.parts_id, 18) < ${from}
        ) r
        join event_parts p on p.project_id = r.project_id and p.id = r.parts_id
          and right(p.id, 18) < ${from} and right(p.id, 18) >= ${timeDigitsAt(end - requestMs)}
      ) shared
      where e.project_id = shared.project_id and e.id = shared.id and right(e.id, 18) >= ${from} and right(e.id, 18) < ${to}`.execute(
      trx,
    )
  })
}
