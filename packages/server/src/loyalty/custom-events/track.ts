import { type StoredCustomer, toSimpleCustomer } from '../../audience/customers/customer.ts'
import { disabledOnClient, mayWriteCustomers } from '../../audience/customers/on-client-side.ts'
import type { CustomerBody } from '../../audience/customers/schema.ts'
import { findCustomerById, findCustomerBySource } from '../../audience/customers/store.ts'
import { upsertCustomer } from '../../audience/customers/upsert.ts'
import { queueMembershipCheck } from '../../audience/segments/queue-membership-check.ts'
import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import type { SimpleEvent } from '../../core/events/shapes.ts'
import { ApiError } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { checkCustomEventMetadata } from '../../definitions/custom-event-schemas/check.ts'
import { getCustomEventSchema } from '../../definitions/custom-event-schemas/store.ts'
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

/** Stores what a customer did. Sent twice, it happened twice (docs/reference/custom-events.md#tracking-an-event). */
export async function trackEvent(ctx: Ctx, body: TrackEvent): Promise<TrackedEvent> {
  if ((body.referral ?? body.loyalty ?? null) !== null) refuseUnlessRewarding(ctx)
  const schema = await getCustomEventSchema(ctx, body.event)
  const metadata = body.metadata ?? {}
  checkCustomEventMetadata(schema, metadata)
  const referring = body.referral == null ? null : await namedCode(ctx, body.referral.code)
  const earning = body.loyalty == null ? null : await namedCode(ctx, body.loyalty.code)
  const { id, source_id } = body.customer
  if ((id ?? source_id ?? null) === null)
    throw new ApiError('invalid_customer', { details: `Property .customer should have 'id' or 'source_id'` })

  if (referring !== null) await lockReferral(ctx, referring, schema.id, body.customer)
  const customer = await actorOf(ctx, body.customer)
  const referral = referring === null ? null : referralOf(referring)
  const loyalty = earning === null ? null : { code: earning.voucher.code }
  const said = { type: body.event, metadata }
  const event = { ...said, referral, loyalty, id: newId('custom_event'), created_at: ctx.now }
  await insertCustomEvent(ctx, {
    ...event,
    customer_id: customer.id,
    metadata: JSON.stringify(metadata),
    referral: referral && JSON.stringify(referral),
    loyalty: loyalty && JSON.stringify(loyalty),
  })
  const actor = toSimpleCustomer(customer)
  const tracked = { ...event, object: 'event', customer: actor } as const
  const told = await emit(ctx, 'customer.custom_event', customer.id, {
    event: tracked,
    event_schema: { id: schema.id, name: schema.name },
    customer: actor,
    referral: referring === null ? null : await referralData(ctx, referring),
    loyalty: earning === null || earning.campaign === null ? null : carried(earning.voucher, earning.campaign),
  })
  await queueMembershipCheck(ctx, [customer.id])
  const customEvent = { event: tracked, schema: { id: schema.id, name: schema.name } }
  await followEvent(ctx, customer, customEvent, told, { referring, earning })
  // The contract answers two nulls, whatever was sent (docs/reference/custom-events.md#tracking-an-event).
  return { object: 'event', ...said, referral: null, loyalty: null, customer: actor }
}

/**
 * Whom the event refers, and then what it pays; on a client side only where the project lets it
 * (docs/reference/custom-events.md#tracking-an-event).
 */
async function followEvent(
  ctx: Ctx,
  customer: StoredCustomer,
  customEvent: NonNullable<EarningTrigger['custom_event']>,
  told: SimpleEvent,
  { referring, earning }: { referring: NamedCode | null; earning: NamedCode | null },
): Promise<void> {
  if (ctx.caller.channel === 'CLIENT_API' && !ctx.project.client_loyalty_events_enabled) return
  const { event, schema } = customEvent
  const chain = newCascade()
  if (referring !== null) await convertEvent(ctx, referring, { event, schema_id: schema.id, referee: customer }, chain)
  const paid = await paidFor(ctx, event.type)
  if (paid === null) return
  const cause: EarningTrigger = {
    event: { event: event.type, schema_id: schema.id },
    told,
    custom_event: customEvent,
    ...(earning === null ? {} : { only_card: earning.voucher.id }),
  }
  await applyMemberChanges(ctx, customer.id, { ...paid, causes: [cause], chain })
}

/**
 * Referrals and cards are worth something: a client side names them only where the project lets it
 * (docs/reference/client-side.md#custom-events).
 */
function refuseUnlessRewarding({ caller, project }: Ctx): void {
  if (caller.channel === 'CLIENT_API' && !project.client_loyalty_events_enabled)
    throw disabledOnClient('client_loyalty_events_enabled')
}

/** Who did it: created or brought up to date by what was sent, where that may be, and otherwise known and left as it is. */
async function actorOf(ctx: Ctx, sent: CustomerBody): Promise<StoredCustomer> {
  if (mayWriteCustomers(ctx)) return (await upsertCustomer(ctx, sent)).customer
  const { id, source_id } = sent
  const known =
    id == null
      ? await findCustomerBySource(ctx, source_id as string, { lock: true })
      : await findCustomerById(ctx, id, { lock: true })
  if (known === undefined) throw disabledOnClient('client_create_customer_enabled')
  return known
}

interface NamedCode {
  voucher: StoredVoucher
  campaign: StoredCampaign | null
}

/** The code that an event names, which must exist. */
async function namedCode(ctx: Ctx, code: string): Promise<NamedCode> {
  const voucher = await getVoucher(ctx, code)
  const campaign = voucher.campaign_id === null ? undefined : await findCampaign(ctx, voucher.campaign_id)
  return { voucher, campaign: campaign ?? null }
}

/** Who referred; a code that refers nobody refers nobody here either. */
const referralOf = ({ voucher: { id, code, referrer_id } }: NamedCode) =>
  referrer_id === null ? null : { code, id, referrer_id }

async function referralData(ctx: Ctx, { voucher, campaign }: NamedCode) {
  const referrer = voucher.referrer_id === null ? undefined : await findCustomerById(ctx, voucher.referrer_id)
  if (referrer === undefined || campaign === null) return null
  return { referrer: toSimpleCustomer(referrer), ...carried(voucher, campaign) }
}

const carried = (voucher: StoredVoucher, campaign: StoredCampaign) => ({
  voucher: toSimpleVoucher(voucher),
  campaign: toSimpleCampaign(campaign),
})
