import type { Ctx } from '../../core/context.ts'
import { notFound } from '../../core/http/errors.ts'
import { awaitAttempt } from './await-attempt.ts'
import type { Sendout } from './schema.ts'
import { requestAttempt } from './store.ts'

/**
 * One attempt at once, whatever became of the send-out and whether its webhook is active or not. The schedule of retries stays as it
 * is, unless the attempt succeeds and ends it. Who asks while a requested attempt has not ended waits for that one.
 */
export function retrySendout(ctx: Ctx, { id, webhook_id }: Pick<Sendout, 'id' | 'webhook_id'>): Promise<Sendout> {
  return awaitAttempt(ctx, id, async () => {
    if (!(await requestAttempt(ctx, id))) throw notFound('webhook', webhook_id)
  })
}
