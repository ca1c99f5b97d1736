import type { Project } from '../db/project-row.ts'
import { readTrackingId } from './tracking-id.ts'

/** The customer that a client-side request names by a tracking id (docs/reference/client-side.md#identity). */
export interface ClientIdentity {
  /** As it was sent. Responses repeat it, so that nobody can have a tracking id decrypted. */
  tracking_id: string
  source_id: string
  /** Issued by the server side, and recently: the request acts for this customer. */
  is_proven: boolean
}

/** The tracking id in a request; null: it sends none of this project. A proof takes precedence. */
export function clientIdentityIn(
  { params, body, query }: { params: unknown; body: unknown; query: unknown },
  project: Pick<Project, 'tracking_secret'>,
  { now, age_max_ms }: { now: number; age_max_ms: number },
): ClientIdentity | null {
  const identities = [...namesIn(params), ...textsIn(body, query)].flatMap((text) => {
    const read = readTrackingId(project, text)
    if (read === null) return []
    const { source_id, issued_at } = read
    const isProven = issued_at !== null && issued_at <= now && now - issued_at <= age_max_ms
    return [{ tracking_id: text, source_id, is_proven: isProven }]
  })
  return identities.find(({ is_proven }) => is_proven) ?? identities[0] ?? null
}

/** A path may name the customer too: `/client/v1/customers/{customerId}/consents`. */
function namesIn(params: unknown): string[] {
  const { customerId } = asObject(params)
  return typeof customerId === 'string' ? [customerId] : []
}

/** Every place where a request may name its customer; the body may be the customer itself. */
function textsIn(...parts: unknown[]): string[] {
  return parts
    .flatMap((part) => {
      const { tracking_id, customer, source_id, order } = asObject(part)
      const { customer: ofOrder } = asObject(order)
      return [tracking_id, customer, asObject(customer).source_id, source_id, ofOrder, asObject(ofOrder).source_id]
    })
    .filter((value) => typeof value === 'string')
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
