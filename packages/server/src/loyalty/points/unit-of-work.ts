import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import { saveCheckout } from '../../checkout/decision/save.ts'
import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { Changes } from '../../core/db/checkout-changes.ts'
import type { CustomerLoyalty } from '../../core/db/tables.ts'
import { simpleCampaign } from './campaign-view.ts'
import {
  type Asked,
  allCards,
  type Card,
  type CardMove,
  type CascadeState,
  type LoyaltyUnitOfWork,
  momentNow,
  newCascade,
  tell,
  type Written,
} from './card.ts'
import { nextDue } from './due.ts'
import { loadPeople } from './load-members.ts'
import { configurationNow, programsOf } from './programs.ts'

const nothingWritten = (): Written => ({
  transactions: [],
  postings: [],
  pending_points: [],
  earnings: [],
  reward_redemptions: [],
  tallies: [],
  lots: [],
  events: [],
})

interface OpenOptions extends Asked {
  chain?: CascadeState
  /** Given where this request has just looked at it. */
  configuration?: Configuration
}

/** Opens the books of customers, who are locked with all their cards until the end of the transaction. */
export async function lockAndLoadMembers(
  ctx: Ctx,
  customerIds: readonly string[],
  { chain = newCascade(), configuration: known, ...asked }: OpenOptions = {},
): Promise<LoyaltyUnitOfWork> {
  const configuration = known ?? (await configurationNow(ctx))
  const programs = programsOf(configuration)
  const books: LoyaltyUnitOfWork = {
    ctx,
    configuration,
    programs,
    people: new Map(),
    chain,
    written: nothingWritten(),
    asked,
  }
  books.people = await loadPeople(books, customerIds)
  return books
}

/**
 * Lets somebody else change what the books are about: all is written before, and read again after. People and cards that
 * were at hand are those of the page before then.
 */
export async function flushAndReload<T>(books: LoyaltyUnitOfWork, work: () => Promise<T>): Promise<T> {
  const everybody = [...books.people.keys()]
  await saveMembers(books)
  const result = await work()
  books.written = nothingWritten()
  books.people = await loadPeople(books, everybody)
  return result
}

/** Saves all that has happened. The books are closed then: what is in them is as it was before. */
export async function saveMembers(books: LoyaltyUnitOfWork): Promise<void> {
  const { ctx, written } = books
  const cards = [...allCards(books)]
  for (const card of cards) keepDue(books, card)
  tellLoyalty(books)
  const changes: Changes = {
    ...written,
    customers: [...books.people.values()].flatMap(({ customer, moves }) =>
      Object.values(moves).every((move) => Object.keys(move).length === 0) ? [] : [{ id: customer.id, loyalty: moves }],
    ),
    vouchers: cards.flatMap(({ voucher: { id, xmin }, change }) =>
      Object.keys(change).length === 0 ? [] : [{ id, xmin, ...change }],
    ),
    lots: [...written.lots, ...cards.flatMap(changedLots)],
    members: cards.flatMap(({ member, is_member_changed }) => (is_member_changed ? [member] : [])),
  }
  if (Object.values(changes).every((rows) => rows.length === 0)) return
  const changed = changes.customers?.map(({ id }) => id) ?? []
  await saveCheckout(ctx, ctx.db, { ...changes, ...(changed.length === 0 ? {} : { segment_checks: changed }) })
}

/** When time has something to do for the card next. */
function keepDue({ ctx, configuration }: LoyaltyUnitOfWork, card: Card): void {
  const dueOn = nextDue(configuration, card, momentNow(ctx).today)
  if (card.member.due_on === dueOn) return
  card.member = { ...card.member, due_on: dueOn }
  card.is_member_changed = true
}

/**
 * What a customer has in its programs is part of its row, and everybody who follows it is told
 * (docs/reference/loyalty-programs.md#events).
 */
function tellLoyalty(books: LoyaltyUnitOfWork): void {
  const { ctx, configuration, people } = books
  for (const { customer, cards, moves } of people.values()) {
    const loyalty = addToLoyalty(customer.loyalty, moves)
    for (const name of Object.keys(moves)) {
      const card = cards.find(({ program }) => program.campaign.name === name)
      if (card === undefined) continue
      tell(books, {
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

/** The same as the database does (`add_to_loyalty`), for those who are told. */
export function addToLoyalty(loyalty: CustomerLoyalty, moves: Record<string, CardMove>): CustomerLoyalty {
  const { points, referred_customers, campaigns } = loyalty
  const sum: CustomerLoyalty = { points, referred_customers, campaigns: { ...campaigns } }
  for (const [name, move] of Object.entries(moves)) {
    const own = { points: 0, referred_customers: 0, ...campaigns[name] }
    own.points += move.points ?? 0
    own.referred_customers += move.referred_customers ?? 0
    if (move.loyalty_tier === null) delete own.loyalty_tier
    else if (move.loyalty_tier !== undefined) own.loyalty_tier = move.loyalty_tier
    sum.points += move.points ?? 0
    sum.referred_customers += move.referred_customers ?? 0
    sum.campaigns[name] = own
  }
  return sum
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
