import { toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { type AccountClient, AccountError, type Query, TooLargeError } from './client.ts'
import { type Foreign, isForeign } from './foreign.ts'
import { inLanes } from './in-lanes.ts'

/** Rows of a list, and where the next call of the walk goes on; null: the list is complete. */
export interface Stretch {
  rows: Foreign[]
  next: Foreign | null
  /** Rows that the account counts and does not show. */
  unreachable: number
  /** Lists of single parents that were answered with 404. */
  missing?: number
}

export interface Walked {
  path: string
  query: Query
  order: 'created_at' | 'id' | undefined
  /** Rows created later are not read. */
  before: string
}

/** One request answers with the whole list. */
export async function walkAll(client: AccountClient, { path, query }: Walked): Promise<Stretch> {
  const { rows, total } = listIn(await client.get(path, query), path)
  return { rows, next: null, unreachable: Math.max(0, (total ?? 0) - rows.length) }
}

/** A list that its pages reach: all of it, from both ends if one does not suffice. */
export async function walkPages(client: AccountClient, walked: Walked): Promise<Stretch> {
  const { path, query, order } = walked
  const sorted =
    order === undefined
      ? [query]
      : [
          { ...query, order },
          { ...query, order: `-${order}` },
        ]
  const rows = new Map<string, Foreign>()
  let total = 0
  for (const [index, sorting] of sorted.entries()) {
    if (index > 0 && total <= rows.size) break
    const read = await readPages(client, path, sorting)
    total = read.total
    for (const row of read.rows) rows.set(keyOf(row), row)
  }
  return { rows: [...rows.values()], next: null, unreachable: Math.max(0, total - rows.size) }
}

/** By `starting_after_id`, some pages per call. */
export async function walkCursor(
  client: AccountClient,
  { path, query, order }: Walked,
  cursor: Foreign,
): Promise<Stretch> {
  const rows: Foreign[] = []
  let after = typeof cursor.after === 'string' ? cursor.after : null
  let loop = isLoopSearch(cursor.loop) ? cursor.loop : { mark: null, steps: 0, steps_max: 1 }
  for (let page = 0; page < pagesPerStretch; page++) {
    const { reply } = await client.page(path, {
      ...query,
      ...(order === undefined ? {} : { order }),
      limit: String(limits.page_size_max),
      ...(after === null ? {} : { starting_after_id: after }),
    })
    const found = listIn(reply, path).rows
    rows.push(...found)
    const last = reply.more_starting_after ?? found.at(-1)?.id
    // A cursor that was there before would be asked for ever.
    if (reply.has_more !== true || typeof last !== 'string' || last === after || last === loop.mark)
      return { rows, next: null, unreachable: 0 }
    loop =
      loop.steps < loop.steps_max
        ? { ...loop, steps: loop.steps + 1 }
        : { mark: after, steps: 0, steps_max: loop.steps_max * 2 }
    after = last
  }
  return { rows, next: { after, loop }, unreachable: 0 }
}

/** Brent's search for a cycle: one cursor of before is kept, twice as long each time, until the others come back to it. */
interface LoopSearch {
  mark: string | null
  steps: number
  steps_max: number
}

const isLoopSearch = (value: unknown): value is LoopSearch => isForeign(value)

const pagesPerStretch = 20

/**
 * One period of a long list, as long as its pages reach. The next period begins a millisecond before the end of this one, because
 * services disagree on whether a bound is included; `seen` has the rows of that millisecond.
 */
export async function walkWindow(client: AccountClient, walked: Walked, cursor: Foreign): Promise<Stretch> {
  const { path, query, before } = walked
  const end = Date.parse(before)
  const from = typeof cursor.from === 'number' ? cursor.from : await firstMoment(client, walked)
  if (from === null || from >= end) return { rows: [], next: null, unreachable: 0 }
  const seen = new Set(Array.isArray(cursor.seen) ? cursor.seen.map(String) : [])
  for (let span = typeof cursor.span === 'number' ? cursor.span : firstSpanMs; ; span = Math.ceil(span / 4)) {
    const to = Math.min(from + span, end)
    const bounds = { 'created_at[after]': toInstant(from - 1), 'created_at[before]': toInstant(to) }
    const read = await readPages(
      client,
      path,
      { ...query, ...bounds, order: 'created_at' },
      { rows_max: span > 1 ? rowsPerWindow : null },
    ).catch((error: unknown) => {
      if (span > 1 && error instanceof TooLargeError) return tooLong
      throw error
    })
    if (read.is_too_long) continue
    const rows = read.rows.filter((row) => !seen.has(keyOf(row)))
    const edge = read.rows.filter(({ created_at, date }) => Date.parse(String(created_at ?? date)) >= to - 1).map(keyOf)
    const hidden = Math.max(0, read.total - read.rows.length)
    // Where bounds are included, the last millisecond of the period before is counted again.
    const hiddenBefore = rows.length < read.rows.length && typeof cursor.hidden === 'number' ? cursor.hidden : 0
    const nextSpan = read.total * 4 < rowsPerWindow ? span * 4 : span
    return {
      rows,
      next: to >= end ? null : { from: to, span: nextSpan, seen: edge, hidden },
      unreachable: Math.max(0, hidden - hiddenBefore),
    }
  }
}

const tooLong: PagesRead = { rows: [], total: 0, is_too_long: true }
const firstSpanMs = 86_400_000
const rowsPerWindow = 4_000

/** How many rows a list has. */
export async function totalOf(client: AccountClient, { path, query }: Walked): Promise<number> {
  return listIn(await client.get(path, { ...query, limit: '1' }), path).total ?? 0
}

/** When the oldest row of a list was created; null: it is empty. */
async function firstMoment(client: AccountClient, { path, query }: Walked): Promise<number | null> {
  const { rows } = listIn(await client.get(path, { ...query, order: 'created_at', limit: '1' }), path)
  const [oldest] = rows
  if (oldest === undefined) return null
  const at = Date.parse(String(oldest.created_at ?? oldest.date))
  if (Number.isNaN(at)) throw new AccountError(0, `${path} has a row without created_at`)
  return Math.max(at, firstMomentMin)
}

/** A day after the first moment that a date can be: periods begin a little before their first row. */
const firstMomentMin = -8_640_000_000_000_000 + 86_400_000

interface PagesRead {
  rows: Foreign[]
  total: number
  is_too_long: boolean
}

/**
 * All pages of a list. A row that is deleted meanwhile moves those after it to earlier pages, where they were not yet: if the
 * total changes between pages, everything is read again.
 */
async function readPages(
  client: AccountClient,
  path: string,
  query: Query,
  { rows_max = null }: { rows_max?: number | null } = {},
): Promise<PagesRead> {
  const size = limits.page_size_max
  let held = 0
  const page = async (number: number) => {
    const { reply, bytes } = await client.page(path, { ...query, limit: String(size), page: String(number) })
    held += bytes
    return listIn(reply, path)
  }
  const forget = () => {
    client.release(held)
    held = 0
  }
  try {
    for (let attempt = 1; ; attempt++) {
      forget()
      const first = await page(1)
      const { total } = first
      if (total === null) return await readUntilShort(first, page, rows_max ?? Number.POSITIVE_INFINITY)
      if (rows_max !== null && total > rows_max) return { rows: [], total, is_too_long: true }
      const count = Math.min(Math.ceil(total / size), lastPage)
      const others = Array.from({ length: Math.max(0, count - 1) }, (_, index) => index + 2)
      const pages = [first, ...(await inLanes(others, page))]
      const rows = new Map(pages.flatMap((one) => one.rows.map((row) => [keyOf(row), row])))
      const isStable = pages.every((one) => one.total === first.total) && (rows.size >= total || count === lastPage)
      if (isStable || attempt === attemptsMax) return { rows: [...rows.values()], total, is_too_long: false }
    }
  } catch (error) {
    forget()
    throw error
  }
}

/** A list that does not say how long it is ends with its first page that is not full. */
async function readUntilShort(
  first: ListPage,
  page: (number: number) => Promise<ListPage>,
  rowsMax: number,
): Promise<PagesRead> {
  const rows = new Map<string, Foreign>()
  for (let [found, number] = [first, 1]; ; found = await page(number)) {
    for (const row of found.rows) rows.set(keyOf(row), row)
    number += 1
    const isShort = found.rows.length < limits.page_size_max
    // Behind the last page there is at least one more, as far as anybody knows.
    const total = isShort ? rows.size : rows.size + 1
    if (rows.size > rowsMax) return { rows: [], total, is_too_long: true }
    if (isShort || number > lastPage) return { rows: [...rows.values()], total, is_too_long: false }
  }
}

/** The contract allows 99 of some lists and 100 of others. */
export const lastPage = 99
const attemptsMax = 4

/** What tells rows apart; an id that is no text is none. */
export const keyOf = (row: Foreign): string => (typeof row.id === 'string' ? row.id : JSON.stringify(row))

interface ListPage {
  rows: Foreign[]
  /** Of the list; null if the account does not say. */
  total: number | null
}

/** The rows of a list, wherever its `data_ref` says they are. */
function listIn(reply: Foreign, path: string): ListPage {
  const rows =
    reply[typeof reply.data_ref === 'string' ? reply.data_ref : 'data'] ??
    (typeof reply.id === 'string' ? [reply] : null)
  if (!Array.isArray(rows)) throw new AccountError(0, `${path} was not answered with a list`)
  return { rows: rows.filter(isForeign), total: typeof reply.total === 'number' ? reply.total : null }
}
