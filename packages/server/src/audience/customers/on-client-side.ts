import type { Ctx } from '../../core/context.ts'
import type { ProjectFlag } from '../../core/db/project-row.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { CustomerBody } from './schema.ts'
import { decryptTrackingId } from './tracking.ts'

/**
 * Whether a request may create and update customers: client-side requests only if the project allows it
 * (docs/reference/client-side.md#common-rules).
 */
export const mayWriteCustomers = ({ caller, project }: Pick<Ctx, 'caller' | 'project'>): boolean =>
  caller.channel !== 'CLIENT_API' || project.client_create_customer_enabled

/** The error for a client-side operation that the project has not enabled. */
export const disabledOnClient = (flag: ProjectFlag): ApiError =>
  new ApiError('forbidden', { details: `Client-side operation is disabled: ${flag}` })

/**
 * Replaces a tracking token by the source id it stands for, in a customer sent by the client side
 * (docs/reference/client-side.md#common-rules).
 */
export function withSourceId<Sent extends CustomerBody | string>({ project }: Pick<Ctx, 'project'>, sent: Sent): Sent
export function withSourceId({ project }: Pick<Ctx, 'project'>, sent: CustomerBody | string): CustomerBody | string {
  if (typeof sent === 'string') return decryptTrackingId(project, sent)
  return sent.source_id == null ? sent : { ...sent, source_id: decryptTrackingId(project, sent.source_id) }
}
