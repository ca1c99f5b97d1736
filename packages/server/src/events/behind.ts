import type { FastifyBaseLogger } from 'fastify'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/connect.ts'
import { joined } from '../db/joined.ts'
import type { EventRow } from '../db/tables.ts'
import type { Tally } from '../db/tallies.ts'
import { newId } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'

/**
 * Writes down what was looked at: that a code was validated changes nothing, and no call waits until it is written down.
 * A process that is killed loses what it has not written yet, a tenth of a second at most.
 */
export interface Behind {
  note(project_id: string, noted: Noted): void
  /** Writes what has been noted so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface Noted {
  events?: ReadonlyArray<Selectable<EventRow>>
  tallies?: ReadonlyArray<[Tally, number]>
}

const wait_ms = 100
/** Rows of one statement. */
const rows_max = 1_000

export function openBehind(db: Db, log: FastifyBaseLogger): Behind {
  /** Each as the texts it is written as: what it says, and the rest of its row. */
  let events: Array<{ row: string; data: string }> = []
  let bytes = 0
  let isFull = false
  let tallies = new Map<string, { project_id: string; name: string; delta: number }>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async () => {
    const noted_events = events
    const noted_tallies = [...tallies.values()].map((tally) =>
      JSON.stringify({ ...tally, id: newId('background_run') }),
    )
    events = []
    bytes = 0
    isFull = false
    tallies = new Map()
    try {
      for (const some of slices(noted_events)) await insertEvents(db, some)
      for (const some of slices(noted_tallies))
        await sql`
          insert into tallies select * from jsonb_populate_recordset(null::tallies, ${listOf(some)}::jsonb)`.execute(db)
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
    note(project_id, noted) {
      for (const event of noted.events ?? []) {
        const { data: said, ...rest } = event
        const [row, data] = [JSON.stringify(rest), JSON.stringify(said)]
        // Beyond this the database does not follow: what is noted then is forgotten, rather than memory filled.
        if (bytes + row.length + data.length > limits.noted_bytes_max) {
          if (!isFull) log.warn('what is looked at is not written down: the database does not follow')
          isFull = true
          continue
        }
        bytes += row.length + data.length
        events.push({ row, data })
      }
      for (const [name, delta] of noted.tallies ?? []) {
        const known = tallies.get(`${project_id} ${name}`)
        tallies.set(`${project_id} ${name}`, { project_id, name, delta: delta + (known?.delta ?? 0) })
      }
      timer ??= setTimeout(() => void flush(), wait_ms)
    },
    flush,
    close: flush,
  }
}

/** What an event says is stored as it is: nobody on the way reads it. */
async function insertEvents(db: Db, events: ReadonlyArray<{ row: string; data: string }>): Promise<void> {
  await sql`
    insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, campaign_id,
      voucher_id, data)
    select * from rows from (
      json_to_recordset(${listOf(events.map(({ row }) => row))}::json) as (project_id text, id text, type text, category text,
        entity_id text, created_at timestamptz, group_id text, event_source jsonb, campaign_id text, voucher_id text),
      unnest(string_to_array(${joined(events.map(({ data }) => data))}, chr(30)))
    ) as told`.execute(db)
}

const listOf = (texts: readonly string[]): string => `[${texts.join(',')}]`

/** So many at a time. */
function slices<Row>(rows: readonly Row[]): Row[][] {
  const some: Row[][] = []
  for (let start = 0; start < rows.length; start += rows_max) some.push(rows.slice(start, start + rows_max))
  return some
}
