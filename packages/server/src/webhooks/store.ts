import type { Selectable } from 'kysely'
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

/** Deletes a webhook. The next look of a node ends the send-outs that wait for it (delivery/waiting.ts). */
export const deleteWebhook = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, webhooks, id)

export const toWebhook = ({ id, created_at, target_url, events, active }: StoredWebhook): Webhook => ({
  id,
  object: 'webhook',
  created_at,
  target_url,
  events,
  active,
})
