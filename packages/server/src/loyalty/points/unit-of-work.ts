import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import { saveCheckout } from '../../checkout/decision/save.ts'
import type { Configuration } from '../../core/configuration/configuration.ts'
import { configurationNow } from '../../core/configuration/configuration-now.ts'
import type { Ctx } from '../../core/context.ts'
import type { Changes } from '../../core/db/checkout-changes.ts'
import type { CustomerLoyalty } from '../../core/db/tables.ts'
import { simpleCampaign } from './campaign-view.ts'
import {
  allCards,
  type Card,
  type CardLoadOptions,
  type CardMove,
  type CascadeState,
  type LoyaltyUnitOfWork,
  momentNow,
  newCascade,
  type QueuedWrites,
  queueEvents,
} from './card.ts'
import { nextDue } from './due.ts'
import { loadPeople } from './load-members.ts'
import { programsOf } from './programs.ts'

const noWrites = (): QueuedWrites => ({
  transactions: [],
  postings: [],
  pending_points: [],
  earnings: [],
  reward_redemptions: [],
  tallies: [],
  lots: [],
  events: [],
})

interface UnitOfWorkOptions extends CardLoadOptions {
  cascade?: CascadeState
  /** Passed if the request has just loaded it. */
  configuration?: Configuration
}

/** Locks customers with all their cards until the end of the transaction, and loads them. */
export async function lockAndLoadMembers(
  ctx: Ctx,
  customerIds: readonly string[],
  { cascade = newCascade(), configuration: known, ...loadOptions }: UnitOfWorkOptions = {},
): Promise<LoyaltyUnitOfWork> {
  const configuration = known ?? (await configurationNow(ctx))
  const programs = programsOf(configuration)
  const work: LoyaltyUnitOfWork = {
    ctx,
    configuration,
    programs,
    people: new Map(),
    cascade,
    writes: noWrites(),
    loadOptions,
  }
  work.people = await loadPeople(work, customerIds)
  return work
}

/**
 * Saves the unit of work, runs an action that changes the same rows outside of it, and loads them again. References to people
 * and cards taken before the call are stale after it.
 */
export async function flushAndReload<T>(work: LoyaltyUnitOfWork, action: () => Promise<T>): Promise<T> {
  const customerIds = [...work.people.keys()]
  await saveMembers(work)
  const result = await action()
  work.writes = noWrites()
  work.people = await loadPeople(work, customerIds)
  return result
}

/** Writes all changes. The people and cards in memory are stale after that. */
export async function saveMembers(work: LoyaltyUnitOfWork): Promise<void> {
  const { ctx, writes } = work
  const cards = [...allCards(work)]
  for (const card of cards) updateDueDate(work, card)
  emitLoyaltyUpdates(work)
  const changes: Changes = {
    ...writes,
    customers: [...work.people.values()].flatMap(({ customer, moves }) =>
      Object.values(moves).every((move) => Object.keys(move).length === 0) ? [] : [{ id: customer.id, loyalty: moves }],
    ),
    vouchers: cards.flatMap(({ voucher: { id, xmin }, change }) =>
      Object.keys(change).length === 0 ? [] : [{ id, xmin, ...change }],
    ),
    lots: [...writes.lots, ...cards.flatMap(changedLots)],
    members: cards.flatMap(({ member, is_member_changed }) => (is_member_changed ? [member] : [])),
  }
  if (Object.values(changes).every((rows) => rows.length === 0)) return
  const changed = changes.customers?.map(({ id }) => id) ?? []
  await saveCheckout(ctx, ctx.db, { ...changes, ...(changed.length === 0 ? {} : { segment_checks: changed }) })
}

/** Sets the day on which the card is due next. */
function updateDueDate({ ctx, configuration }: LoyaltyUnitOfWork, card: Card): void {
  const dueOn = nextDue(configuration, card, momentNow(ctx).today)
  if (card.member.due_on === dueOn) return
  card.member = { ...card.member, due_on: dueOn }
  card.is_member_changed = true
}

/**
 * Emits `customer.loyalty.updated` for each program whose points or tier changed: they are part of the customer's row
 * (docs/reference/loyalty-programs.md#events).
 */
function emitLoyaltyUpdates(work: LoyaltyUnitOfWork): void {
  const { ctx, configuration, people } = work
  for (const { customer, cards, moves } of people.values()) {
    const loyalty = addToLoyalty(customer.loyalty, moves)
    for (const name of Object.keys(moves)) {
      const card = cards.find(({ program }) => program.campaign.name === name)
      if (card === undefined) continue
      queueEvents(work, {
        type: 'customer.loyalty.updated',
        entity_id: customer.id,
        data: {
          customer: toSimpleCustomer(customer),
          campaign: simpleCampaign(configuration, card.program.campaign),
          loyalty,
          created_at: ctx.now,
        },
      })
    }
  }
}

/** Computes for events what `add_to_loyalty` does in the database. */
export function addToLoyalty(loyalty: CustomerLoyalty, moves: Record<string, CardMove>): CustomerLoyalty {
  const { points, referred_customers, campaigns } = loyalty
  const total: CustomerLoyalty = { points, referred_customers, campaigns: { ...campaigns } }
  for (const [name, move] of Object.entries(moves)) {
    const campaignLoyalty = { points: 0, referred_customers: 0, ...campaigns[name] }
    campaignLoyalty.points += move.points ?? 0
    campaignLoyalty.referred_customers += move.referred_customers ?? 0
    if (move.loyalty_tier === null) delete campaignLoyalty.loyalty_tier
    else if (move.loyalty_tier !== undefined) campaignLoyalty.loyalty_tier = move.loyalty_tier
    total.points += move.points ?? 0
    total.referred_customers += move.referred_customers ?? 0
    total.campaigns[name] = campaignLoyalty
  }
  return total
}

function changedLots({ voucher, lots, saved_lots }: Card): NonNullable<Changes['lots']> {
  return lots
    .filter(({ id, points }) => saved_lots.get(id) !== points)
    .map(({ id, points, expires_at, created_at }) => ({
      voucher_id: voucher.id,
      id,
      points,
      expires_at,
      ...(created_at === undefined ? {} : { created_at }),
    }))
}
