import { sql } from 'kysely'
import { type Tally, tallyMany } from '../../../core/db/tallies.ts'
import { todayIn } from '../../../core/query/filter/calendar.ts'
import { type Figure, figureTallies } from '../../../incentives/campaigns/summary-figures.ts'
import { type Batch, forEach, insertMain, insertParts, reference, type Writer } from '../batch.ts'
import {
  type Foreign,
  instant,
  integer,
  isForeign,
  LeftOut,
  list,
  oneOf,
  part,
  requiredText,
  shape,
  text,
} from '../foreign.ts'
import { present } from '../insert-rows.ts'
import { keptId } from '../kept-id.ts'
import { undoOf } from '../undo-of.ts'
import { vouchersOf } from './publications.ts'

/**
 * Redemptions and rollbacks as history. The counters of codes and customers came with them; the usage of campaigns and tiers,
 * which their limits compare, is added up from these rows.
 */
export const redemptions: Writer = {
  list: 'redemptions',
  size: 500,
  async write(batch) {
    const { ctx } = batch
    const related = await relatedOf(batch)
    const rows = await forEach(batch, (redemption) => rowOf(batch, related, redemption))
    const inserted = await insertMain(batch, 'redemptions', rows)
    await insertParts(batch, 'usage', inserted.flatMap(usageOf))
    await tallyMany(ctx.db, ctx.project_id, talliesOf(batch, inserted))
  },
}

interface Related {
  campaignOf(id: string): string | null
  codes: Awaited<ReturnType<typeof vouchersOf>>
  customers: ReadonlySet<string>
}

async function relatedOf(batch: Batch): Promise<Related> {
  const { ctx, objects } = batch
  const codes = await vouchersOf(batch, objects.map(voucherOf))
  const tierIds = [...new Set(objects.map(tierOf).filter((id) => id !== null))]
  const { rows } = await sql<{ id: string; campaign_id: string }>`
    select id, campaign_id from promotion_tiers
    where project_id = ${ctx.project_id} and id = any(${tierIds}::text[])`.execute(ctx.db)
  const tiers = new Map(rows.map(({ id, campaign_id }) => [id, campaign_id]))
  return {
    campaignOf: (id) => codes.get(id)?.campaign_id ?? tiers.get(id) ?? null,
    codes,
    customers: await present(
      ctx,
      'customers',
      objects.map((one) => reference('customer', one, 'customer_id')),
    ),
  }
}

const isAbout = (redemption: Foreign, type: string): boolean => redemption.related_object_type === type
const voucherOf = (redemption: Foreign) =>
  reference('voucher', part(redemption, 'voucher'), 'id') ??
  (isAbout(redemption, 'voucher') ? reference('voucher', redemption, 'related_object_id') : null)
const tierOf = (redemption: Foreign) =>
  reference('promotion_tier', part(redemption, 'promotion_tier'), 'id') ??
  (isAbout(redemption, 'promotion_tier') ? reference('promotion_tier', redemption, 'related_object_id') : null)

function rowOf(batch: Batch, { campaignOf, codes, customers }: Related, redemption: Foreign) {
  const { ctx, copied_at } = batch
  const object = oneOf({ object: 'redemption', ...redemption }, 'object', ['redemption', 'redemption_rollback'])
  const result = oneOf(redemption, 'result', ['SUCCESS', 'FAILURE'])
  const id = idOf(requiredText(redemption, 'id'), object, result)
  const [rollback] = list(part(redemption, 'related_redemptions'), 'rollbacks').filter(isForeign)
  const status =
    result === 'FAILURE'
      ? 'FAILED'
      : object === 'redemption' && (rollback !== undefined || redemption.status === 'ROLLED_BACK')
        ? 'ROLLED_BACK'
        : 'SUCCEEDED'
  const voucherId = voucherOf(redemption)
  const tierId = tierOf(redemption)
  const relatedId = voucherId ?? tierId ?? id
  const order = part(redemption, 'order')
  const createdAt = instant(redemption, 'date') ?? instant(redemption, 'created_at') ?? copied_at
  const customerId = reference('customer', redemption, 'customer_id')
  const other = text(redemption, 'redemption')
  const credits = integer(redemption, 'amount')
  const isPart = relatedId !== id
  return {
    id,
    object,
    result,
    status,
    related_object_type: voucherId !== null ? 'voucher' : tierId !== null ? 'promotion_tier' : 'redemption',
    related_object_id: relatedId,
    campaign_id: campaignOf(relatedId),
    voucher_code: text(part(redemption, 'voucher'), 'code') ?? codes.get(relatedId)?.code ?? null,
    parent_id: object === 'redemption' && other !== null ? keptId('redemption', other) : null,
    redemption_id: object === 'redemption_rollback' && other !== null ? keptId('redemption', other) : null,
    customer_id: customerId !== null && customers.has(customerId) ? customerId : null,
    tracking_id: text(redemption, 'tracking_id'),
    order_id: reference('order', order, 'id'),
    amount: credits,
    metadata: shape(redemption, 'metadata'),
    session_key: text(part(redemption, 'session'), 'key'),
    channel_type: text(part(redemption, 'channel'), 'channel_type') ?? 'API',
    channel_id: text(part(redemption, 'channel'), 'channel_id') ?? '',
    failure_code: text(redemption, 'failure_code'),
    failure_message: text(redemption, 'failure_message'),
    reason: text(redemption, 'reason'),
    reward: shape(redemption, 'reward'),
    order: shape(redemption, 'order'),
    undo:
      object === 'redemption' && result === 'SUCCESS' && isPart
        ? undoOf(order, todayIn({ now: createdAt, timezone: ctx.project.timezone }), Math.max(0, credits ?? 0))
        : null,
    rollback: rollback === undefined ? null : rollbackOf(rollback),
    created_at: createdAt,
  }
}

/** Four kinds of rows share the table, and the prefix of an id tells which one it is. */
function idOf(foreign: string, object: string, result: string): string {
  if (/^(r|rf|rr|rrf)_\w{1,60}$/.test(foreign)) return foreign
  if (object === 'redemption') return keptId(result === 'SUCCESS' ? 'redemption' : 'failed_redemption', foreign)
  return keptId(result === 'SUCCESS' ? 'rollback' : 'failed_rollback', foreign)
}

function rollbackOf(rollback: Foreign) {
  const date = instant(rollback, 'date')
  if (date === null) throw new LeftOut('its rollback has no date')
  const mode = rollback.rollback_order_mode === 'WITHOUT_ORDER' ? 'WITHOUT_ORDER' : 'WITH_ORDER'
  return { id: idOf(requiredText(rollback, 'id'), 'redemption_rollback', 'SUCCESS'), date, rollback_order_mode: mode }
}

type Row = ReturnType<typeof rowOf>

/** As the redemption would have counted here: for its campaign or code, and for its tier. */
function usageOf({ id, undo, status, campaign_id, related_object_id, related_object_type }: Row) {
  if (undo === null) return []
  const { day, orders_amount, discounted_amount, credits } = undo
  const scopes = [
    campaign_id ?? related_object_id,
    ...(related_object_type === 'promotion_tier' ? [related_object_id] : []),
  ]
  const signs = status === 'ROLLED_BACK' ? [false, true] : [false]
  return scopes.flatMap((scopeId) =>
    signs.map((isUndone) => ({
      scope_id: scopeId,
      day,
      is_undone: isUndone,
      id,
      redemptions: 1,
      orders_amount,
      discounted_amount,
      credits,
    })),
  )
}

function talliesOf({ ctx }: Batch, rows: readonly Row[]): Array<[Tally, number]> {
  const sums = new Map<Tally, number>([['redemptions', rows.length]])
  for (const row of rows) {
    const figure = figureOf(row)
    if (row.campaign_id === null || figure === null) continue
    for (const [name, delta] of figureTallies({ ...ctx, now: row.created_at }, row.campaign_id as `camp_${string}`, {
      [figure]: 1,
    }))
      sums.set(name, (sums.get(name) ?? 0) + delta)
  }
  return [...sums]
}

function figureOf({ object, result }: Row): Figure | null {
  if (object === 'redemption') return result === 'FAILURE' ? 'redemptions_failed' : null
  return result === 'FAILURE' ? 'rollbacks_failed' : 'rollbacks_succeeded'
}
