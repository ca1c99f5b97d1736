import type { Db } from '../../core/db/database.ts'
import { listPartitions, makePartitions, type Partition } from '../../core/db/partitions.ts'
import { momentOf } from '../../core/lib/ids.ts'
import { openArchive, verifyArchive } from './file.ts'
import { type ArchiveKindName, archiveKinds } from './kinds.ts'

const batchRowsMax = 1_000
const batchLengthMax = 2_097_152

export interface RestoreOptions {
  /** Of each kind, for how many days the service keeps it; null: for ever. */
  retention_days: Record<ArchiveKindName, number | null>
  now: number
  signal: AbortSignal
}

export interface RestoredArchive {
  rows: number
  inserted: number
}

/**
 * Puts the rows of a file back. Events that are inserted into their partition, and not through their table, start no webhook. It can be
 * repeated: rows that are there are left alone.
 */
export async function restoreArchive(db: Db, path: string, options: RestoreOptions): Promise<RestoredArchive> {
  const { header, end } = await verifyArchive(path, options.signal)
  const { tables, main, insertRows } = archiveKinds[header.of]
  refuseExpired(header.of, header.to, options)
  const { rows } = await openArchive(path, options.signal)
  let [batch, length, inserted] = [[] as string[], 0, 0]
  const flush = async () => {
    for (const [partition, lines] of await byPartition(batch)) inserted += await insertRows(db, partition, lines)
    batch = []
    length = 0
  }
  const byPartition = async (lines: readonly string[]): Promise<Map<string, string[]>> => {
    const moments = lines.map((line) => momentOf((JSON.parse(line) as { id: string }).id))
    await makePartitions(db, tables, moments)
    const partitions = (await listPartitions(db, tables)).filter(({ table }) => table === main)
    return Map.groupBy(lines, (_, place) => partitionOf(partitions, moments[place] as number))
  }
  for await (const row of rows) {
    options.signal.throwIfAborted()
    batch.push(row)
    length += row.length
    if (batch.length >= batchRowsMax || length > batchLengthMax) await flush()
  }
  if (batch.length > 0) await flush()
  return { rows: end.rows, inserted }
}

function partitionOf(partitions: readonly Partition[], at: number): string {
  const found = partitions.find(({ is_attached, from, to }) => is_attached && from <= at && at < to)
  if (found === undefined) throw new Error(`There is no partition for ${new Date(at).toISOString()}.`)
  return found.name
}

function refuseExpired(kind: ArchiveKindName, to: string | null, { retention_days, now }: RestoreOptions): void {
  const days = retention_days[kind]
  if (days === null || (to !== null && Date.parse(to) > now - days * 86_400_000)) return
  const setting = kind === 'events' ? 'EVENT_RETENTION_DAYS' : 'AUDIT_RETENTION_DAYS'
  throw new Error(`The service would delete these rows again within a minute. Raise ${setting} first, on every node.`)
}
