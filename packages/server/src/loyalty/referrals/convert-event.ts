import { clockAt, earningScope, evaluateRule, whyNotValid } from '@guerdon/engine'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { CustomerBody } from '../../audience/customers/schema.ts'
import { findCustomerById, findCustomerBySource, listCustomersById } from '../../audience/customers/store.ts'
import { listSegmentsOf } from '../../audience/segments/of-customer.ts'
import { asksForSegments, type Configuration, rulesOf } from '../../core/configuration/configuration.ts'
import { configurationNow } from '../../core/configuration/configuration-now.ts'
import type { Ctx } from '../../core/context.ts'
import type { CustomEvent } from '../../core/events/shapes.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import type { CascadeState } from '../points/card.ts'
import { convert, referrerIdOf } from './conversion.ts'
import { conversionTermsOf } from './conversion-terms.ts'

/** The code that an event names, and its program. */
export interface Referring {
  voucher: StoredVoucher
  campaign: StoredCampaign | null
}

/** The program and the referrer, if events of this schema convert in the program of the code; else null. */
function referralOf({ voucher, campaign }: Referring, schemaId: string) {
  const referrerId = referrerIdOf(voucher)
  if (campaign === null || !voucher.is_referral_code || referrerId === null) return null
  const { conversion_event_type, custom_event } = conversionTermsOf(campaign)
  const converts = conversion_event_type === 'custom_event' && custom_event?.id === schemaId
  return converts ? { campaign, referrer_id: referrerId } : null
}

/**
 * Locks the possible referee together with the referrer, in the order of their ids: two customers who refer each other would
 * otherwise deadlock. A customer still to be created has the highest id anyway.
 */
export async function lockReferral(
  ctx: Ctx,
  referring: Referring,
  schemaId: string,
  { id, source_id }: CustomerBody,
): Promise<void> {
  const referral = referralOf(referring, schemaId)
  if (referral === null) return
  const customer = id != null ? await findCustomerById(ctx, id) : await findCustomerBySource(ctx, source_id as string)
  const ids = [referral.referrer_id, ...(customer === undefined ? [] : [customer.id])]
  await listCustomersById(ctx, ids, { lock: true })
}

/**
 * Converts the customer of a custom event (docs/reference/referrals.md#conversion). Nothing happens if the code or the program
 * is not valid now, if the customer is the referrer, or if the rules of the program do not allow the customer.
 */
export async function convertEvent(
  ctx: Ctx,
  referring: Referring,
  { event, schema_id, referee }: { event: CustomEvent; schema_id: string; referee: StoredCustomer },
  cascade: CascadeState,
): Promise<void> {
  const referral = referralOf(referring, schema_id)
  if (referral === null || referral.referrer_id === referee.id) return
  const { campaign: program, referrer_id } = referral
  const referrer = await findCustomerById(ctx, referrer_id, { lock: true })
  if (referrer === undefined || !isValid(ctx, referring.voucher, program)) return
  const configuration = await configurationNow(ctx)
  if (!(await passesRules(ctx, configuration, program, event, referee))) return
  const code = referring.voucher
  const campaign = toSimpleCampaign(program)
  const by = { id: event.id, type: 'event', redemption: null, custom_event: event } as const
  await convert(ctx, { configuration, program, campaign, code, referrer, referee, by }, cascade)
}

function isValid({ now, project }: Ctx, voucher: StoredVoucher, campaign: StoredCampaign): boolean {
  const clock = clockAt(now, project.timezone)
  const { start_date, expiration_date, terms } = voucher
  const { validity_timeframe = null, validity_day_of_week = null, validity_hours = null } = terms
  const codeValidity = { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours }
  return (
    voucher.active &&
    campaign.active &&
    whyNotValid(codeValidity, clock) === null &&
    whyNotValid(campaign, clock) === null
  )
}

/** Evaluates the rules of the program against the referee and the event, as for points earned by events. */
async function passesRules(
  ctx: Ctx,
  configuration: Configuration,
  { id }: StoredCampaign,
  event: CustomEvent,
  referee: StoredCustomer,
): Promise<boolean> {
  const rules = rulesOf(configuration, id)
  if (rules.length === 0) return true
  const { source_id, birthdate, birthday, metadata, loyalty } = referee
  const segments = asksForSegments(configuration) ? await listSegmentsOf(ctx, referee.id) : []
  const scene = earningScope({
    now: ctx.now,
    timezone: ctx.project.timezone,
    order: null,
    customer: {
      id: referee.id,
      source_id,
      birthdate: birthdate ?? birthday,
      metadata,
      segments: segments.map((segment) => segment.id),
      loyalty_tiers: Object.values(loyalty.campaigns).flatMap(({ loyalty_tier }) => loyalty_tier ?? []),
    },
    event_metadata: event.metadata,
    catalogue: { collections: configuration.collections, locations: configuration.locations },
  })
  return rules.every((rule) => evaluateRule(rule, scene, { available: 'earning.event' }).holds !== false)
}
