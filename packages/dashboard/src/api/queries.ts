import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { ApiFailure, call, type Input, type OperationName, type Reply } from './client.ts'
import { useProjectId } from './session.ts'

let onSessionEnd: () => void = () => {}

/** What happens when the service says, to any call, that the session has ended. The router sets it: this file knows no pages. */
export function whenSessionEnds(handler: () => void): void {
  onSessionEnd = handler
}

/** Only `not_signed_in`: a wrong password in a form is a 401 too, and ends nothing. */
function noticeEnd(error: unknown): void {
  if (error instanceof ApiFailure && error.key === 'not_signed_in') onSessionEnd()
}

/** A refusal stays one however often it is asked; a connection that failed may come back. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session itself is asked for by the router, which leads to the sign-in page on its own.
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== 'session') noticeEnd(error)
    },
  }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < 2 && error instanceof ApiFailure && (error.status === 0 || error.status === 503),
    },
  },
})

/** Keys begin with the project: another project shares nothing. */
const keyOf = (project: string | undefined, name: OperationName, input: unknown) => [project, name, input] as const

function optionsOf<Name extends OperationName>(project: string | undefined, name: Name, input: Input<Name>) {
  return queryOptions({
    queryKey: keyOf(project, name, input),
    queryFn: ({ signal }) => call(name, input, { project, signal }),
  })
}

interface ReadOptions<Answer> {
  enabled?: boolean
  /** Show the last answer while the next one is loaded: no flash when a filter changes. */
  keeps?: boolean
  /** Ask again after so many milliseconds, or never; a function decides by the last answer. */
  every?: number | false | ((answer: Answer | undefined) => number | false)
}

/** Reads an operation of the current project; the cache has one answer per operation and input. */
export function useRead<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { enabled = true, keeps = false, every = false }: ReadOptions<Reply<Name>> = {},
): UseQueryResult<Reply<Name>, ApiFailure> {
  const project = useProjectId()
  return useQuery({
    ...optionsOf(project, name, input),
    enabled,
    refetchInterval: ({ state }) =>
      typeof every === 'function' ? every(state.data as Reply<Name> | undefined) : every,
    ...(keeps && { placeholderData: keepPreviousData }),
  }) as UseQueryResult<Reply<Name>, ApiFailure>
}

/** Reads several objects of one kind, each cached by itself: for the names behind ids. What could not be read is undefined. */
export function useReads<Name extends OperationName>(
  name: Name,
  inputs: readonly Input<Name>[],
): (Reply<Name> | undefined)[] {
  const project = useProjectId()
  return useQueries({
    queries: inputs.map((input) => ({ ...optionsOf(project, name, input), staleTime: 300_000, retry: false })),
    combine: (results) => results.map(({ data }) => data as Reply<Name> | undefined),
  })
}

/** Reads outside of React's rendering, through the same cache. */
export function useReader(): <Name extends OperationName>(name: Name, input: Input<Name>) => Promise<Reply<Name>> {
  const project = useProjectId()
  const client = useQueryClient()
  return (name, input) => client.fetchQuery(optionsOf(project, name, input)) as never
}

/**
 * Changes something, then has every page of the project read again: which figures a change touches is the service's business,
 * and only what is on screen is fetched. With `leaves`, not even that: the object of the page is gone, and the page is left.
 */
export function useChange<Name extends OperationName>(
  name: Name,
  { prefer, leaves = false }: { prefer?: string; leaves?: boolean } = {},
): UseMutationResult<Reply<Name>, ApiFailure, Input<Name>> {
  const project = useProjectId()
  const client = useQueryClient()
  return useMutation<Reply<Name>, ApiFailure, Input<Name>>({
    mutationFn: (input) => call(name, input, { project, prefer }),
    // Nobody waits for it: a dialog that is done closes at once, and the page behind it follows.
    onSuccess: () =>
      void client.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === project,
        refetchType: leaves ? 'none' : 'active',
      }),
  })
}

/** What is known of a list so far, and the way to more of it. */
export interface Rows<Row> {
  rows: Row[]
  total: number | undefined
  isLoading: boolean
  error: ApiFailure | null
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
  retry: () => void
}

interface RowsOptions<Row> {
  enabled?: boolean
  /** Rows of a page, at most 100. */
  size?: number
  /** What asks for the rows behind one, where a list has no `starting_after_id`. */
  after?: (row: Row) => object
  /** Ask again after so many milliseconds, or never, depending on what is shown. */
  every?: (rows: Row[]) => number | false
}

/** A list of which one reply is shown: all of it, or the page that the input names. */
export function rowsInReply<Data, Row>(
  reply: UseQueryResult<Data, ApiFailure>,
  pick: (data: Data) => Row[],
): Rows<Row> {
  return {
    rows: reply.data === undefined ? [] : pick(reply.data),
    total: undefined,
    isLoading: reply.isLoading,
    error: reply.error,
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => {},
    retry: () => void reply.refetch(),
  }
}

const afterId = ({ id }: { id: string }) => ({ starting_after_id: id })

/** The rows of a list, page after page by cursor: `size` at once, however long the list is. */
export function useRows<Name extends OperationName, Row extends { id: string }>(
  name: Name,
  input: Input<Name>,
  rowsOf: (reply: Reply<Name>) => Row[],
  { enabled = true, size = 50, after = afterId, every = () => false }: RowsOptions<Row> = {},
): Rows<Row> {
  const project = useProjectId()
  const query = useInfiniteQuery({
    queryKey: [...keyOf(project, name, input), 'rows', size],
    initialPageParam: undefined as object | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const page = { limit: size, ...pageParam }
      const withPage = { ...input, query: { ...(input as { query?: object }).query, ...page } } as Input<Name>
      const reply = await call(name, withPage, { project, signal })
      return { rows: rowsOf(reply), total: (reply as { total?: number }).total }
    },
    getNextPageParam: ({ rows }) => {
      const last = rows.at(-1)
      return rows.length === size && last !== undefined ? after(last) : undefined
    },
    refetchInterval: ({ state }) => every(state.data?.pages.flatMap(({ rows }) => rows) ?? []),
    placeholderData: keepPreviousData,
    enabled,
  })
  return {
    rows: query.data?.pages.flatMap(({ rows }) => rows) ?? [],
    total: query.data?.pages[0]?.total,
    isLoading: query.isLoading,
    error: query.error as ApiFailure | null,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  }
}
