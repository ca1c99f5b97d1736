import type { StoredCustomer } from '../audience/customers/customer.ts'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { Ctx } from '../core/context.ts'
import { trackingName } from '../core/http/tracking-id.ts'
import { callerChannel } from './caller-channel.ts'
import type { StoredRedemption } from './redemption.ts'

/** The columns that all redemptions of a request share; the caller sets the id and the related object. */
export function blankRow(
  ctx: Ctx,
  checkout: Checkout,
  redeemer: { customer: Pick<StoredCustomer, 'id'> | null },
): StoredRedemption {
  const { request, buyer } = checkout
  const sourceId = buyer.customer?.source_id ?? null
  return {
    project_id: ctx.project_id,
    id: 'r_',
    object: 'redemption',
    result: 'SUCCESS',
    status: 'SUCCEEDED',
    related_object_type: 'redemption',
    related_object_id: '',
    campaign_id: null,
    stack_id: null,
    voucher_code: null,
    parent_id: null,
    redemption_id: null,
    customer_id: redeemer.customer?.id ?? null,
    tracking_id: sourceId === null ? null : trackingName(ctx.project, sourceId),
    order_id: null,
    amount: null,
    metadata: request.metadata,
    // The key of a session that holds nothing is not stored (docs/reference/sessions.md).
    session_key: checkout.rows.has_session ? (request.session?.key ?? null) : null,
    ...callerChannel(ctx.caller),
    ...request.channel,
    failure_code: null,
    failure_message: null,
    reason: null,
    reward: null,
    order: null,
    undo: null,
    rollback: null,
    created_at: ctx.now,
  }
}
