import { type Selectable, sql } from 'kysely'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import { multipleRequests } from '../../checkout/decision/save.ts'
import { type CheckoutVoucher, toCheckoutVoucher } from '../../checkout/decision/voucher-row.ts'
import { allFromJson, fromJson } from '../../core/db/json-row.ts'
import type { LoyaltyMemberRow, Terms } from '../../core/db/tables.ts'
import { sqlState } from '../../core/db/transaction.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { cacheTerms } from '../../rules/terms/terms-cache.ts'
import type { Card, LoyaltyUnitOfWork, Member, OpenLot, PendingEntry, Person } from './card.ts'
import type { Program, Programs } from './programs.ts'

interface LoadedRows {
  customers: object[]
  cards: Array<object & { terms_id: string }>
  terms: Array<{ id: string; content: Terms }>
}

type LoadedCardFields = {
  lots: OpenLot[] | null
  due_pending: object[] | null
  next_activation: string | null
  paid_rules: string[] | null
  credits: Card['credits'] | null
}

/** The parameter of `loyalty_rows`. */
export interface LoyaltyQuestion {
  customers: readonly string[]
  timezone: string
  today: string
  lock_timeout: string
  periods: Record<string, number>
  order_id: string | null
  pending_id: string | null
  since: string | null
}

/** Loads the customers and their cards, locked until the end of the transaction. */
export async function loadPeople(
  { ctx, programs, loadOptions }: Pick<LoyaltyUnitOfWork, 'ctx' | 'programs' | 'loadOptions'>,
  customerIds: readonly string[],
): Promise<Map<string, Person>> {
  const { project_id, project, now, db } = ctx
  const question: LoyaltyQuestion = {
    customers: customerIds,
    timezone: project.timezone,
    today: todayIn({ now, timezone: project.timezone }),
    lock_timeout: `${limits.checkout_lock_seconds}s`,
    periods: periodsOf(programs),
    order_id: loadOptions.order_id ?? null,
    pending_id: loadOptions.pending_id ?? null,
    since: loadOptions.since ?? null,
  }
  const { rows } = await sql<{ found: LoadedRows }>`
    select loyalty_rows(${project_id}, ${JSON.stringify(question)}::jsonb) as found`
    .execute(db)
    .catch((error: unknown) => {
      throw sqlState(error) === '55P03' ? multipleRequests() : error
    })
  const { customers, cards, terms } = (rows[0] as { found: LoadedRows }).found
  const shared = new Map(terms.map(({ id, content }) => [id, cacheTerms(project_id, id, content)]))
  const people = new Map<string, Person>()
  for (const customer of allFromJson<StoredCustomer>(customers))
    people.set(customer.id, { customer, cards: [], moves: {} })
  for (const row of cards) {
    const person = people.get((row as { holder_id?: string }).holder_id ?? '')
    const program = programs.get((row as { campaign_id?: string }).campaign_id ?? '')
    if (person !== undefined && program !== undefined) person.cards.push(cardOf(row, shared, person, program))
  }
  return people
}

/** The length in months of the qualification periods, by campaign. */
function periodsOf(programs: Programs): Record<string, number> {
  const periods: Record<string, number> = {}
  for (const { campaign, settings, tiers } of programs.values())
    if (settings?.qualification_type === 'POINTS_IN_PERIOD' && tiers.length > 0)
      periods[campaign.id] = months[settings.qualification_period]
  return periods
}

const months = { MONTH: 1, QUARTER: 3, HALF_YEAR: 6, YEAR: 12 }

function cardOf(
  row: object & { terms_id: string },
  terms: ReadonlyMap<string, Terms>,
  person: Person,
  program: Program,
): Card {
  const { due_pending, next_activation, paid_rules, credits, ...voucher } = toCheckoutVoucher<LoadedCardFields>(
    row,
    terms,
  )
  const { member } = voucher
  const lots = allFromJson<OpenLot>(voucher.lots)
  return {
    voucher: { ...voucher, lots },
    person,
    program,
    lots,
    member: member === null ? newMember(voucher, person) : readMember(member),
    pending: allFromJson<PendingEntry>(due_pending),
    next_activation: next_activation ?? null,
    paid_rules: paid_rules ?? [],
    credits: credits ?? [],
    change: {},
    saved_lots: new Map(lots.map(({ id, points }) => [id, points])),
    is_member_changed: member === null,
  }
}

function readMember(row: object): Member {
  const { project_id: _, ...member } = fromJson<Selectable<LoyaltyMemberRow>>(row)
  const { tier_created_at, tier_updated_at } = member
  return { ...member, tier_created_at: momentOf(tier_created_at), tier_updated_at: momentOf(tier_updated_at) }
}

const momentOf = (text: string | null): Instant | null => (text === null ? null : new Date(text).toISOString())

const newMember = ({ id, campaign_id }: CheckoutVoucher, { customer }: Person): Member => ({
  voucher_id: id,
  campaign_id: campaign_id as Member['campaign_id'],
  customer_id: customer.id,
  tier_id: null,
  tier_start_date: null,
  tier_expiration_date: null,
  tier_created_at: null,
  tier_updated_at: null,
  scheduled_tier_id: null,
  scheduled_start_date: null,
  redeemed_on: null,
  redeemed_runs: 0,
  due_on: null,
})
