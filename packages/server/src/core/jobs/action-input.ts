import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { readJson } from '../http/json-body.ts'
import type { Id } from '../lib/ids.ts'
import { newTimeSlice } from '../lib/time-slice.ts'

// The input of an async action is up to 10 MB of JSON, most of it in one array. Written or parsed at once, it would keep the
// event loop for a quarter of a second.

/** The input as JSON; its arrays are written in slices. */
export async function actionInputJson(input: object): Promise<string> {
  const slice = newTimeSlice()
  const properties: string[] = []
  for (const [name, value] of Object.entries(input) as Array<[string, unknown]>) {
    if (value === undefined) continue
    const elements: string[] = []
    for (const element of Array.isArray(value) ? value : []) {
      elements.push(JSON.stringify(element) ?? 'null')
      if (slice.isOver()) await slice.pause()
    }
    properties.push(
      `${JSON.stringify(name)}:${Array.isArray(value) ? `[${elements.join(',')}]` : JSON.stringify(value)}`,
    )
  }
  return `{${properties.join(',')}}`
}

/** Reads the input of an action; its arrays are parsed in slices. */
export async function readActionInput(db: Db, projectId: string, id: Id<'async_action'>): Promise<object> {
  const { rows } = await sql<{ name: string; text: string }>`
    select each.key as name, each.value::text as text from async_actions a, jsonb_each(a.input) as each
    where a.project_id = ${projectId} and a.id = ${id}`.execute(db)
  const slice = newTimeSlice()
  const input: Record<string, unknown> = {}
  for (const { name, text } of rows) {
    await slice.pause()
    input[name] = text.startsWith('[') ? await readJson(Buffer.from(text), unlimited) : JSON.parse(text)
  }
  return input
}

/** The body was checked when it was received. */
const unlimited = { values_max: Infinity, elements_max: Infinity, element_bytes_max: null }
