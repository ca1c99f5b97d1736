import { limits } from '../lib/limits.ts'
import { invalidQuery } from './errors.ts'

/** A parsed query string: each name has a string, a list of strings, or a nested object. */
export interface QueryObject {
  [name: string]: QueryValue
}
export type QueryValue = string | string[] | QueryObject

/**
 * Parses a query string with bracket syntax. `created_at[before]=…` and `[created_at][before]=…` are the same; a name
 * may contain dots (`filters[metadata.color]…`); a repeated name, or an empty bracket, gives a list.
 */
export function parseQueryString(text: string): QueryObject {
  const query = emptyObject()
  if (text === '') return query
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decode(at < 0 ? pair : pair.slice(0, at))
    put(query, pathOf(name), at < 0 ? '' : decode(pair.slice(at + 1)))
  }
  return query
}

/** Without a prototype, so that no name in a request can reach one. */
const emptyObject = (): QueryObject => Object.create(null) as QueryObject

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidQuery('Query contains a malformed percent-encoding')
  }
  if (decoded.includes('\0')) throw invalidQuery('Query contains the character U+0000') // PostgreSQL text cannot contain it
  return decoded
}

/** `filters[code][conditions][$is]` → its four names. A name with unbalanced brackets is one plain name. */
function pathOf(name: string): string[] {
  if (!name.includes('[')) return [name]
  if (!/^[^[\]]*(\[[^[\]]*\])+$/.test(name)) return [name]
  const first = name.slice(0, name.indexOf('['))
  const rest = [...name.matchAll(/\[([^[\]]*)\]/g)].map((found) => found[1] as string)
  const path = first === '' ? rest : [first, ...rest]
  if (path.length > limits.query_nesting_max)
    throw invalidQuery(`Query is nested deeper than ${limits.query_nesting_max} levels`)
  return path
}

/** Sets the value at a path of names; an empty last name, as in `code[]=A`, gives a list even for a single value. */
function put(query: QueryObject, names: string[], value: string): void {
  const isList = names.length > 1 && names.at(-1) === ''
  const path = isList ? names.slice(0, -1) : names
  let target = query
  for (const [depth, name] of path.slice(0, -1).entries()) {
    target[name] ??= emptyObject()
    const next = target[name] as QueryValue
    if (typeof next === 'string' || Array.isArray(next)) throw conflictingValues(path.slice(0, depth + 1))
    target = next
  }
  const name = path.at(-1) as string
  const present = target[name]
  if (present === undefined) target[name] = isList ? [value] : value
  else if (typeof present === 'string') target[name] = [present, value]
  else if (Array.isArray(present)) present.push(value)
  else throw conflictingValues(path)
}

const conflictingValues = (path: string[]) =>
  invalidQuery(`Property .${path.join('.')} is given both as a value and with brackets`)
