import { type Call, type Connection, call } from './call.ts'
import { continuesAfterId, continuesByCursor, continuesByPage, type Operation } from './operation.ts'
import { over } from './over.ts'
import { unwrap } from './result.ts'

interface Row {
  id: string
  created_at: string
}

/** What lists answer (docs/reference/lists.md#list-answer): `data_ref` names the array. */
interface Page {
  data_ref: string
  has_more?: boolean
  more_starting_after?: string
  cursor?: string
}

type Query = Record<string, unknown> & { limit: number; page?: number }

/** What asks for the rows behind a page, by the trait of the list. A list that comes all at once has none. */
const nextPages: Record<string, (page: Page, last: Row | undefined, query: Query) => object> = {
  [continuesAfterId]: (page, last) => ({ starting_after_id: page.more_starting_after ?? last?.id }),
  [continuesByCursor]: ({ cursor }) => ({ cursor }),
  [continuesByPage]: (_page, _last, { page = 1 }) => ({ page: page + 1 }),
}

/**
 * All rows of a list, 100 at a time unless the query has another `limit`. Throws `GuerdonError` if a page cannot be read.
 *
 * The next page is read before the last row of a page is handed out: a loop that deletes what it gets would otherwise have
 * deleted the row behind which the next page begins.
 */
export async function* each(
  connection: Connection,
  operation: Operation,
  { input, ...rest }: Call,
): AsyncGenerator<unknown, void, undefined> {
  const nextOf = nextPages[operation.traits.at(-1) as string]
  const read = async (query: Query) => unwrap(await call(connection, operation, { ...rest, input: query })) as Page

  let query = over(nextOf ? { limit: 100 } : {}, input as object) as Query
  let page: Page | undefined = await read(query)
  while (page) {
    const rows = (page as unknown as Record<string, Row[]>)[page.data_ref] as Row[]
    yield* rows.slice(0, -1)
    const last = rows.at(-1)
    const isEnd: boolean = !last && !page.cursor
    const hasMore: boolean = !isEnd && (page.has_more ?? rows.length >= query.limit)
    const next: object | undefined = hasMore ? nextOf?.(page, last, query) : undefined
    query = { ...query, ...next }
    page = next && (await read(query))
    if (last) yield last
  }
}
