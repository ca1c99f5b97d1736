import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../db/database.ts'
import { joined } from '../db/joined.ts'
import { preparedStatement } from '../db/prepared-statements.ts'
import type { Tally } from '../db/tallies.ts'
import { newId } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import type { EventHead } from './parts.ts'

/**
 * Writes down what was looked at: that a code was validated changes nothing, and no call waits until it is written down.
 * A process that is killed loses what it has not written yet, a tenth of a second at most.
 */
export interface DeferredWriter {
  note(projectId: string, noted: DeferredRecord): void
  /** Writes what has been noted so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface DeferredRecord {
  /** Its row, and the text of what it tells; null: nothing is told. */
  event: { row: EventHead; data: string } | null
  tallies: ReadonlyArray<[Tally, number]>
}

const waitMs = 100
/** Rows of one statement, and characters of what they tell. */
const rowsMax = 1_000
const lengthMax = 200_000

export function openDeferredWriter(db: Db, log: FastifyBaseLogger): DeferredWriter {
  let events: Array<NonNullable<DeferredRecord['event']>> = []
  let bytes = 0
  let isFull = false
  let tallies = new Map<string, { project_id: string; name: string; delta: number }>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async () => {
    const notedEvents = events
    const notedTallies = [...tallies.values()].map((tally) => ({ ...tally, id: newId('background_run') }))
    events = []
    bytes = 0
    isFull = false
    tallies = new Map()
    try {
      for (const some of slices(notedEvents, ({ data }) => data.length)) await insertEvents(db, some)
      for (const some of slices(notedTallies)) await insertTallies(db, [JSON.stringify(some)])
    } catch (error) {
      log.warn({ err: error }, 'what was looked at could not be written down')
    }
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  return {
    note(projectId, { event, tallies: counted }) {
      if (event !== null) {
        // Beyond this the database does not follow: what is noted then is forgotten, rather than memory filled.
        if (bytes + event.data.length > limits.deferred_bytes_max) {
          if (!isFull) log.warn('what is looked at is not written down: the database does not follow')
          isFull = true
        } else {
          bytes += event.data.length
          events.push(event)
        }
      }
      for (const [name, delta] of counted) {
        const known = tallies.get(`${projectId} ${name}`)
        tallies.set(`${projectId} ${name}`, { project_id: projectId, name, delta: delta + (known?.delta ?? 0) })
      }
      timer ??= setTimeout(() => void flush(), waitMs)
    },
    flush,
    close: flush,
  }
}

/** What an event says is stored as it is: nobody on the way reads it. */
const insertRows = preparedStatement(`
  insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data)
  select * from rows from (
    json_to_recordset($1::json) as (project_id text, id text, type text, category text, entity_id text,
      created_at timestamptz, group_id text, event_source jsonb),
    unnest(string_to_array($2, chr(30)))
  ) as told`)

const insertEvents = (db: Db, events: ReadonlyArray<NonNullable<DeferredRecord['event']>>): Promise<unknown> =>
  insertRows(db, [JSON.stringify(events.map(({ row }) => row)), joined(events.map(({ data }) => data))])

const insertTallies = preparedStatement(
  'insert into tallies (project_id, name, id, delta) select t.project_id, t.name, t.id, t.delta from jsonb_populate_recordset(null::tallies, $1::jsonb) t',
)

/** So many at a time, and no more text than can be sent while others wait. */
function slices<Row>(rows: readonly Row[], lengthOf: (row: Row) => number = () => 0): Row[][] {
  const some: Row[][] = []
  let length = 0
  for (const row of rows) {
    const own = lengthOf(row)
    const last = some.at(-1)
    if (last === undefined || last.length >= rowsMax || length + own > lengthMax) {
      some.push([row])
      length = own
    } else {
      last.push(row)
      length += own
    }
  }
  return some
}
