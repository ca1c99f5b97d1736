import type { FastifyBaseLogger } from 'fastify'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/connect.ts'
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
  /** Each as the JSON it is written as. */
  let events: string[] = []
  let bytes = 0
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
    tallies = new Map()
    try {
      for (const rows of slices(noted_events))
        await sql`insert into events select * from jsonb_populate_recordset(null::events, ${rows}::jsonb)`.execute(db)
      for (const rows of slices(noted_tallies))
        await sql`insert into tallies select * from jsonb_populate_recordset(null::tallies, ${rows}::jsonb)`.execute(db)
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
        const text = JSON.stringify(event)
        // Beyond this the database does not follow: what is noted then is forgotten, rather than memory filled.
        if (bytes + text.length > limits.noted_bytes_max) continue
        bytes += text.length
        events.push(text)
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

/** So many rows at a time, as one JSON text each. */
function slices(rows: readonly string[]): string[] {
  const texts: string[] = []
  for (let start = 0; start < rows.length; start += rows_max)
    texts.push(`[${rows.slice(start, start + rows_max).join(',')}]`)
  return texts
}
