import { balanceOf, collectedInPeriod, moveTier } from '@guerdon/engine'
import type { TierEvent, TierState } from '@guerdon/engine/schema'
import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import type { NewEvent } from '../../core/events/emit.ts'
import { newId } from '../../core/lib/ids.ts'
import type { LoyaltyTier } from '../tiers/schema.ts'
import { simpleCampaign } from './campaign-view.ts'
import {
  type Card,
  cardAccountOf,
  type LedgerMoment,
  type LoyaltyUnitOfWork,
  type Member,
  momentNow,
  queueEvents,
} from './card.ts'
import { loyaltyTierView, tierExpiration } from './view.ts'

/** A change of a member's tier, which earning rules may pay for. */
export interface TierChange {
  /** The id of the emitted event. */
  event_id: string
  type: `customer.loyalty.tier.${TierEvent['type']}`
  tier_id: string
  card: Card
}

/**
 * Recomputes the tier of a member and emits its changes (docs/reference/loyalty-tiers.md#rank-and-ranges). `measure` is passed
 * when lots that are about to expire still count.
 */
export function reviewTier(
  work: LoyaltyUnitOfWork,
  card: Card,
  moment: LedgerMoment,
  {
    changed = null,
    measure = measureOf(card, moment),
  }: { changed?: 'tiers' | 'settings' | null; measure?: number } = {},
): TierChange[] {
  const { tiers, settings } = card.program
  if (tiers.length === 0 && card.member.tier_id === null) return []
  const { state, events } = moveTier({
    tiers: [...tiers],
    settings,
    state: stateOf(card.member),
    today: moment.today,
    measure,
    changed,
  })
  const changes = events.map((event) => applyTierEvent(work, card, event))
  saveScheduledTier(card, state)
  return changes
}

/** Ends the tier of a card that is deleted. */
export function leaveTier(work: LoyaltyUnitOfWork, card: Card): TierChange[] {
  const { tier_id } = card.member
  if (tier_id === null) return []
  const { today } = momentNow(work.ctx)
  return [applyTierEvent(work, card, { type: 'left', date: today, tier_id, previous_tier_id: tier_id, current: null })]
}

/** The points that decide the tier: the balance, or the points collected in the current period. */
function measureOf(card: Card, { today }: LedgerMoment): number {
  const { settings } = card.program
  return settings?.qualification_type === 'POINTS_IN_PERIOD'
    ? collectedInPeriod(card.credits, settings.qualification_period, today)
    : balanceOf(cardAccountOf(card), today)
}

export function stateOf(member: Member): TierState {
  const { tier_id, tier_start_date, tier_expiration_date, scheduled_tier_id, scheduled_start_date } = member
  return {
    current:
      tier_id === null || tier_start_date === null
        ? null
        : { tier_id, start_date: tier_start_date, expiration_date: tier_expiration_date },
    scheduled:
      scheduled_tier_id === null || scheduled_start_date === null
        ? null
        : { tier_id: scheduled_tier_id, start_date: scheduled_start_date },
  }
}

/** Applies one tier change and emits its event, with the tiers as currently configured. */
function applyTierEvent(
  work: LoyaltyUnitOfWork,
  card: Card,
  { type, tier_id, previous_tier_id, current }: TierEvent,
): TierChange {
  const { ctx, configuration } = work
  const { member, person, program } = card
  const before = tierWithDates(work, member)
  const isNewTier = current?.tier_id !== member.tier_id
  card.member = {
    ...member,
    tier_id: (current?.tier_id ?? null) as Member['tier_id'],
    tier_start_date: current?.start_date ?? null,
    tier_expiration_date: current?.expiration_date ?? null,
    tier_created_at: current === null ? null : isNewTier ? ctx.now : member.tier_created_at,
    tier_updated_at: current === null || isNewTier ? null : ctx.now,
  }
  card.is_member_changed = true
  const { name } = program.campaign
  if (isNewTier) person.moves[name] = { ...person.moves[name], loyalty_tier: current?.tier_id ?? null }
  const eventId = newId('customer_event')
  const after = tierWithDates(work, card.member)
  const data = {
    customer: toSimpleCustomer(person.customer),
    campaign: simpleCampaign(configuration, program.campaign),
    created_at: ctx.now,
  }
  const emitTierEvent = (more: object) =>
    queueEvents(work, {
      id: eventId,
      type: `customer.loyalty.tier.${type}`,
      entity_id: person.customer.id,
      data: { ...data, ...more },
    } as NewEvent)
  if (type === 'upgraded' || type === 'downgraded')
    emitTierEvent({ loyalty_tier_from: before ?? deletedTier(previous_tier_id), loyalty_tier_to: after })
  else if (type === 'expiration.changed')
    emitTierEvent({ loyalty_tier: after, expiration_date: current?.expiration_date ?? null })
  else emitTierEvent({ loyalty_tier: type === 'left' ? (before ?? deletedTier(previous_tier_id)) : after })
  return { event_id: eventId, type: `customer.loyalty.tier.${type}`, tier_id, card }
}

/** The tier of a member with its start and expiration dates. */
function tierWithDates({ configuration }: LoyaltyUnitOfWork, member: Member): LoyaltyTier | null {
  const tier = loyaltyTierView(configuration, member.tier_id)
  return tier === null ? null : { ...tier, expiration: tierExpiration(member) }
}

/** A deleted tier, which events show by its id only. */
const deletedTier = (id: string | null): object => ({ id, object: 'loyalty_tier' })

function saveScheduledTier(card: Card, { scheduled }: TierState): void {
  const { member } = card
  const [tierId, startDate] = [scheduled?.tier_id ?? null, scheduled?.start_date ?? null]
  if (member.scheduled_tier_id === tierId && member.scheduled_start_date === startDate) return
  card.member = {
    ...member,
    scheduled_tier_id: tierId as Member['scheduled_tier_id'],
    scheduled_start_date: startDate,
  }
  card.is_member_changed = true
}
