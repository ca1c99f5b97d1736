import { addDuration, clockAt, defaultStackingRules, readDuration } from '@guerdon/engine'
import type { StoredCustomer } from '../audience/customers/customer.ts'
import { ambiguous } from '../audience/customers/on-client-side.ts'
import { findCustomerById, findCustomerBySource } from '../audience/customers/store.ts'
import { changeCustomer } from '../audience/customers/upsert.ts'
import { type CheckoutRequest, readRequest } from '../checkout/decision/request.ts'
import { saveCheckout } from '../checkout/decision/save.ts'
import type { Ctx } from '../core/context.ts'
import { ApiError, type ErrorKey, errorMessage, notFound } from '../core/http/errors.ts'
import { trackingName } from '../core/http/tracking-id.ts'
import { newId } from '../core/lib/ids.ts'
import { loadMetadataRules, refuseUnlessStorable } from '../definitions/metadata-schemas/rules.ts'
import { figureTallies } from '../incentives/campaigns/summary-figures.ts'
import { applyDueChangesToCards } from '../loyalty/points/due-changes-to-cards.ts'
import { applyMemberChanges, onOrderCanceled } from '../loyalty/points/member-changes.ts'
import { undoConversions } from '../loyalty/referrals/undo-conversion.ts'
import { toCalculatedOrder } from '../orders/order.ts'
import { hasProfile } from '../orders/people.ts'
import { findStackingRules } from '../rules/stacking-rules/store.ts'
import type { StoredRedemption } from './redemption.ts'
import { revokeRewards } from './revoke-rewards.ts'
import {
  decideRollback,
  type Rollback,
  type RollbackEventContext,
  rollbackChanges,
  rollbackRow,
} from './rollback-changes.ts'
import { rollbackEvents, rollbackFailureEvents } from './rollback-events.ts'
import { loadRollback, type RollbackFacts } from './rollback-load.ts'
import type { RedemptionRollbacks, RollBackRedemption, RollbackQuery } from './rollback-schema.ts'
import type { RedemptionRollback } from './schema.ts'
import { showRedemptions } from './show.ts'
import { listCodesOf, type ShownRow } from './store.ts'

/** Rolls back a single redemption (docs/reference/rollbacks.md#roll-back-one). */
export async function rollBackRedemption(
  ctx: Ctx,
  redemption: ShownRow,
  query: RollbackQuery,
  body: RollBackRedemption,
): Promise<RedemptionRollback | ApiError> {
  refuseUnlessRedeemed(redemption)
  if (redemption.related_object_type === 'redemption')
    throw invalidRedemption(redemption, `Redemption ${redemption.id} is of several together: roll back all of them`)
  const answer = await rollBack(ctx, redemption, { ...body, ...query })
  return answer instanceof ApiError ? answer : (answer.rollbacks[0] as RedemptionRollback)
}

/**
 * Rolls back all redemptions of one request, or none (docs/reference/rollbacks.md#roll-back-several). Accepts a single
 * redemption too.
 */
export async function rollBackRedemptions(
  ctx: Ctx,
  redemption: ShownRow,
  query: RollbackQuery,
  body: RollBackRedemption,
): Promise<RedemptionRollbacks | ApiError> {
  refuseUnlessRedeemed(redemption)
  return rollBack(ctx, redemption, { ...body, ...query })
}

/** Checks only columns that never change, so no lock is needed. */
function refuseUnlessRedeemed(redemption: ShownRow): void {
  const { id, object, result, parent_id } = redemption
  if (object !== 'redemption' || result !== 'SUCCESS') throw invalidRedemption(redemption, `${id} redeemed nothing`)
  if (parent_id !== null)
    throw new ApiError('invalid_redemption_parent', {
      details: 'You can rollback only a redemption that does not have parent redemption.',
      resource_id: id,
      resource_type: 'redemption',
    })
}

async function rollBack(
  ctx: Ctx,
  redemption: ShownRow,
  request: RollBackRedemption,
): Promise<RedemptionRollbacks | ApiError> {
  const { metadata, reason } = request
  if (metadata != null) refuseUnlessStorable(metadata)
  const { customer: sentCustomer, tracked } = readRequest(ctx, pickCustomer(request), [])
  await refuseOtherCustomer(ctx, redemption, sentCustomer, tracked)
  await applyDueChangesToCards(ctx, await listCodesOf(ctx, redemption.id))
  const facts = await loadRollback(ctx, redemption)
  refuseOtherOrder(facts, request.order)

  const context: RollbackEventContext = {
    reason: reason ?? null,
    metadata: metadata ?? null,
    tracking_id: redemption.tracking_id,
  }
  const refusal = whyNot(ctx, facts.redemption)
  if (refusal !== null) return saveFailure(ctx, facts, context, refusal)

  if (sentCustomer !== null && facts.customer !== null && hasProfile(sentCustomer.profile))
    facts.customer = await changeCustomer(ctx, facts.customer, sentCustomer.profile, {
      rules: await loadMetadataRules(ctx, 'customer'),
    })
  const sourceId = facts.customer?.source_id ?? null
  if (sourceId !== null) context.tracking_id = trackingName(ctx.project, sourceId)
  return save(ctx, facts, context)
}

const pickCustomer = ({ customer, tracking_id }: RollBackRedemption) => ({
  ...(customer == null ? {} : { customer }),
  ...(tracking_id == null ? {} : { tracking_id }),
})

/** The customer of the request must be the one that redeemed. A profile without an id belongs to that customer too. */
async function refuseOtherCustomer(
  ctx: Ctx,
  { customer_id }: ShownRow,
  sentCustomer: CheckoutRequest['customer'],
  tracked: CheckoutRequest['tracked'],
): Promise<void> {
  if (sentCustomer === null) return
  const { id, source_id, sent } = sentCustomer
  if (id === null && source_id === null) {
    if (customer_id === null) throw invalidCustomer('The redemption has no customer')
    return
  }
  const customer = await findSentCustomer(ctx, id, source_id)
  if (customer === undefined) throw notFound('customer', (id ?? source_id) as string)
  if (tracked !== null && customer.source_id !== tracked.source_id) throw ambiguous(tracked.sent, sent)
  if (customer.id !== customer_id) throw invalidCustomer(`The redemption is not one of ${customer.id}`)
}

async function findSentCustomer(
  ctx: Ctx,
  id: string | null,
  sourceId: string | null,
): Promise<StoredCustomer | undefined> {
  const byId = id === null ? undefined : await findCustomerById(ctx, id)
  return byId ?? (sourceId === null ? undefined : await findCustomerBySource(ctx, sourceId))
}

function refuseOtherOrder({ order, redemption }: RollbackFacts, sent: RollBackRedemption['order']): void {
  const { id, source_id } = sent ?? {}
  if (id == null && source_id == null) return
  const isSame = id == null ? order !== null && order.source_id === source_id : redemption.order_id === id
  if (!isSame) throw new ApiError('invalid_order', { details: `The redemption is not one of order ${id ?? source_id}` })
}

/** Why a redemption can no longer be rolled back; null: it can. */
function whyNot(
  { now, project: { timezone } }: Ctx,
  { id, status, created_at }: StoredRedemption,
): { key: ErrorKey; details: string } | null {
  if (status === 'ROLLED_BACK')
    return { key: 'already_rolled_back', details: 'Redemption has been already rolled back.' }
  const { at, zone } = clockAt(created_at, timezone)
  return addDuration(at, rollbackPeriod, zone) < Date.parse(now)
    ? { key: 'invalid_redemption', details: `Redemption ${id} is older than 3 months` }
    : null
}

/** A redemption can be rolled back for three calendar months (docs/reference/rollbacks.md#roll-back-one). */
const rollbackPeriod = readDuration('P3M') as NonNullable<ReturnType<typeof readDuration>>

/** Stores the failed rollback. The refusal is returned, not thrown: throwing would roll back the transaction that stores it. */
async function saveFailure(
  ctx: Ctx,
  facts: RollbackFacts,
  context: RollbackEventContext,
  { key, details }: { key: ErrorKey; details: string },
): Promise<ApiError> {
  const { redemption, customer } = facts
  const id = newId('failed_rollback', Date.parse(ctx.now))
  const row: StoredRedemption = {
    ...rollbackRow(ctx, redemption, context),
    id,
    result: 'FAILURE',
    status: 'FAILED',
    ...(redemption.related_object_type === 'redemption' ? { related_object_id: id } : {}),
    amount: null,
    failure_code: key,
    failure_message: errorMessage(key),
  }
  const { campaign_id } = redemption
  await saveCheckout(ctx, ctx.db, {
    redemptions: [row],
    ...(customer === null
      ? {}
      : { customers: [{ id: customer.id, add: { rollbacks_failed: 1 } }], segment_checks: [customer.id] }),
    tallies: [
      ['redemptions', 1],
      ...(campaign_id === null ? [] : figureTallies(ctx, campaign_id, { rollbacks_failed: 1 })),
    ],
    events: rollbackFailureEvents(facts, row),
  })
  return new ApiError(key, { details, resource_id: id, resource_type: 'redemption_rollback' })
}

async function save(ctx: Ctx, facts: RollbackFacts, context: RollbackEventContext): Promise<RedemptionRollbacks> {
  const { redeemables_rollback_order_mode: mode } = (await findStackingRules(ctx)) ?? defaultStackingRules
  const rollback = await decideRollback(ctx, facts, mode, context)
  const events = await rollbackEvents(ctx, facts, rollback)
  await saveCheckout(ctx, ctx.db, { ...rollbackChanges(ctx, facts, rollback), events })
  await undoConversions(ctx, {
    redemption_ids: facts.parts.map(({ id }) => id),
    code_ids: [...facts.vouchers.values()].flatMap(({ id, is_referral_code }) => (is_referral_code ? [id] : [])),
    campaigns: facts.campaigns,
    customer_id: facts.redemption.customer_id,
    customer: facts.customer,
  })
  await applyRollbackFollowUps(ctx, facts, rollback)

  const { parent, parts, order } = rollback
  const undoneAt = facts.redemption.created_at
  const rows = [...parts.map(({ row }) => row), ...(parent === null ? [] : [parent])]
  const rollbacks = (await showRedemptions(
    ctx,
    rows.map((row) => ({ ...row, undone_at: undoneAt })),
  )) as RedemptionRollback[]
  const parentRollback = rollbacks[parts.length]
  return {
    rollbacks: rollbacks.slice(0, parts.length),
    ...(parentRollback === undefined ? {} : { parent_rollback: parentRollback }),
    order: order && toCalculatedOrder(order),
  }
}

/**
 * Follow-ups of a saved rollback: revokes rewards, updates the cards that got points back, and cancels the pending points of a
 * canceled order.
 */
async function applyRollbackFollowUps(ctx: Ctx, facts: RollbackFacts, rollback: Rollback): Promise<void> {
  const { order, parts } = rollback
  await revokeRewards(ctx, facts, rollback)
  const cards = parts.flatMap(({ voucher }) => (voucher?.type === 'LOYALTY_CARD' ? [voucher.id] : []))
  // Refunded points do not trigger automatic redemptions: that would redo what the caller rolls back.
  if (facts.customer !== null && cards.length > 0)
    await applyMemberChanges(ctx, facts.customer.id, { changedCardIds: cards })
  if (order?.status === 'CANCELED' && facts.order?.status !== 'CANCELED') await onOrderCanceled(ctx, order)
}

const invalidRedemption = ({ id }: ShownRow, details: string): ApiError =>
  new ApiError('invalid_redemption', { details, resource_id: id, resource_type: 'redemption' })

const invalidCustomer = (details: string): ApiError => new ApiError('invalid_customer', { details })
