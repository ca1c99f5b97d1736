import { type Availability, accruals, evaluateRule } from '@guerdon/engine'
import type { Accrual, CustomerFacts, OrderFacts } from '@guerdon/engine/schema'
import { listSegmentsOf } from '../../audience/segments/of-customer.ts'
import { findGoods, type Goods } from '../../catalogue/products/goods.ts'
import { asksForSegments, type Configuration, rulesOf } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { VoucherRow } from '../../core/db/tables.ts'
import { goodKeys, orderFactsOf } from '../../orders/lines.ts'
import { cardIn, type LoyaltyUnitOfWork, type Moment, type Person } from './card.ts'
import type { EarningTrigger } from './earning-trigger.ts'
import type { Program } from './programs.ts'

interface Paid {
  program: Program
  accruals: Accrual[]
}

/** Which rules pay, and how much, in every program that the customer is in or joins by itself. */
export async function judge(
  books: LoyaltyUnitOfWork,
  customerId: string,
  cause: EarningTrigger,
  moment: Moment,
): Promise<Paid[]> {
  const { programs, people } = books
  const person = people.get(customerId)
  const concerned = [...programs.values()].filter(({ rules, campaign }) => {
    if (!rules.some((rule) => rule.event === cause.event.event) || books.chain.closed.has(campaign.id)) return false
    const card = cardIn(books, customerId, campaign.id)
    if (cause.only_card !== undefined) return card?.voucher.id === cause.only_card
    return card !== undefined || campaign.auto_join
  })
  if (person === undefined || concerned.length === 0) return []
  const facts = await factsOf(books, person, cause, concerned)
  return concerned
    .map((program) => ({ program, accruals: accrualsOf(books, person, program, cause, moment, facts) }))
    .filter(({ accruals }) => accruals.length > 0)
}

/** A rule and whom it pays: once for all that one request sets off. */
export const firing = (customerId: string, ruleId: string): string => `${customerId} ${ruleId}`

/** What rules look at. */
export interface EarningContext {
  customer: CustomerFacts
  order: OrderFacts | null
  goods: Goods
}

/** Goods and segments are read only where a rule asks for them. */
async function factsOf(
  books: LoyaltyUnitOfWork,
  person: Person,
  cause: EarningTrigger,
  concerned: readonly Program[],
): Promise<EarningContext> {
  const { ctx, configuration } = books
  const rules = concerned.flatMap(({ rules }) => rules.filter(({ event }) => event === cause.event.event))
  const isJudged = rules.some(({ id }) => rulesOf(configuration, id).length > 0)
  const looksAtGoods =
    isJudged || rules.some(({ loyalty }) => /"(order_items|points_formula)":/.test(JSON.stringify(loyalty)))
  const goods =
    cause.goods ??
    (cause.order !== undefined && looksAtGoods
      ? await findGoods(ctx, goodKeys(cause.order.items))
      : { products: [], skus: [] })
  const segments = isJudged && asksForSegments(configuration) ? await listSegmentsOf(ctx, person.customer.id) : []
  return {
    customer: customerFacts(
      person,
      segments.map(({ id }) => id),
    ),
    order: cause.order === undefined ? null : orderFactsOf(cause.order, goods),
    goods,
  }
}

const customerFacts = ({ customer, cards }: Person, segments: string[]): CustomerFacts => ({
  id: customer.id,
  source_id: customer.source_id,
  birthdate: customer.birthdate ?? customer.birthday,
  metadata: customer.metadata,
  segments,
  loyalty_tiers: cards.flatMap(({ member }) => member.tier_id ?? []),
})

function accrualsOf(
  books: LoyaltyUnitOfWork,
  { customer }: Person,
  program: Program,
  cause: EarningTrigger,
  moment: Moment,
  surroundings: EarningContext,
): Accrual[] {
  const { ctx, configuration, chain } = books
  const card = cardIn(books, customer.id, program.campaign.id)
  const fired = program.rules.flatMap(({ id }) => (chain.fired.has(firing(customer.id, id)) ? [id] : []))
  const earner = {
    card: card?.voucher ?? null,
    tier_id: card?.member.tier_id ?? null,
    used_rules: [...(card?.paid_rules ?? []), ...fired],
  }
  return accrualsIn({ ...ctx, now: moment.at }, configuration, program, cause, surroundings, earner)
}

/** Who earns: a card, or null where earning would make the customer join. */
export interface Earner {
  card: Pick<VoucherRow, 'active' | 'start_date' | 'expiration_date'> | null
  tier_id: string | null
  used_rules: string[]
}

/** What the rules of one program pay for something that happened. */
export function accrualsIn(
  { now, project }: Pick<Ctx, 'now' | 'project'>,
  configuration: Configuration,
  { campaign, rules, tiers, expiration_rules }: Program,
  cause: Pick<EarningTrigger, 'event' | 'custom_event'>,
  { customer, order, goods }: EarningContext,
  { card, tier_id, used_rules }: Earner,
): Accrual[] {
  const available = domainsOf(cause, order)
  return accruals(
    {
      now,
      timezone: project.timezone,
      event: cause.event,
      order,
      customer,
      event_metadata: cause.custom_event?.event.metadata ?? null,
      catalogue: {
        products: Object.fromEntries(goods.products.map((product) => [product.id, product])),
        skus: Object.fromEntries(goods.skus.map((sku) => [sku.id, sku])),
        collections: configuration.collections,
        locations: configuration.locations,
      },
      campaign: { ...validityOf(campaign), id: campaign.id, active: campaign.active, expiration_rules },
      card: card && { active: card.active, start_date: card.start_date, expiration_date: card.expiration_date },
      tier: tiers.find(({ id }) => id === tier_id) ?? null,
      rules: [...rules],
      used_rules,
    },
    (rule, scene) =>
      rulesOf(configuration, rule.id).every((one) => evaluateRule(one, scene, { available }).holds !== false),
  )
}

/** What validation rules may ask for where points are earned. */
const domainsOf = ({ custom_event }: Pick<EarningTrigger, 'custom_event'>, order: OrderFacts | null): Availability =>
  order !== null ? 'earning.order' : custom_event !== undefined ? 'earning.event' : 'earning.customer'

const validityOf = (row: Program['campaign']) => ({
  start_date: row.start_date,
  expiration_date: row.expiration_date,
  validity_timeframe: row.validity_timeframe,
  validity_day_of_week: row.validity_day_of_week,
  validity_hours: row.validity_hours,
})
