import { expect } from 'vitest'
import type { Shop } from './app.ts'
import { scaled } from './scale.ts'

// biome-ignore lint/suspicious/noExplicitAny: a listed row is whatever the list says
type ListedRow = any

export interface StablePaging {
  shop: Shop
  /** The path of the list, with further query parameters: `/v1/products?filters[name][conditions][$is]=shirt`. */
  path: string
  /** Every value of `order` that the list accepts. */
  orders: readonly string[]
  data_ref: string
  /** Creates one more row of the list and returns its id. `n` counts from 0 and never repeats. */
  create(n: number): Promise<string>
  /** Reads the sort key from a listed row, by the order's name without `-`; `row[name]` by default. */
  sorted?: Record<string, (row: ListedRow) => string | number | null | undefined>
  limit?: number
}

const oldCount = scaled(25, 9)
const pageSize = scaled(6, 4)
const arrivalsCount = scaled(4, 1)

/**
 * Creates rows, then reads the list in every order by `starting_after_id` while new rows are inserted between the pages.
 * Expects each old row exactly once and no row twice, ordered by the sort key, rows without a key last.
 */
export async function expectStablePaging(options: StablePaging): Promise<void> {
  const { path, orders, create, limit = pageSize } = options
  const old: string[] = []
  for (let n = 0; n < oldCount; n++) old.push(await create(n))
  expect(new Set(old).size, '`create` returns a different id for each row').toBe(oldCount)

  let created = oldCount
  for (const order of orders) {
    const listed = await walk(options, order, limit, () => create(created++))
    expect(problems(old, listed, order, options), `GET ${path} by ${order}, ${limit} at a time`).toEqual([])
  }
}

interface Listed {
  page: number
  row: ListedRow
}

async function walk(
  { shop, path, data_ref }: StablePaging,
  order: string,
  limit: number,
  createOne: () => Promise<string>,
): Promise<Listed[]> {
  const pagesMax = 200
  const listed: Listed[] = []
  let after: string | undefined
  for (let page = 1; page <= pagesMax; page++) {
    if (page > 1 && page <= 1 + arrivalsCount) await createOne()
    const query = new URLSearchParams({ order, limit: `${limit}`, ...(after && { starting_after_id: after }) })
    const url = `${path}${path.includes('?') ? '&' : '?'}${query}`
    const { status, body } = await shop.call('GET', url)
    const where = `page ${page}, GET ${url}, answered ${JSON.stringify(body)?.slice(0, 500)}`
    expect(status, where).toBe(200)
    expect(body, where).toMatchObject({ object: 'list', data_ref, [data_ref]: expect.any(Array) })
    const rows: ListedRow[] = body[data_ref]
    expect(rows.length, `rows of ${where}`).toBeLessThanOrEqual(limit)
    listed.push(...rows.map((row) => ({ page, row })))

    const hasMore: boolean = body.has_more ?? rows.length === limit
    if (!hasMore) return listed
    after = body.more_starting_after ?? rows.at(-1)?.id
    expect(after, `the id to continue after, since there is more: ${where}`).toEqual(expect.any(String))
  }
  throw new Error(`GET ${path} by ${order} does not end: ${listed.length} rows on ${pagesMax} pages`)
}

/** All problems with the pages of one order, as text. */
function problems(old: string[], listed: Listed[], order: string, { sorted = {} }: StablePaging): string[] {
  const name = order.replace(/^-/, '')
  const keyOf = sorted[name] ?? ((row: ListedRow) => row[name])
  const isDescending = order.startsWith('-')
  const pages = new Map<string, number[]>()
  for (const { page, row } of listed) pages.set(row.id, [...(pages.get(row.id) ?? []), page])
  const labelOf = (id: string) => (old.includes(id) ? `old row ${old.indexOf(id)} (${id})` : `new row ${id}`)

  const missed = old.filter((id) => !pages.has(id)).map((id) => `${labelOf(id)} was never listed`)
  const repeated = [...pages]
    .filter(([, on]) => on.length > 1)
    .map(([id, on]) => `${labelOf(id)} was listed ${on.length} times, on the pages ${on.join(', ')}`)
  const misplaced = listed.flatMap(({ page, row }, index) => {
    const before = listed[index - 1]
    if (before === undefined || isInOrder(keyOf(before.row), keyOf(row), isDescending)) return []
    const [first, second] = [before.row, row].map((of) => `${labelOf(of.id)} with ${name} ${JSON.stringify(keyOf(of))}`)
    return [`page ${page}: ${second} came after ${first}`]
  })
  const isKeyless = listed.every(({ row }) => keyOf(row) === undefined)
  const keyless = isKeyless ? [`no row has a ${name}: say in \`sorted\` how it reads from a row`] : []
  return [...missed, ...repeated, ...misplaced, ...keyless]
}

type Key = string | number | null | undefined

/** Whether `second` may follow `first`. Text is compared byte by byte, as in the database: "B" comes before "a". */
function isInOrder(first: Key, second: Key, isDescending: boolean): boolean {
  if (first == null || second == null) return second == null
  const order =
    typeof first === 'string' ? Buffer.compare(Buffer.from(first), Buffer.from(String(second))) : first - Number(second)
  return isDescending ? order >= 0 : order <= 0
}
