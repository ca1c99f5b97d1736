import type { Ctx } from '../../core/context.ts'
import { notFound } from '../../core/http/errors.ts'
import { awaitAttempt } from './await-attempt.ts'
import type { Sendout } from './schema.ts'
import { requestAttempt } from './store.ts'

/**
 * One attempt at once, whatever became of the send-out and whether its webhook is active or not. The schedule of retries stays as it
 * is, unless the attempt succeeds and ends it.
 */
export async function retrySendout(ctx: Ctx, sendout: Pick<Sendout, 'webhook_id'> & { id: `whs_${string}` }) {
  if (!(await requestAttempt(ctx, sendout))) throw notFound('webhook', sendout.webhook_id)
  return awaitAttempt(ctx, sendout.id)
}
