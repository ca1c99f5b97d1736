import { setTimeout } from 'node:timers/promises'
import type { Ctx } from '../../core/context.ts'
import type { Sendout } from './schema.ts'
import { getSendout, getSendoutRow } from './store.ts'

const pollMs = 50
/** Besides the attempt itself: for a node whose slots are taken, or for one that takes over from a node that was killed. */
const graceMs = 40_000

/**
 * Waits until the requested attempt has been made, by this node or another one, and returns the send-out. Returns it as it is if no
 * node gets to it in time; the attempt follows then.
 */
export async function awaitAttempt(ctx: Ctx, id: string): Promise<Sendout> {
  ctx.jobs.wake('webhooks')
  const deadline = performance.now() + Math.min(ctx.settings.webhook_timeout_ms + graceMs, 150_000)
  while (performance.now() < deadline && (await getSendoutRow(ctx, id)).is_manual) await setTimeout(pollMs)
  return getSendout(ctx, id)
}
