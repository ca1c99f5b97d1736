import {
  keepPreviousData,
  QueryClient,
  queryOptions,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useProjectId } from '../app/session.tsx'
import { ApiFailure, call, type Input, type OperationName, type Reply } from './client.ts'

/** A refusal stays one however often it is asked; a connection that failed may come back. */
export const queryClient = new QueryClient({
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

interface ReadOptions {
  enabled?: boolean
  /** Show the last answer while the next one is loaded: no flash when a filter changes. */
  keeps?: boolean
  /** Ask again after so many milliseconds, or never. */
  every?: number | false
}

/** Reads an operation of the current project; the cache has one answer per operation and input. */
export function useRead<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { enabled = true, keeps = false, every = false }: ReadOptions = {},
): UseQueryResult<Reply<Name>, ApiFailure> {
  const project = useProjectId()
  return useQuery({
    ...optionsOf(project, name, input),
    enabled,
    refetchInterval: every,
    ...(keeps && { placeholderData: keepPreviousData }),
  }) as UseQueryResult<Reply<Name>, ApiFailure>
}

/** Reads outside of React's rendering, through the same cache. */
export function useReader(): <Name extends OperationName>(name: Name, input: Input<Name>) => Promise<Reply<Name>> {
  const project = useProjectId()
  const client = useQueryClient()
  return (name, input) => client.fetchQuery(optionsOf(project, name, input)) as never
}

/**
 * Changes something, then has every page of the project read again: which figures a change touches is the service's business,
 * and only what is on screen is fetched.
 */
export function useChange<Name extends OperationName>(
  name: Name,
): UseMutationResult<Reply<Name>, ApiFailure, Input<Name>> {
  const project = useProjectId()
  const client = useQueryClient()
  return useMutation<Reply<Name>, ApiFailure, Input<Name>>({
    mutationFn: (input) => call(name, input, { project }),
    onSuccess: () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === project }),
  })
}

interface Rows<Row> {
  rows: Row[]
  total: number | undefined
  isLoading: boolean
  error: ApiFailure | null
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
  retry: () => void
}

/** The rows of a list, page after page by cursor: `size` at once, however long the list is. */
export function useRows<Name extends OperationName, Row extends { id: string }>(
  name: Name,
  input: Input<Name>,
  rowsOf: (reply: Reply<Name>) => Row[],
  { enabled = true, size = 50 }: { enabled?: boolean; size?: number } = {},
): Rows<Row> {
  const project = useProjectId()
  const query = useInfiniteQuery({
    queryKey: [...keyOf(project, name, input), 'rows', size],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const page = { limit: size, ...(pageParam !== undefined && { starting_after_id: pageParam }) }
      const withPage = { ...input, query: { ...(input as { query?: object }).query, ...page } } as Input<Name>
      const reply = await call(name, withPage, { project, signal })
      return { rows: rowsOf(reply), total: (reply as { total?: number }).total }
    },
    getNextPageParam: ({ rows }) => (rows.length === size ? rows.at(-1)?.id : undefined),
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
