import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { WebhookRow } from '../core/db/tables.ts'
import { newId } from '../core/lib/ids.ts'
import { countRows, deleteRow, getRow, insertRow, listRows, type RowChanges, updateRow } from '../core/rows.ts'
import type { Webhook } from './schema.ts'

export type StoredWebhook = Selectable<WebhookRow>

const webhooks = { table: 'webhooks', type: 'webhook' } as const

export const getWebhook = (ctx: Ctx, id: string): Promise<StoredWebhook> => getRow(ctx, webhooks, id)

/** The webhook, locked until commit. Delivery skips it meanwhile. */
export const getWebhookForUpdate = (ctx: Ctx, id: string): Promise<StoredWebhook> =>
  getRow(ctx, webhooks, id, { lock: 'update' })

/** All webhooks, oldest first. */
export const listWebhooks = (ctx: Ctx): Promise<StoredWebhook[]> => listRows(ctx, webhooks)

export const countWebhooks = (ctx: Ctx): Promise<number> => countRows(ctx, webhooks)

export const insertWebhook = (
  ctx: Ctx,
  values: Pick<StoredWebhook, 'target_url' | 'events' | 'active'>,
): Promise<StoredWebhook> => insertRow(ctx, webhooks, { id: newId('webhook', Date.parse(ctx.now)), ...values })

export const updateWebhook = (ctx: Ctx, id: string, changes: RowChanges<'webhooks'>): Promise<StoredWebhook> =>
  updateRow(ctx, webhooks, id, changes)

/** Deletes a webhook. The next look of a node ends the send-outs that wait for it (delivery/store.ts). */
export const deleteWebhook = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, webhooks, id)

/**
 * Fails what still waits for a webhook that delivery has switched off; otherwise nodes do so within a second. An owner who switches
 * it on at once must not get those send-outs any more.
 */
export async function failWaitingSendouts({ db, project_id }: Ctx, webhookId: string): Promise<void> {
  await sql`
    update webhook_sendouts set status = 'FAILED', reason = 'webhook disabled', next_attempt_at = null, due_at = null
    where project_id = ${project_id} and webhook_id = ${webhookId} and due_at is not null and not is_manual`.execute(db)
}

/** Begins the schedule of retries anew for everything that waits for a webhook: its next attempt counts as the first one. */
export async function restartSchedules({ db, project_id, now }: Ctx, webhookId: string): Promise<void> {
  await sql`
    update webhook_sendouts set next_attempt_at = ${now}, due_at = case when is_manual then due_at else ${now} end,
      first_attempt_at = null
    where project_id = ${project_id} and webhook_id = ${webhookId} and next_attempt_at is not null`.execute(db)
}

export const toWebhook = ({ id, created_at, target_url, events, active }: StoredWebhook): Webhook => ({
  id,
  object: 'webhook',
  created_at,
  target_url,
  events,
  active,
})
