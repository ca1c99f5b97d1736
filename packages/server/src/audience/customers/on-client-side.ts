import type { Ctx } from '../../core/context.ts'
import type { ProjectFlag } from '../../core/db/project-row.ts'
import { ApiError } from '../../core/http/errors.ts'
import { sourceIdOf } from '../../core/http/tracking-id.ts'
import type { CustomerBody } from './schema.ts'

type Asking = Pick<Ctx, 'caller' | 'project' | 'identity'>

/** Whether the request came to `/client/v1`, which the flags of the project open and close. */
export const isClientSide = ({ caller }: Pick<Ctx, 'caller'>): boolean => caller.channel === 'CLIENT_API'

/**
 * Whether a page asks, of which everybody can read the key. With a key of the server side the same operations know as much and do as
 * much as those under `/v1` (docs/reference/client-side.md).
 */
export const isPage = ({ caller }: Pick<Ctx, 'caller'>): boolean => caller.is_page === true

/** The context for what follows from the request of a page: the service does it, for customers that the page need not prove. */
export const asService = (ctx: Ctx): Ctx => ({ ...ctx, caller: { ...ctx.caller, is_page: false } })

/**
 * Whether a request may create and update customers: client-side requests only if the project allows it
 * (docs/reference/client-side.md#common-rules).
 */
export const mayWriteCustomers = (ctx: Pick<Ctx, 'caller' | 'project'>): boolean =>
  !isClientSide(ctx) || ctx.project.client_create_customer_enabled

/**
 * Whether the request proves this customer: always on the server side; on the client side by a recent tracking id, whatever the
 * project takes for a proof (docs/reference/client-side.md#identity).
 */
export function isProven(
  { caller, identity }: Pick<Ctx, 'caller' | 'identity'>,
  customer: { source_id: string | null },
) {
  return !isPage({ caller }) || (identity?.is_proven === true && identity.source_id === customer.source_id)
}

/** Whether the request acts for this customer: it proves it, or the project takes a claim for a proof. */
export const actsFor = (ctx: Asking, customer: { source_id: string | null }): boolean =>
  ctx.project.client_identity === 'claimed' || isProven(ctx, customer)

/** Refuses an existing customer that the request names without proof. */
export function refuseUnlessActsFor(ctx: Asking, customer: { source_id: string | null } | undefined): void {
  if (customer !== undefined && !actsFor(ctx, customer)) throw unproven()
}

/** The error for an existing customer that a client-side request names without proof. */
export const unproven = (): ApiError =>
  new ApiError('forbidden', {
    details: 'Client-side requests must prove this customer by a recent tracking id issued by the server side',
  })

/**
 * The error for a `tracking_id` and a customer that are two different customers (docs/reference/validity.md#failure-keys). The
 * message repeats what was sent, so that no tracking id is decrypted.
 */
export const ambiguous = (trackingId: string, customer: string | null): ApiError =>
  new ApiError('ambiguous_tracking_id', { message: `Ambiguous trackingId ('${trackingId}' vs. '${customer ?? ''}')` })

/** The error for a client-side operation that the project has not enabled. */
export const disabledOnClient = (flag: ProjectFlag): ApiError =>
  new ApiError('forbidden', { details: `Client-side operation is disabled: ${flag}` })

/**
 * Replaces a tracking token by the source id it stands for, in a customer sent by the client side
 * (docs/reference/client-side.md#common-rules).
 */
export function withSourceId<Sent extends CustomerBody | string>({ project }: Pick<Ctx, 'project'>, sent: Sent): Sent
export function withSourceId({ project }: Pick<Ctx, 'project'>, sent: CustomerBody | string): CustomerBody | string {
  if (typeof sent === 'string') return sourceIdOf(project, sent)
  return sent.source_id == null ? sent : { ...sent, source_id: sourceIdOf(project, sent.source_id) }
}
