import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { dropPartition, listPartitions, type Partition, withShortLocks } from '../../core/db/partitions.ts'
import { startOf } from '../../core/events/partitions.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { version } from '../../core/lib/version.ts'
import { type ArchiveEnd, newHeader, verifyArchive, writeArchive } from './file.ts'
import { type ArchiveKindName, archiveKinds } from './kinds.ts'

export interface ArchiveOptions {
  kinds: readonly ArchiveKindName[]
  /** Partitions that end before this moment. */
  before: number
  folder: string
  project_id: string | null
  drop: boolean
  signal: AbortSignal
  /** Called for each partition. */
  onFile(done: ArchivedPartition): void
}

export interface ArchivedPartition {
  path: string
  rows: number
  /** Whether the file was there already, with the same rows. */
  was_there: boolean
  is_dropped: boolean
}

/**
 * Writes partitions into files, each verified before its rows are dropped. It may be interrupted anywhere and started again: what is
 * written is not written again, and a partition that was taken out of sight is dropped.
 */
export async function archivePartitions(db: Db, options: ArchiveOptions): Promise<void> {
  await mkdir(options.folder, { recursive: true })
  for (const name of options.kinds) {
    for (const partition of await listDue(db, name, options.before)) {
      options.signal.throwIfAborted()
      options.onFile(await archivePartition(db, name, partition, options))
    }
    if (options.drop) await dropUnneeded(db, name)
  }
}

/** Partitions of the main table, the oldest first. One that was detached is due, whatever its end: it was detached to be archived. */
async function listDue(db: Db, name: ArchiveKindName, before: number): Promise<Partition[]> {
  const { tables, main } = archiveKinds[name]
  const all = await listPartitions(db, tables)
  return all
    .filter(({ table, is_default, is_attached, to }) => table === main && !is_default && (to <= before || !is_attached))
    .sort((a, b) => (a.from === b.from ? 0 : a.from - b.from))
}

/** Drops what belonged to rows that are all gone. */
async function dropUnneeded(db: Db, name: ArchiveKindName): Promise<void> {
  const { tables, companion } = archiveKinds[name]
  const partitions = await listPartitions(db, tables)
  const oldest = oldestOf(partitions, name)
  for (const partition of partitions)
    if (partition.table === companion && !partition.is_default && partition.to <= oldest)
      await dropPartition(db, partition)
}

/** When the rows of the main table begin, those that are out of sight included. */
function oldestOf(partitions: readonly Partition[], name: ArchiveKindName): number {
  const { main } = archiveKinds[name]
  const attached = startOf(partitions, main)
  const detached = partitions.filter((each) => each.table === main && !each.is_attached && !each.is_default)
  return Math.min(attached, ...detached.map(({ from }) => from))
}

async function archivePartition(
  db: Db,
  name: ArchiveKindName,
  partition: Partition,
  { folder, project_id, drop, signal }: ArchiveOptions,
): Promise<ArchivedPartition> {
  const { main, companion, detach } = archiveKinds[name]
  const suffix = partition.name.slice(main.length + 1)
  const companionName = `${companion}_${suffix}`
  const of = [name, suffix, ...(project_id === null ? [] : [project_id])].join('-')
  const write = () => writeUnless(db, { name, partition, companionName, folder, of, project_id, signal })
  const first = await write()
  if (!drop) return { ...first, is_dropped: false }
  for (let tries = 1; tries <= 3; tries += 1) {
    await detach(db, { ...partition, is_attached: partition.is_attached || tries > 1 })
    // Nobody sees it any more. If something has changed since it was written, such as an erasure, it is written again.
    const last = await write()
    if (await dropBoth(db, name, partition, companionName))
      return { ...last, was_there: last.path === first.path && first.was_there, is_dropped: true }
  }
  throw new Error(`${partition.name} came back into sight while it was archived. Start again.`)
}

/**
 * Both at once: events without what they share could not be written again. Events of a later month may need what these share: it then
 * stays until they go. False: a node has attached the partition again, and it may have got rows.
 */
const dropBoth = (db: Db, name: ArchiveKindName, partition: Partition, companionName: string): Promise<boolean> =>
  withShortLocks(db, async (trx) => {
    const partitions = await listPartitions(trx, archiveKinds[name].tables)
    if (partitions.some((each) => each.name === partition.name && each.is_attached)) return false
    const left = partitions.filter((each) => each.name !== partition.name)
    const companion = left.find((each) => each.name === companionName && each.to <= oldestOf(left, name))
    if (companion?.is_attached === true)
      await sql`alter table ${sql.table(companion.table)} detach partition ${sql.table(companion.name)}`.execute(trx)
    await sql`drop table if exists ${sql.table(partition.name)}`.execute(trx)
    if (companion !== undefined) await sql`drop table ${sql.table(companion.name)}`.execute(trx)
    return true
  })

interface Wanted {
  name: ArchiveKindName
  partition: Partition
  companionName: string
  folder: string
  of: string
  project_id: string | null
  signal: AbortSignal
}

/** Writes a file unless there is one of the same rows. A file is never replaced: its rows may be gone from the database. */
async function writeUnless(db: Db, wanted: Wanted): Promise<Omit<ArchivedPartition, 'is_dropped'>> {
  const { name, partition, companionName, folder, of, project_id, signal } = wanted
  const trx = await db.startTransaction().setIsolationLevel('repeatable read').execute()
  try {
    await sql`set local statement_timeout = 0`.execute(trx)
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
    const { rows: found } = await sql<{ fingerprint: string }>`
      select ${fingerprintOf(partition.name)} || ' ' || ${(await isThere(trx, companionName)) ? fingerprintOf(companionName) : sql`'none'`}
        as fingerprint`.execute(trx)
    const { fingerprint } = found[0] as { fingerprint: string }
    for (let number = 1; ; number += 1) {
      const path = join(folder, `${of}${number === 1 ? '' : `-${number}`}.jsonl.zst`)
      if (existsSync(path)) {
        const { end } = await verifyArchive(path, signal)
        if (end.fingerprint === fingerprint) return { path, rows: end.rows, was_there: true }
        continue
      }
      const header = newHeader({
        of: name,
        from: Number.isFinite(partition.from) ? toInstant(partition.from) : null,
        to: Number.isFinite(partition.to) ? toInstant(partition.to) : null,
        project_id,
        release: version,
      })
      const rows = archiveKinds[name].readRows(trx, partition, project_id)
      const end: ArchiveEnd = await writeArchive(path, header, rows, fingerprint, signal)
      return { path, rows: end.rows, was_there: false }
    }
  } finally {
    await trx.rollback().execute() // nothing was written
  }
}

/** The first partitions of two tables may end at different times. */
async function isThere(trx: Db, table: string): Promise<boolean> {
  const { rows } = await sql<{ is_there: boolean }>`select to_regclass(${table}) is not null as is_there`.execute(trx)
  return rows[0]?.is_there === true
}

/** The same as long as no row was inserted, changed or deleted: each change gives a row another transaction. */
const fingerprintOf = (table: string) => sql`(
  select count(*) || '/' || coalesce(bit_xor(hashtextextended(project_id || ' ' || id || ' ' || xmin::text, 0)), 0)
  from ${sql.table(table)})`
