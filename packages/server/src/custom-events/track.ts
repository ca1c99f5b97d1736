import { toSimpleCampaign } from '../campaigns/campaign.ts'
import { findCampaign, type StoredCampaign } from '../campaigns/store.ts'
import type { Ctx } from '../context.ts'
import { checkCustomEventMetadata } from '../custom-event-schemas/check.ts'
import { getCustomEventSchema } from '../custom-event-schemas/store.ts'
import { toSimpleCustomer } from '../customers/customer.ts'
import { findCustomerById } from '../customers/store.ts'
import { upsertCustomer } from '../customers/upsert.ts'
import { emit } from '../events/emit.ts'
import { ApiError } from '../http/errors.ts'
import { newId } from '../lib/ids.ts'
import { noteChanged } from '../segments/changed.ts'
import { getVoucher } from '../vouchers/store.ts'
import { type StoredVoucher, toSimpleVoucher } from '../vouchers/voucher.ts'
import type { TrackEvent, TrackedEvent } from './schema.ts'
import { insertCustomEvent } from './store.ts'

/** Stores what a customer did. Sent twice, it happened twice (spec 04, 10.2). */
export async function trackEvent(ctx: Ctx, body: TrackEvent): Promise<TrackedEvent> {
  const schema = await getCustomEventSchema(ctx, body.event)
  const metadata = body.metadata ?? {}
  checkCustomEventMetadata(schema, metadata)
  const referring = body.referral == null ? null : await namedCode(ctx, body.referral.code)
  const earning = body.loyalty == null ? null : await namedCode(ctx, body.loyalty.code)
  const { id, source_id } = body.customer
  if ((id ?? source_id ?? null) === null)
    throw new ApiError('invalid_customer', { details: `Property .customer should have 'id' or 'source_id'` })

  const { customer } = await upsertCustomer(ctx, body.customer)
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
  await emit(ctx, 'customer.custom_event', customer.id, {
    event: { ...event, object: 'event', customer: actor },
    event_schema: { id: schema.id, name: schema.name },
    customer: actor,
    referral: referring === null ? null : await referralData(ctx, referring),
    loyalty: earning === null || earning.campaign === null ? null : carried(earning.voucher, earning.campaign),
  })
  await noteChanged(ctx, [customer.id])
  // The contract answers two nulls, whatever was sent (spec 04, 10.2).
  return { object: 'event', ...said, referral: null, loyalty: null, customer: actor }
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
