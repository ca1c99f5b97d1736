import type { Ctx } from '../../core/context.ts'
import type { ProjectFlag } from '../../core/db/project-row.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { CustomerBody } from './schema.ts'
import { sourceIdBehind } from './tracking.ts'

/**
 * Whether a call may create and change customers: from the client side only where the project says so
 * (docs/reference/client-side.md#common-rules).
 */
export const mayWriteCustomers = ({ caller, project }: Pick<Ctx, 'caller' | 'project'>): boolean =>
  caller.channel !== 'CLIENT_API' || project.client_create_customer_enabled

/** Refuses what the project does not let its client side do. */
export const disabledOnClient = (flag: ProjectFlag): ApiError =>
  new ApiError('forbidden', { details: `Client-side operation is disabled: ${flag}` })

/**
 * A customer as the pages of a shop name it: the token of a source id stands for it (docs/reference/client-side.md#common-rules).
 */
export function withSourceId<Sent extends CustomerBody | string>({ project }: Pick<Ctx, 'project'>, sent: Sent): Sent
export function withSourceId({ project }: Pick<Ctx, 'project'>, sent: CustomerBody | string): CustomerBody | string {
  if (typeof sent === 'string') return sourceIdBehind(project, sent)
  return sent.source_id == null ? sent : { ...sent, source_id: sourceIdBehind(project, sent.source_id) }
}
