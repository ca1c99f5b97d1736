import type { Ctx } from '../core/context.ts'
import { lockNames } from '../core/db/name-locks.ts'
import { canonicalEventType } from '../core/events/catalogue.ts'
import { invalidPayload } from '../core/http/errors.ts'
import type { Instant } from '../core/lib/instant.ts'
import { limits } from '../core/lib/limits.ts'
import type { CreateWebhook, UpdateWebhook, Webhook } from './schema.ts'
import {
  countWebhooks,
  getWebhookForUpdate,
  insertWebhook,
  type StoredWebhook,
  toWebhook,
  updateWebhook,
} from './store.ts'
import { checkTargetUrl } from './target/check-url.ts'

/** Refuses an address whose fault shows now. It may wait 2 s for a name server. */
export async function checkTarget({ settings }: Ctx, { target_url }: UpdateWebhook): Promise<void> {
  if (target_url !== undefined)
    await checkTargetUrl(target_url, { allow_private: settings.webhook_allow_private_targets })
}

export async function createWebhook(ctx: Ctx, body: CreateWebhook): Promise<Webhook> {
  const { target_url, events, active = true } = body
  // Concurrent requests would each count the webhooks without the other's.
  await lockNames(ctx.db, ctx.project_id, [`webhooks ${ctx.project_id}`])
  if ((await countWebhooks(ctx)) >= limits.webhooks_max)
    throw invalidPayload(`A project must NOT have more than ${limits.webhooks_max} webhooks`)
  return toWebhook(await insertWebhook(ctx, { target_url, events: distinctTypes(events), active }))
}

/**
 * Updates the sent fields. What waits is paused while the webhook is switched off, goes to the new address when that changes, and
 * begins its schedule anew when the webhook is switched on (docs/reference/webhooks.md#switching-off-and-on).
 */
export async function changeWebhook(ctx: Ctx, id: string, body: UpdateWebhook): Promise<Webhook> {
  const { target_url, events, active } = body
  const before = await getWebhookForUpdate(ctx, id)
  const updated = await updateWebhook(ctx, id, {
    target_url,
    events: events === undefined ? undefined : distinctTypes(events),
    active,
    ...(active === true && !before.active ? switchedOn(before, ctx.now) : {}),
  })
  ctx.afterCommit(() => ctx.jobs.wake('webhooks'))
  return toWebhook(updated)
}

/**
 * Nodes apply this to what waits, in batches (delivery/waiting.ts): there may be millions. What waited when delivery switched the webhook
 * off is given up before anything new is sent.
 */
function switchedOn({ activation, failed_at }: StoredWebhook, now: Instant) {
  const next = { activation: activation + 1, failed_at: null }
  if (failed_at === null) return { ...next, restarted_at: now }
  return { ...next, restarted_at: null, give_up_before: next.activation }
}

const distinctTypes = (events: readonly string[]): string[] => [...new Set(events.map(canonicalEventType))]
