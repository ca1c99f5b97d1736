import { useRead } from '../../api/queries.ts'
import { useIsAdmin, useMayChange, useProject } from '../../api/session.ts'
import { type Entry, isRollback, type Redemption, stackOf } from './entry.ts'
import { explainsWithoutOrder, type Recalculation, recalculationOf } from './recalculate.ts'

/** What was redeemed in one go with it: the children of the parent, in the order they were applied. */
export function useParts(entry: Entry): { parent: string | undefined; parts: Redemption[]; isLoading: boolean } {
  const parent = isRollback(entry)
    ? undefined
    : (entry.redemption ??
      (entry.related_object_type === 'redemption' && entry.result === 'SUCCESS' ? entry.id : undefined))
  const { data, isLoading } = useRead(
    'GET /v1/redemptions',
    {
      query: {
        limit: 50,
        order: 'created_at',
        filters: {
          parent_redemption_id: { conditions: { $is: [parent ?? ''] } },
          object: { conditions: { $is: ['redemption'] } },
        },
      },
    },
    { enabled: parent !== undefined },
  )
  // Only the parent knows in which order they were applied.
  const whole = useRead(
    'GET /v1/redemptions/{redemptionId}',
    { path: { redemptionId: parent ?? '' } },
    { enabled: parent !== undefined && parent !== entry.id },
  )
  const order = stackOf(parent === entry.id ? entry : (whole.data ?? entry)) ?? []
  const place = ({ id }: Redemption) => (order.includes(id) ? order.indexOf(id) : order.length)
  const found = (data?.redemptions ?? []).filter((part): part is Redemption => !isRollback(part))
  return {
    parent,
    parts: found.toSorted((a, b) => place(a) - place(b)),
    isLoading: isLoading || whole.isLoading,
  }
}

/**
 * The events of the request that caused it; the management API tells them to administrators only. They are read around its own
 * event, since those of one request stand together.
 */
export function useRequestEvents(entry: Entry) {
  const { id: projectId } = useProject()
  const isAdmin = useIsAdmin()
  const operation = 'GET /management/v1/projects/{projectId}/events'
  const own = useRead(
    operation,
    { path: { projectId }, query: { entity_id: entry.id, limit: 1 } },
    { enabled: isAdmin },
  )
  const first = own.data?.data[0]
  const near = { group_id: first?.group_id ?? '', cursor: own.data?.cursor ?? '', limit: 50 }
  const isFound = { enabled: first !== undefined }
  const before = useRead(operation, { path: { projectId }, query: { ...near, order: '-created_at' } }, isFound)
  // Without a bound the service would read on to the newest event if the request caused no other.
  const soon = { created_at: { before: first === undefined ? '' : anHourAfter(first.created_at) } }
  const after = useRead(operation, { path: { projectId }, query: { ...near, ...soon, order: 'created_at' } }, isFound)
  return {
    request: first?.group_id,
    events: [...(before.data?.data ?? []).toReversed(), ...(first ? [first] : []), ...(after.data?.data ?? [])],
    error: own.error ?? before.error ?? after.error,
    isLoading: own.isLoading || before.isLoading || after.isLoading,
    retry: () => void (own.error ? own.refetch() : Promise.all([before.refetch(), after.refetch()])),
  }
}

const anHourAfter = (instant: string): string => new Date(Date.parse(instant) + 3_600_000).toISOString()

/** What the shop sent, from the audit log: the only place that knows the order of a refusal. */
export function useSentRequest(entry: Entry, request: string | undefined) {
  const { id: projectId } = useProject()
  const isWanted = entry.result === 'FAILURE' && !isRollback(entry) && request !== undefined
  const { data, isLoading } = useRead(
    'GET /management/v1/projects/{projectId}/audit-log',
    { path: { projectId }, query: { request_id: request ?? '', limit: 1 } },
    { enabled: isWanted },
  )
  const body = data?.data[0]?.request_body
  const sent = typeof body === 'object' && body !== null ? (body as Partial<Recalculation>) : undefined
  return { sent, isLoading: isWanted && isLoading }
}

/** The explanation, calculated again as of that moment. Viewers may not validate. */
export function useRecalculation(entry: Entry, parts: Redemption[], sent: Partial<Recalculation> | undefined) {
  const mayValidate = useMayChange()
  const isFailure = entry.result === 'FAILURE'
  const canExplain =
    !isRollback(entry) && (!isFailure || sent !== undefined || explainsWithoutOrder(entry.failure_code))
  const body = canExplain ? recalculationOf(entry as Redemption, parts, sent) : undefined
  const isReady = mayValidate && body !== undefined
  const { data, error, isLoading, refetch } = useRead(
    'POST /v1/validations',
    { body: body ?? { redeemables: [] } },
    { enabled: isReady },
  )
  return { body, data, error, isLoading: isReady && isLoading, mayValidate, retry: () => void refetch() }
}
