import { type StoredCustomer, toSimpleCustomer } from '../../audience/customers/customer.ts'
import {
  disabledOnClient,
  isClientSide,
  mayWriteCustomers,
  refuseUnlessActsFor,
} from '../../audience/customers/on-client-side.ts'
import type { CustomerBody } from '../../audience/customers/schema.ts'
import { findCustomerById, findCustomerBySource } from '../../audience/customers/store.ts'
import { upsertCustomer } from '../../audience/customers/upsert.ts'
import { queueMembershipCheck } from '../../audience/segments/queue-membership-check.ts'
import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import type { SimpleEvent } from '../../core/events/shapes.ts'
import { ApiError, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { checkCustomEventMetadata } from '../../definitions/custom-event-schemas/check.ts'
import type { CustomEventSchema } from '../../definitions/custom-event-schemas/schema.ts'
import { findCustomEventSchema } from '../../definitions/custom-event-schemas/store.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import { findCampaign, type StoredCampaign } from '../../incentives/campaigns/store.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import { type StoredVoucher, toSimpleVoucher } from '../../incentives/vouchers/voucher.ts'
import { newCascade } from '../points/card.ts'
import type { EarningTrigger } from '../points/earning-trigger.ts'
import { applyMemberChanges, paidFor } from '../points/member-changes.ts'
import { convertEvent, lockReferral } from '../referrals/convert-event.ts'
import type { TrackEvent, TrackedEvent } from './schema.ts'
import { insertCustomEvent } from './store.ts'

/**
 * Stores a custom event. There is no deduplication: an event sent twice counts twice
 * (docs/reference/custom-events.md#tracking-an-event).
 */
export async function trackEvent(ctx: Ctx, body: TrackEvent): Promise<TrackedEvent> {
  if ((body.referral ?? body.loyalty ?? null) !== null) refuseClientRewards(ctx)
  const schema = await definedEvent(ctx, body.event)
  const metadata = body.metadata ?? {}
  checkCustomEventMetadata(schema, metadata)
  const referringCode = body.referral == null ? null : await namedCode(ctx, body.referral.code)
  const earningCode = body.loyalty == null ? null : await namedCode(ctx, body.loyalty.code)
  const { id, source_id } = body.customer
  if ((id ?? source_id ?? null) === null)
    throw new ApiError('invalid_customer', { details: `Property .customer should have 'id' or 'source_id'` })

  if (referringCode !== null) await lockReferral(ctx, referringCode, schema.id, body.customer)
  const customer = await actorOf(ctx, body.customer)
  const referral = referringCode === null ? null : referralOf(referringCode)
  const loyalty = earningCode === null ? null : { code: earningCode.voucher.code }
  const typeAndMetadata = { type: body.event, metadata }
  const event = { ...typeAndMetadata, referral, loyalty, id: newId('custom_event'), created_at: ctx.now }
  await insertCustomEvent(ctx, {
    ...event,
    customer_id: customer.id,
    metadata: JSON.stringify(metadata),
    referral: referral && JSON.stringify(referral),
    loyalty: loyalty && JSON.stringify(loyalty),
  })
  const actor = toSimpleCustomer(customer)
  const tracked = { ...event, object: 'event', customer: actor } as const
  const emittedEvent = await emit(ctx, 'customer.custom_event', customer.id, {
    event: tracked,
    event_schema: { id: schema.id, name: schema.name },
    customer: actor,
    referral: referringCode === null ? null : await referralData(ctx, referringCode),
    loyalty:
      earningCode === null || earningCode.campaign === null
        ? null
        : voucherAndCampaign(earningCode.voucher, earningCode.campaign),
  })
  await queueMembershipCheck(ctx, [customer.id])
  const customEvent = { event: tracked, schema: { id: schema.id, name: schema.name } }
  await applyEvent(ctx, customer, customEvent, emittedEvent, { referringCode, earningCode })
  // The contract returns null for both, whatever was sent (docs/reference/custom-events.md#tracking-an-event).
  return { object: 'event', ...typeAndMetadata, referral: null, loyalty: null, customer: actor }
}

/**
 * Converts the customer of the event, then credits earnings; for client-side requests only if the project enables it
 * (docs/reference/custom-events.md#tracking-an-event).
 */
async function applyEvent(
  ctx: Ctx,
  customer: StoredCustomer,
  customEvent: NonNullable<EarningTrigger['custom_event']>,
  emittedEvent: SimpleEvent,
  { referringCode, earningCode }: { referringCode: NamedCode | null; earningCode: NamedCode | null },
): Promise<void> {
  if (isClientSide(ctx) && !ctx.project.client_loyalty_events_enabled) return
  const { event, schema } = customEvent
  const cascade = newCascade()
  if (referringCode !== null)
    await convertEvent(ctx, referringCode, { event, schema_id: schema.id, referee: customer }, cascade)
  const paid = await paidFor(ctx, event.type)
  if (paid === null) return
  const trigger: EarningTrigger = {
    event: { event: event.type, schema_id: schema.id },
    source_event: emittedEvent,
    custom_event: customEvent,
    ...(earningCode === null ? {} : { only_card: earningCode.voucher.id }),
  }
  await applyMemberChanges(ctx, customer.id, { ...paid, triggers: [trigger], cascade })
}

async function definedEvent(ctx: Ctx, name: string): Promise<CustomEventSchema> {
  const schema = await findCustomEventSchema(ctx, name)
  if (schema !== undefined) return schema
  const { facts } = notFound('custom_event_schema', name)
  const place = `/management/v1/projects/${ctx.project_id}/custom-event-schemas`
  throw new ApiError('not_found', { ...facts, details: `${facts.details}. Define it by POST ${place}` })
}

/**
 * Referrals and cards are worth something: client-side requests may name them only if the project enables it
 * (docs/reference/client-side.md#custom-events).
 */
function refuseClientRewards(ctx: Ctx): void {
  if (isClientSide(ctx) && !ctx.project.client_loyalty_events_enabled)
    throw disabledOnClient('client_loyalty_events_enabled')
}

/**
 * The customer of the event: created or updated from the request if the caller may write customers, else an existing one,
 * unchanged.
 */
async function actorOf(ctx: Ctx, sent: CustomerBody): Promise<StoredCustomer> {
  if (mayWriteCustomers(ctx)) {
    const mayChange = (existing: StoredCustomer) => {
      refuseUnlessActsFor(ctx, existing)
      return true
    }
    return (await upsertCustomer(ctx, sent, { mayChange })).customer
  }
  const { id, source_id } = sent
  const customer =
    id == null
      ? await findCustomerBySource(ctx, source_id as string, { lock: true })
      : await findCustomerById(ctx, id, { lock: true })
  if (customer === undefined) throw disabledOnClient('client_create_customer_enabled')
  refuseUnlessActsFor(ctx, customer)
  return customer
}

interface NamedCode {
  voucher: StoredVoucher
  campaign: StoredCampaign | null
}

/** The voucher that an event names; 404 if it does not exist. */
async function namedCode(ctx: Ctx, code: string): Promise<NamedCode> {
  const voucher = await getVoucher(ctx, code)
  const campaign = voucher.campaign_id === null ? undefined : await findCampaign(ctx, voucher.campaign_id)
  return { voucher, campaign: campaign ?? null }
}

/** The referral of an event; null if the code has no referrer. */
const referralOf = ({ voucher: { id, code, referrer_id } }: NamedCode) =>
  referrer_id === null ? null : { code, id, referrer_id }

async function referralData(ctx: Ctx, { voucher, campaign }: NamedCode) {
  const referrer = voucher.referrer_id === null ? undefined : await findCustomerById(ctx, voucher.referrer_id)
  if (referrer === undefined || campaign === null) return null
  return { referrer: toSimpleCustomer(referrer), ...voucherAndCampaign(voucher, campaign) }
}

const voucherAndCampaign = (voucher: StoredVoucher, campaign: StoredCampaign) => ({
  voucher: toSimpleVoucher(voucher),
  campaign: toSimpleCampaign(campaign),
})
