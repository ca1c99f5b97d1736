import { type Availability, accruals, evaluateRule } from '@guerdon/engine'
import type { Accrual, CustomerFacts, EarningEvent, OrderFacts } from '@guerdon/engine/schema'
import {
  asksForSegments,
  assignmentsOf,
  type Configuration,
  type ConfiguredEarningRule,
  rulesOf,
} from '../configuration/configuration.ts'
import type { Ctx } from '../context.ts'
import type { VoucherRow } from '../db/tables.ts'
import { toEarningRule, toSimpleEarningRule } from '../earning-rules/earning-rule.ts'
import { eventSource } from '../events/emit.ts'
import type { CustomEvent, SimpleEvent, SimpleSegment } from '../events/shapes.ts'
import { newId } from '../lib/ids.ts'
import { goodKeys, orderFactsOf } from '../orders/lines.ts'
import { type StoredOrder, toOrder, toSimpleOrder } from '../orders/order.ts'
import { findGoods, type Goods } from '../products/goods.ts'
import { listSegmentsOf } from '../segments/of-customer.ts'
import { autoRedeem } from './auto-redeem.ts'
import { type Books, type Card, cardNamed, type Moment, type PendingEntry, type Person, tell } from './books.ts'
import { joinProgram } from './join.ts'
import { canHold, credit, type Posted, promise } from './ledger.ts'
import { type Program, tierNamed } from './programs.ts'
import { tellPending, tellPointsAdded, tellTransaction } from './tell.ts'
import { reviewTier, type TierChange } from './tiers.ts'
import { aboutCard, shownTier } from './view.ts'

/** Something that happened to a customer and may pay. */
export interface Cause {
  /** In the words of earning rules. */
  event: EarningEvent
  /** The event that told of it, as transactions name it. */
  told: SimpleEvent
  order?: StoredOrder
  /** What the catalogue knows of its lines, where that was looked up already. */
  goods?: Goods
  custom_event?: { event: CustomEvent; schema: { id: string; name: string } }
  segment?: SimpleSegment
  /** Only this card may earn. */
  only_card?: string
}

/**
 * Pays what a customer earns by something that happened (spec 05, section 5): all rules are judged first, as everything was when
 * it happened; then points are credited or promised, and what follows from that is followed.
 */
export async function earnBy(books: Books, customer_id: string, cause: Cause, moment: Moment): Promise<void> {
  const paid = await judge(books, customer_id, cause, moment)
  const credited: string[] = []
  for (const { program, accruals } of paid) {
    const campaign_id = program.campaign.id
    const card = cardIn(books, customer_id, campaign_id) ?? (await joinProgram(books, customer_id, campaign_id, moment))
    if (card === undefined) continue
    for (const accrual of accruals) {
      const fired = firing(customer_id, accrual.earning_rule_id)
      // To join may have set it off already.
      if (books.chain.fired.has(fired) || !canHold(card, accrual.points)) continue
      books.chain.fired.add(fired)
      const rule = books.configuration.earning_rules.get(accrual.earning_rule_id) as ConfiguredEarningRule
      if (accrual.activates_at === null) pay(books, card, rule, accrual, cause, moment)
      else hold(books, card, rule, accrual, cause, moment)
      if (cause.order !== undefined)
        books.written.earnings.push({
          order_id: cause.order.id,
          voucher_id: card.voucher.id,
          earning_rule_id: rule.id,
          created_at: moment.at,
        })
    }
    if (accruals.some(({ activates_at }) => activates_at === null)) credited.push(card.voucher.id)
  }
  await followBalances(books, credited, moment, { isIncreased: true })
}

/**
 * What a changed balance means: points that are redeemed by themselves, then the tier, then what rules pay for a change of tier
 * (spec 05, section 5, steps 4 and 5). It ends because a rule pays once for one cause.
 */
export async function followBalances(
  books: Books,
  voucher_ids: readonly string[],
  moment: Moment,
  { isIncreased }: { isIncreased: boolean },
): Promise<void> {
  for (const id of voucher_ids) {
    if (isIncreased) await autoRedeem(books, id, moment)
    const card = cardNamed(books, id)
    if (card !== undefined) await followTiers(books, reviewTier(books, card, moment), moment)
  }
}

/** What rules pay for changes of a tier; a tier of one program may pay in another. */
export async function followTiers(books: Books, changes: readonly TierChange[], moment: Moment): Promise<void> {
  for (const { event_id, type, tier_id, card } of changes) {
    if (type === 'customer.loyalty.tier.expiration.changed') continue
    const { person, program } = card
    const cause: Cause = {
      event: { event: type, tier: { id: tier_id, campaign_id: program.campaign.id } },
      told: simpleEvent(books, event_id, type, person.customer.id),
    }
    await earnBy(books, person.customer.id, cause, moment)
  }
}

export const simpleEvent = ({ ctx }: Pick<Books, 'ctx'>, id: string, type: string, entity_id: string): SimpleEvent => ({
  id,
  type,
  category: 'EFFECT',
  entity_id,
  created_at: ctx.now,
  group_id: ctx.request_id,
})

const firing = (customer_id: string, rule_id: string): string => `${customer_id} ${rule_id}`

export const cardIn = ({ people }: Books, customer_id: string, campaign_id: string): Card | undefined =>
  people.get(customer_id)?.cards.find(({ program }) => program.campaign.id === campaign_id)

interface Paid {
  program: Program
  accruals: Accrual[]
}

/** Which rules pay, and how much, in every program that the customer is in or joins by itself. */
async function judge(books: Books, customer_id: string, cause: Cause, moment: Moment): Promise<Paid[]> {
  const { programs, people } = books
  const person = people.get(customer_id)
  const concerned = [...programs.values()].filter(({ rules, campaign }) => {
    if (!rules.some((rule) => rule.event === cause.event.event) || books.chain.closed.has(campaign.id)) return false
    const card = cardIn(books, customer_id, campaign.id)
    if (cause.only_card !== undefined) return card?.voucher.id === cause.only_card
    return card !== undefined || campaign.auto_join
  })
  if (person === undefined || concerned.length === 0) return []
  const facts = await factsOf(books, person, cause, concerned)
  return concerned
    .map((program) => ({ program, accruals: accrualsOf(books, person, program, cause, moment, facts) }))
    .filter(({ accruals }) => accruals.length > 0)
}

/** What rules look at. */
export interface Surroundings {
  customer: CustomerFacts
  order: OrderFacts | null
  goods: Goods
}

/** Goods and segments are read only where a rule asks for them. */
async function factsOf(
  books: Books,
  person: Person,
  cause: Cause,
  concerned: readonly Program[],
): Promise<Surroundings> {
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
  books: Books,
  { customer }: Person,
  program: Program,
  cause: Cause,
  moment: Moment,
  surroundings: Surroundings,
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
  cause: Pick<Cause, 'event' | 'custom_event'>,
  { customer, order, goods }: Surroundings,
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
const domainsOf = ({ custom_event }: Pick<Cause, 'custom_event'>, order: OrderFacts | null): Availability =>
  order !== null ? 'earning.order' : custom_event !== undefined ? 'earning.event' : 'earning.customer'

const validityOf = (row: Program['campaign']) => ({
  start_date: row.start_date,
  expiration_date: row.expiration_date,
  validity_timeframe: row.validity_timeframe,
  validity_day_of_week: row.validity_day_of_week,
  validity_hours: row.validity_hours,
})

/** Points that count at once. */
function pay(
  books: Books,
  card: Card,
  rule: ConfiguredEarningRule,
  { points, expires_at, loyalty_tier_id }: Accrual,
  cause: Cause,
  moment: Moment,
): void {
  const { order, custom_event, segment, told } = cause
  const posted = credit(
    books,
    card,
    { amount: points, expires_at },
    {
      type: 'POINTS_ACCRUAL',
      source: 'Automation',
      operation_type: 'AUTOMATIC',
      details: {
        ...orderDetails(order),
        event: { id: told.id, type: told.type },
        ...ruleDetails(rule),
        ...(segment === undefined ? {} : { segment: { id: segment.id, name: segment.name } }),
        ...(custom_event === undefined
          ? {}
          : {
              custom_event: { id: custom_event.event.id, type: custom_event.event.type },
              event_schema: custom_event.schema,
            }),
        ...tierDetails(books, 'loyalty_tier', loyalty_tier_id),
      },
    },
    moment,
  )
  tellTransaction(books, card, posted, {
    order: order === undefined ? null : toSimpleOrder(order),
    event: told,
    earning_rule: toSimpleEarningRule(rule, validationRuleOf(books, rule)),
    segment: segment ?? null,
    loyalty_tier: shownTier(books.configuration, loyalty_tier_id),
    custom_event: custom_event?.event ?? null,
  })
  tellRewarded(books, card, rule, posted, cause, loyalty_tier_id)
  tellPointsAdded(books, card, posted)
}

function tellRewarded(
  books: Books,
  card: Card,
  rule: ConfiguredEarningRule,
  { balance }: Posted,
  { order, told }: Cause,
  loyalty_tier_id: string | null,
): void {
  const { customer, campaign, voucher } = aboutCard(books, card)
  tell(books, {
    type: 'customer.rewarded.loyalty_points',
    entity_id: card.person.customer.id,
    data: {
      customer,
      holder: customer,
      voucher,
      campaign,
      loyalty_tier: shownTier(books.configuration, loyalty_tier_id),
      earning_rule: toEarningRule(rule, validationRuleOf(books, rule)),
      balance,
      order: order === undefined ? null : toOrder(order),
      event: told,
      publication: null,
    },
  })
}

/** Points that wait for their day. Their id sorts by it. */
function hold(
  books: Books,
  card: Card,
  rule: ConfiguredEarningRule,
  { points, activates_at, expiration_rules, loyalty_tier_id }: Accrual,
  { order, told }: Cause,
  { at }: Moment,
): void {
  if (order === undefined || activates_at === null) return
  const { ctx } = books
  const days = rule.pending_points?.period_value ?? 0
  const entry: PendingEntry = {
    id: newId('pending_points', Date.parse(at) + days * ms_per_day),
    voucher_id: card.voucher.id,
    campaign_id: card.program.campaign.id,
    customer_id: card.person.customer.id,
    order_id: order.id,
    points,
    activates_at,
    expiration_rules,
    details: {
      ...tierDetails(books, 'loyalty_tier', loyalty_tier_id),
      ...tierDetails(books, 'holder_loyalty_tier', card.member.tier_id),
      event: { ...told, event_source: eventSource(ctx.caller) },
      ...ruleDetails(rule),
      ...orderDetails(order),
    },
    status: 'PENDING',
    created_at: at,
    updated_at: null,
  }
  tellPending(books, card, 'added', entry, promise(books, card, entry), toSimpleOrder(order))
}

const ms_per_day = 86_400_000

const orderDetails = (order: StoredOrder | undefined): object =>
  order === undefined ? {} : { order: { id: order.id, source_id: order.source_id } }

const ruleDetails = ({ id, banner }: ConfiguredEarningRule): object => ({
  earning_rule: { id, source: banner === null ? {} : { banner } },
})

function tierDetails({ configuration }: Books, name: string, id: string | null): object {
  const tier = tierNamed(configuration, id)
  return tier === null ? {} : { [name]: { id: tier.id, name: tier.name } }
}

/** An earning rule has one at most. */
export const validationRuleOf = ({ configuration }: Books, { id }: ConfiguredEarningRule): string | null =>
  assignmentsOf(configuration, id)[0]?.rule_id ?? null
