import type { Ctx } from '../../core/context.ts'
import type { PendingPointsRow } from '../../core/db/tables.ts'
import { ApiError, notFound } from '../../core/http/errors.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { toSimpleOrder } from '../../orders/order.ts'
import { listOrdersById } from '../../orders/store.ts'
import { openCard, toPointsBalance } from './adjust.ts'
import { type LoyaltyUnitOfWork, momentNow, type PendingEntry } from './card.ts'
import { applyBalanceChanges } from './cascade.ts'
import { emitPending } from './events.ts'
import { adjustPending, type PendingMovement } from './ledger.ts'
import { activate, cancel } from './pending.ts'
import type { PendingPointsBalance, PointsBalance } from './schema.ts'
import { saveMembers } from './unit-of-work.ts'

/** Activates pending points before their day (docs/reference/points.md#change-pending-points). */
export async function activatePendingPoints(ctx: Ctx, member: StoredVoucher, id: string): Promise<PointsBalance> {
  const { work, movement } = await openEntry(ctx, member, id, 'activated')
  const { balance } = activate(work, movement)
  await applyBalanceChanges(work, [member.id], movement.moment, { isIncreased: true })
  await saveMembers(work)
  return toPointsBalance(balance)
}

/** Adjusts the number of pending points; at least one must remain (docs/reference/points.md#change-pending-points). */
export async function adjustPendingPoints(
  ctx: Ctx,
  member: StoredVoucher,
  id: string,
  points: number,
): Promise<PendingPointsBalance> {
  const { work, movement } = await openEntry(ctx, member, id, 'updated')
  const remaining = movement.entry.points + points
  if (points === 0 || remaining <= 0 || !Number.isSafeInteger(remaining))
    throw new ApiError('invalid_amount', { details: 'Amount has to be a valid positive number' })
  const balance = adjustPending(work, movement, points)
  emitPending(work, 'updated', movement, balance)
  await saveMembers(work)
  return { ...balance, operation_type: 'MANUAL' }
}

export async function cancelPendingPoints(ctx: Ctx, member: StoredVoucher, id: string): Promise<void> {
  const { work, movement } = await openEntry(ctx, member, id, 'canceled')
  cancel(work, movement)
  await saveMembers(work)
}

/** Loads an entry of a card and locks the holder. Only an entry that is still pending can be changed. */
async function openEntry(
  ctx: Ctx,
  member: StoredVoucher,
  pendingId: string,
  verb: string,
): Promise<{ work: LoyaltyUnitOfWork; movement: PendingMovement }> {
  await findEntry(ctx, member, pendingId)
  const { work, card } = await openCard(ctx, member, { pending_id: pendingId })
  const entry = card.pending.find(({ id, status }) => id === pendingId && status === 'PENDING')
  if (entry !== undefined) {
    const order = await orderOf(ctx, entry)
    return { work, movement: { card, entry, order, moment: momentNow(ctx), operation_type: 'MANUAL' } }
  }
  const { status } = await findEntry(ctx, member, pendingId)
  // An entry that `applyDueChanges` has just processed is still PENDING in the database.
  const current = card.pending.find(({ id }) => id === pendingId)?.status ?? status
  throw new ApiError('invalid_pending_points_state', {
    details: `Only pending points in 'PENDING' status can be ${verb}. Current status: '${current}'.`,
  })
}

async function findEntry(
  { db, project_id }: Ctx,
  { id: voucherId }: StoredVoucher,
  id: string,
): Promise<Pick<PendingPointsRow, 'status'>> {
  const found = await db
    .selectFrom('pending_points')
    .where('project_id', '=', project_id)
    .where('id', '=', id as PendingPointsRow['id'])
    .where('voucher_id', '=', voucherId)
    .select('status')
    .executeTakeFirst()
  if (found === undefined) throw notFound('pending_points', id)
  return found
}

async function orderOf(ctx: Ctx, { order_id }: PendingEntry) {
  const [order] = await listOrdersById(ctx, [order_id])
  return order === undefined ? null : toSimpleOrder(order)
}
