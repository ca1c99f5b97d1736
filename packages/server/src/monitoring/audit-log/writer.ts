import { setImmediate } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../core/db/database.ts'
import { DiskFullError } from '../../core/db/embedded.ts'
import { isRefusedContent, sqlState } from '../../core/db/transaction.ts'
import type { AuditEntry, AuditLog } from '../../core/http/audit-log.ts'
import { limits } from '../../core/lib/limits.ts'
import { within } from '../../core/lib/within.ts'
import { makeAuditPartitions } from './partitions.ts'
import { toRow } from './row.ts'
import { findClaimedKeys, insertEntries, type NewAuditLogRow } from './store.ts'

/** Entries wait this long for others, so that one statement writes them all. */
const waitMs = 500
/** Entries and characters of one statement: its texts are masked and copied without a pause. */
const [entriesMax, lengthMax] = [500, 300_000]
/** Pauses between attempts while the database cannot be written. */
const [firstPauseMs, longestPauseMs] = [500, 15_000]

interface Waiting {
  entry: AuditEntry
  /** Upper bound of its memory. */
  bytes: number
}

/** `now` is a time in milliseconds that only grows. */
export function openAuditLog(
  db: Db,
  log: FastifyBaseLogger,
  { now = () => performance.now(), refused_per_second_max = limits.audit_refused_per_second_max as number } = {},
): AuditLog {
  let queue: Waiting[] = []
  let bytes = 0
  let refusedBytes = 0
  let written = 0
  let droppedOverload = 0
  let droppedRefused = 0
  let droppedFailure = 0
  const isSampled = newSampling(now, refused_per_second_max)
  let failures = 0
  let isFull = false
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  function record(entry: AuditEntry): void {
    const size = bytesOf(entry)
    const isRefused = entry.is_refused
    if (isRefused && !namesOf(entry).every(isSampled)) {
      droppedRefused += 1
      return
    }
    if (bytes + size > limits.audit_bytes_max || (isRefused && refusedBytes + size > limits.audit_refused_bytes_max)) {
      droppedOverload += 1
      if (!isFull && !isRefused) log.warn('dropping entries of the audit log: the database cannot keep up')
      isFull ||= !isRefused
      return
    }
    bytes += size
    if (isRefused) refusedBytes += size
    queue.push({ entry, bytes: size })
    if (failures === 0) schedule(waitMs)
  }

  function schedule(ms: number): void {
    timer ??= setTimeout(() => void write(), ms).unref()
  }

  /** Writes what waits now, until an attempt fails. What arrives meanwhile waits for others again, unless it fills a batch. */
  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeQueue().finally(() => {
      writing = undefined
      if (queue.length > 0) schedule(failures === 0 ? waitMs : pauseAfter(failures))
    })
    return writing
  }

  async function writeQueue(): Promise<void> {
    let due = queue.length
    for (;;) {
      const batch = batchOf(queue)
      if (due <= 0 && batch.length === queue.length) return
      try {
        await writeBatch(batch)
      } catch (error) {
        failures += 1
        // A full disk is logged by the database; other problems once until it writes again.
        if (failures === 1 && !(error instanceof DiskFullError))
          log.warn({ err: error }, 'could not write the audit log; it is kept in memory and tried again')
        return
      }
      failures = 0
      isFull = false
      queue = queue.slice(batch.length)
      due -= batch.length
      for (const each of batch) forget(each)
      await setImmediate() // yield to requests
    }
  }

  function forget({ entry, bytes: size }: Waiting): void {
    bytes -= size
    if (entry.is_refused) refusedBytes -= size
  }

  /** Throws if the database cannot be written now. */
  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    const rows = await rowsOf(
      db,
      batch.map(({ entry }) => entry),
    )
    const refused = await insertRows(rows)
    written += rows.length - refused
    droppedFailure += refused
  }

  /**
   * An entry that the database refuses for what it contains is found by halves and dropped; the others are written. Returns the
   * number of refused ones.
   */
  async function insertRows(rows: readonly NewAuditLogRow[]): Promise<number> {
    if (rows.length === 0) return 0
    try {
      await insertInPartitions(db, rows)
      return 0
    } catch (error) {
      if (!isRefusedContent(error)) throw error
      if (rows.length === 1) {
        log.warn({ err: error }, 'the database refused an entry of the audit log')
        return 1
      }
      const half = rows.length >> 1
      return (await insertRows(rows.slice(0, half))) + (await insertRows(rows.slice(half)))
    }
  }

  async function flush(): Promise<void> {
    await writing
    await write()
  }

  return {
    record,
    flush,
    counts: () => ({
      written,
      dropped_overload: droppedOverload,
      dropped_refused: droppedRefused,
      dropped_failure: droppedFailure,
      waiting_bytes: bytes,
    }),
    async close() {
      await within(limits.audit_close_ms, flush()).catch(() => {})
      clearTimeout(timer)
      if (queue.length === 0) return
      droppedFailure += queue.length
      log.warn(
        { entries: queue.length },
        'entries of the audit log are lost: they could not be written before the stop',
      )
      queue = []
    },
  }
}

/**
 * By what refused requests are counted: the project, or with wrong credentials each of the ids and the token that they name, since nobody
 * knows yet which of them exists.
 */
function namesOf({ project_id, claimed }: AuditEntry): string[] {
  if (project_id !== null) return [project_id]
  const { app_id, client_app_id, token } = claimed ?? noClaim
  return [app_id, client_app_id, token].filter((name) => name !== null)
}

/** Tells whether one more refused request of a project, or with an id or token, is logged in this second. */
function newSampling(now: () => number, perSecondMax: number): (name: string) => boolean {
  let second = 0
  const counts = new Map<string, number>()
  return (name) => {
    const current = Math.floor(now() / 1_000)
    if (current !== second) counts.clear()
    second = current
    const count = counts.get(name) ?? 0
    if (count >= perSecondMax) return false
    counts.set(name, count + 1)
    return true
  }
}

/** Characters count as two bytes, which V8 needs for texts beyond Latin-1. */
function bytesOf({ url, request_body, response_body }: AuditEntry): number {
  return entryBytes + 2 * (url.length + (request_body?.length ?? 0) + (response_body?.length ?? 0))
}

/** The rest of an entry: object, ids, channel. */
const entryBytes = 1_024

const pauseAfter = (failures: number): number =>
  Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 10), longestPauseMs)

function batchOf(queue: readonly Waiting[]): Waiting[] {
  let length = 0
  let count = 0
  for (const { bytes } of queue) {
    length += bytes / 2
    if (count === entriesMax || (count > 0 && length > lengthMax)) break
    count += 1
  }
  return queue.slice(0, count)
}

/** Entries of refused credentials belong to the project of the key or token they name; those that name none are left out. */
async function rowsOf(db: Db, entries: readonly AuditEntry[]): Promise<NewAuditLogRow[]> {
  const refused = entries.filter(({ project_id }) => project_id === null)
  const keys =
    refused.length === 0
      ? []
      : await findClaimedKeys(
          db,
          refused.map(({ claimed }) => claimed ?? noClaim),
        )
  const keyOf = new Map(refused.map((entry, place) => [entry, keys[place] ?? null]))
  return entries.flatMap((entry) => {
    if (entry.project_id !== null) return [toRow(entry, entry.project_id)]
    const key = keyOf.get(entry) ?? null
    if (key === null) return []
    return [toRow({ ...entry, [key.is_client ? 'client_app_id' : 'app_id']: key.app_id }, key.project_id)]
  })
}

const noClaim = { app_id: null, client_app_id: null, token: null }

/** Makes the partition of a day whose first entry this is, or whose partition was dropped. */
async function insertInPartitions(db: Db, rows: readonly NewAuditLogRow[]): Promise<void> {
  try {
    await insertEntries(db, rows)
  } catch (error) {
    if (sqlState(error) !== noPartition) throw error
    await makeAuditPartitions(
      db,
      rows.map(({ head }) => head.at),
    )
    await insertEntries(db, rows)
  }
}

/** Check violation: the table has no check of its own. */
const noPartition = '23514'
