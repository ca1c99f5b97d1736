import { addDuration, clockAt, readDuration } from '@guerdon/engine'
import { type StoredCustomer, toSimpleCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import type { NewEvent } from '../../core/events/emit.ts'
import { newId } from '../../core/lib/ids.ts'
import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { type CampaignInEvents, toSimpleCampaign } from '../campaigns/campaign.ts'
import { type StoredVoucher, toSimpleVoucher } from '../vouchers/voucher.ts'
import { toSimplePublication } from './publication.ts'
import type { StoredPublication } from './store.ts'
import type { PublicationRequest } from './target.ts'

/** What the row of a publication shows of its request. */
type ShownRequest = Omit<PublicationRequest, 'target' | 'join_once'> & {
  target: { voucher: StoredVoucher | null; campaign: CampaignInEvents | null }
}

/** The voucher as it is after the publication. */
export function asPublished(
  ctx: Ctx,
  voucher: StoredVoucher,
  campaign: CampaignInEvents | null,
  { id: holderId }: StoredCustomer,
): StoredVoucher {
  return {
    ...voucher,
    publish_count: voucher.publish_count + 1,
    holder_id: holderId,
    referrer_id: voucher.is_referral_code ? holderId : voucher.referrer_id,
    expiration_date: expirationOf(ctx, campaign) ?? voucher.expiration_date,
    updated_at: ctx.now,
  }
}

/**
 * The expiration date of a voucher published now, if the campaign limits its lifetime after publication
 * (docs/reference/validity-periods.md#from-campaign-to-voucher).
 */
function expirationOf({ now, project }: Ctx, campaign: CampaignInEvents | null): Instant | null {
  const duration = readDuration(campaign?.activity_duration_after_publishing ?? '')
  if (duration === null) return null
  const { at, zone } = clockAt(now, project.timezone)
  return toInstant(Math.min(addDuration(at, duration, zone), endOfTime))
}

/** The year of a date has four digits. */
const endOfTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The row of a successful publication. */
export function newPublication(
  { project_id, now }: Ctx,
  { target, source_id, metadata, channel }: ShownRequest,
  customer: StoredCustomer,
  vouchers: readonly StoredVoucher[],
): StoredPublication {
  const { campaign } = target
  const first = vouchers[0] ?? target.voucher
  return {
    project_id,
    id: newId('publication', Date.parse(now)),
    customer_id: customer.id,
    campaign_id: campaign?.id ?? null,
    voucher_ids: vouchers.map(({ id }) => id),
    voucher_code: first?.code ?? null,
    voucher_type: first?.type ?? campaign?.voucher_type ?? null,
    is_referral_code: first?.is_referral_code ?? campaign?.campaign_type === 'REFERRAL_PROGRAM',
    source_id,
    channel,
    metadata,
    result: 'SUCCESS',
    failure_code: null,
    failure_message: null,
    created_at: now,
  }
}

/** The events of a successful publication. */
export function successesOf(
  { now }: Ctx,
  row: StoredPublication,
  recipient: StoredCustomer,
  inCampaign: CampaignInEvents | null,
  published: readonly StoredVoucher[],
): NewEvent[] {
  const customer = toSimpleCustomer(recipient)
  const campaign = inCampaign === null ? null : toSimpleCampaign(inCampaign)
  const publication = toSimplePublication(row, recipient, published)
  const vouchers = published.map(toSimpleVoucher)
  const [voucher] = vouchers
  const common = { customer, campaign, publication }
  const voucherData = vouchers.length === 1 && voucher !== undefined ? { voucher } : { vouchers }
  return [
    { type: 'publication.succeeded', entity_id: row.id, data: { ...common, ...voucherData, user: null } },
    {
      type: 'customer.publication.succeeded',
      entity_id: recipient.id,
      data: { customer, campaign, publication: { ...publication, ...('voucher' in voucherData ? voucherData : {}) } },
    },
    ...published.map(
      ({ id }, n): NewEvent => ({
        type: 'voucher.published',
        entity_id: id,
        data: { ...common, voucher: vouchers[n] as (typeof vouchers)[number], created_at: now },
      }),
    ),
  ]
}
