import { type Operation, resolved } from './document.ts'
import type { Schema } from './schema-types.ts'

/** How the rows behind a page are asked for (docs/reference/lists.md). */
export type Paging = 'after' | 'page' | 'cursor' | 'once'

/** The rows of a list and the way to more of them; undefined for an operation that is no list. */
export function listOf(
  { method, queryParameters, replies }: Operation,
  schemas: Record<string, Schema>,
): { row: Schema; paging: Paging } | undefined {
  const reply = replies[0]?.content?.['application/json']?.schema
  if (method !== 'GET' || reply === undefined) return undefined
  const { properties = {} } = resolved(reply, schemas)
  const name = properties.data_ref?.const
  const row = typeof name === 'string' ? properties[name]?.items : undefined
  if (row === undefined) return undefined
  return { row, paging: pagingBy(new Set(queryParameters.map((parameter) => parameter.name))) }
}

/** A cursor wherever there is one: rows that are added or removed meanwhile move no other row to another page. */
function pagingBy(parameters: ReadonlySet<string>): Paging {
  if (parameters.has('starting_after_id')) return 'after'
  if (parameters.has('cursor')) return 'cursor'
  if (parameters.has('page')) return 'page'
  if (parameters.has('limit')) throw new Error(`A list of pages without a way to the next one`)
  return 'once'
}
