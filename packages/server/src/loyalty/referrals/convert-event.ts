import { clockAt, earningScene, evaluateRule, whyNotValid } from '@guerdon/engine'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { CustomerBody } from '../../audience/customers/schema.ts'
import { findCustomerById, findCustomerBySource, listCustomersById } from '../../audience/customers/store.ts'
import { listSegmentsOf } from '../../audience/segments/of-customer.ts'
import { asksForSegments, type Configuration, rulesOf } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { CustomEvent } from '../../core/events/shapes.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import type { CascadeState } from '../points/card.ts'
import { configurationNow } from '../points/programs.ts'
import { convert, referrerIdOf } from './conversion.ts'
import { termsOf } from './conversion-terms.ts'

/** The code that an event names, and its program. */
export interface Referring {
  voucher: StoredVoucher
  campaign: StoredCampaign | null
}

/** A code of a program in which events of a schema convert, and whose it is; null: nobody is referred by them. */
function referralBy({ voucher, campaign }: Referring, schemaId: string) {
  const referrerId = referrerIdOf(voucher)
  if (campaign === null || !voucher.is_referral_code || referrerId === null) return null
  const { conversion_event_type, custom_event } = termsOf(campaign)
  const isMeant = conversion_event_type === 'custom_event' && custom_event?.id === schemaId
  return isMeant ? { campaign, referrer_id: referrerId } : null
}

/**
 * Locks whoever may be referred by an event together with whoever refers, in the order of their ids: two who refer each other
 * would otherwise wait for each other. A customer who is still to be created comes last by its id anyway.
 */
export async function lockReferral(
  ctx: Ctx,
  referring: Referring,
  schemaId: string,
  { id, source_id }: CustomerBody,
): Promise<void> {
  const referral = referralBy(referring, schemaId)
  if (referral === null) return
  const known = id != null ? await findCustomerById(ctx, id) : await findCustomerBySource(ctx, source_id as string)
  const ids = [referral.referrer_id, ...(known === undefined ? [] : [known.id])]
  await listCustomersById(ctx, ids, { lock: true })
}

/**
 * Notes whom a custom event referred (docs/reference/referrals.md#conversion). A code or a program that is not valid now converts
 * nobody, nor does the referrer itself, nor anybody whom the rules of the program do not allow.
 */
export async function convertEvent(
  ctx: Ctx,
  referring: Referring,
  { event, schema_id, referee }: { event: CustomEvent; schema_id: string; referee: StoredCustomer },
  chain: CascadeState,
): Promise<void> {
  const referral = referralBy(referring, schema_id)
  if (referral === null || referral.referrer_id === referee.id) return
  const { campaign: program, referrer_id } = referral
  const referrer = await findCustomerById(ctx, referrer_id, { lock: true })
  if (referrer === undefined || !isValid(ctx, referring.voucher, program)) return
  const configuration = await configurationNow(ctx)
  if (!(await passes(ctx, configuration, program, event, referee))) return
  const code = referring.voucher
  const campaign = toSimpleCampaign(program)
  const by = { id: event.id, type: 'event', redemption: null, custom_event: event } as const
  await convert(ctx, { configuration, program, campaign, code, referrer, referee, by }, chain)
}

function isValid({ now, project }: Ctx, voucher: StoredVoucher, campaign: StoredCampaign): boolean {
  const clock = clockAt(now, project.timezone)
  const { start_date, expiration_date, terms } = voucher
  const { validity_timeframe = null, validity_day_of_week = null, validity_hours = null } = terms
  const own = { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours }
  return voucher.active && campaign.active && whyNotValid(own, clock) === null && whyNotValid(campaign, clock) === null
}

/** Rules see the one who is referred and the event, as they do where points are earned for events. */
async function passes(
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
  const scene = earningScene({
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
