import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../db/database.ts'
import { DiskFullError } from '../db/embedded.ts'
import { joinJsonTexts } from '../db/join-json-texts.ts'
import { preparedStatement } from '../db/prepared-statements.ts'
import type { Tally } from '../db/tallies.ts'
import { isConflict } from '../db/transaction.ts'
import { newId } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import type { EventHead } from './parts.ts'

/**
 * Writes validation events and counters up to 100 ms after the response, in batches. They are informational: no request waits
 * for them, and a killed process may lose the last 100 ms.
 */
export interface DeferredWriter {
  record(projectId: string, record: DeferredRecord): void
  /** Writes everything recorded so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface DeferredRecord {
  /** The event row and its data as JSON text; null: only tallies are written. */
  event: { row: EventHead; data: string } | null
  tallies: ReadonlyArray<[Tally, number]>
}

const waitMs = 100
/** Rows of one statement, and characters of their event data. */
const rowsMax = 1_000
const lengthMax = 200_000

export function openDeferredWriter(db: Db, log: FastifyBaseLogger, onWritten: () => void = () => {}): DeferredWriter {
  let events: Array<NonNullable<DeferredRecord['event']>> = []
  let bytes = 0
  let isFull = false
  let tallies = new Map<string, { project_id: string; name: string; delta: number }>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async () => {
    const eventsToWrite = events
    const talliesToWrite = [...tallies.values()].map((tally) => ({ ...tally, id: newId('background_run') }))
    events = []
    bytes = 0
    isFull = false
    tallies = new Map()
    try {
      for (const batch of batchesOf(eventsToWrite, ({ data }) => data.length)) await insertEvents(db, batch)
      onWritten()
      for (const batch of batchesOf(talliesToWrite)) await insertTallies(db, [JSON.stringify(batch)])
    } catch (error) {
      if (!(error instanceof DiskFullError)) log.warn({ err: error }, 'could not write deferred events')
    }
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  return {
    record(projectId, { event, tallies: deltas }) {
      if (event !== null) {
        // The database is slower than the events arrive: drop further events instead of filling the memory.
        if (bytes + event.data.length > limits.deferred_bytes_max) {
          if (!isFull) log.warn('dropping deferred events: the database cannot keep up')
          isFull = true
        } else {
          bytes += event.data.length
          events.push(event)
        }
      }
      for (const [name, delta] of deltas) {
        const known = tallies.get(`${projectId} ${name}`)
        tallies.set(`${projectId} ${name}`, { project_id: projectId, name, delta: delta + (known?.delta ?? 0) })
      }
      timer ??= setTimeout(() => void flush(), waitMs)
    },
    flush,
    close: flush,
  }
}

/** The event data is inserted as text, without parsing it. */
const insertRows = preparedStatement(`
  insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data)
  select * from rows from (
    json_to_recordset($1::json) as (project_id text, id text, type text, category text, entity_id text,
      created_at timestamptz, group_id text, event_source jsonb),
    unnest(string_to_array($2, chr(30)))
  ) as told`)

async function insertEvents(db: Db, events: ReadonlyArray<NonNullable<DeferredRecord['event']>>): Promise<void> {
  const values = [JSON.stringify(events.map(({ row }) => row)), joinJsonTexts(events.map(({ data }) => data))]
  await insertRows(db, values).catch((error: unknown) => {
    if (!isConflict(error)) throw error
    return insertRows(db, values)
  })
}

const insertTallies = preparedStatement(
  'insert into tallies (project_id, name, id, delta) select t.project_id, t.name, t.id, t.delta from jsonb_populate_recordset(null::tallies, $1::jsonb) t',
)

/** Splits rows into batches of at most `rowsMax` rows and `lengthMax` characters, so that other statements wait only briefly. */
function batchesOf<Row>(rows: readonly Row[], lengthOf: (row: Row) => number = () => 0): Row[][] {
  const batches: Row[][] = []
  let length = 0
  for (const row of rows) {
    const rowLength = lengthOf(row)
    const last = batches.at(-1)
    if (last === undefined || last.length >= rowsMax || length + rowLength > lengthMax) {
      batches.push([row])
      length = rowLength
    } else {
      last.push(row)
      length += rowLength
    }
  }
  return batches
}
