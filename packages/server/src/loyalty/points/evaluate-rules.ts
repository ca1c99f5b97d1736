import { type Availability, accruals, evaluateRule } from '@guerdon/engine'
import type { Accrual, CustomerFacts, OrderFacts } from '@guerdon/engine/schema'
import { listSegmentsOf } from '../../audience/segments/of-customer.ts'
import { findGoods, type Goods } from '../../catalogue/products/goods.ts'
import { asksForSegments, type Configuration, rulesOf } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { VoucherRow } from '../../core/db/tables.ts'
import { goodKeys, orderFactsOf } from '../../orders/lines.ts'
import { cardIn, type LedgerMoment, type LoyaltyUnitOfWork, type Person } from './card.ts'
import type { EarningTrigger } from './earning-trigger.ts'
import type { Program } from './programs.ts'

interface ProgramAccruals {
  program: Program
  accruals: Accrual[]
}

/** Evaluates the earning rules of every program that the customer is a member of or joins automatically. */
export async function evaluateEarningRules(
  work: LoyaltyUnitOfWork,
  customerId: string,
  trigger: EarningTrigger,
  moment: LedgerMoment,
): Promise<ProgramAccruals[]> {
  const { programs, people } = work
  const person = people.get(customerId)
  const earningPrograms = [...programs.values()].filter(({ rules, campaign }) => {
    if (!rules.some((rule) => rule.event === trigger.event.event) || work.cascade.closed.has(campaign.id)) return false
    const card = cardIn(work, customerId, campaign.id)
    if (trigger.only_card !== undefined) return card?.voucher.id === trigger.only_card
    return card !== undefined || campaign.auto_join
  })
  if (person === undefined || earningPrograms.length === 0) return []
  const facts = await loadEarningContext(work, person, trigger, earningPrograms)
  return earningPrograms
    .map((program) => ({ program, accruals: accrualsOf(work, person, program, trigger, moment, facts) }))
    .filter(({ accruals }) => accruals.length > 0)
}

/** The key of a rule that fired for a customer: a rule fires once per request. */
export const firingKey = (customerId: string, ruleId: string): string => `${customerId} ${ruleId}`

/** The facts that rules are evaluated against. */
export interface EarningContext {
  customer: CustomerFacts
  order: OrderFacts | null
  goods: Goods
}

/** Loads products, SKUs and segments only if a rule needs them. */
async function loadEarningContext(
  work: LoyaltyUnitOfWork,
  person: Person,
  trigger: EarningTrigger,
  earningPrograms: readonly Program[],
): Promise<EarningContext> {
  const { ctx, configuration } = work
  const rules = earningPrograms.flatMap(({ rules }) => rules.filter(({ event }) => event === trigger.event.event))
  const hasValidationRules = rules.some(({ id }) => rulesOf(configuration, id).length > 0)
  const needsGoods =
    hasValidationRules || rules.some(({ loyalty }) => /"(order_items|points_formula)":/.test(JSON.stringify(loyalty)))
  const goods =
    trigger.goods ??
    (trigger.order !== undefined && needsGoods
      ? await findGoods(ctx, goodKeys(trigger.order.items))
      : { products: [], skus: [] })
  const segments =
    hasValidationRules && asksForSegments(configuration) ? await listSegmentsOf(ctx, person.customer.id) : []
  return {
    customer: customerFacts(
      person,
      segments.map(({ id }) => id),
    ),
    order: trigger.order === undefined ? null : orderFactsOf(trigger.order, goods),
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
  work: LoyaltyUnitOfWork,
  { customer }: Person,
  program: Program,
  trigger: EarningTrigger,
  moment: LedgerMoment,
  context: EarningContext,
): Accrual[] {
  const { ctx, configuration, cascade } = work
  const card = cardIn(work, customer.id, program.campaign.id)
  const fired = program.rules.flatMap(({ id }) => (cascade.fired.has(firingKey(customer.id, id)) ? [id] : []))
  const earner = {
    card: card?.voucher ?? null,
    tier_id: card?.member.tier_id ?? null,
    used_rules: [...(card?.paid_rules ?? []), ...fired],
  }
  return accrualsIn({ ...ctx, now: moment.at }, configuration, program, trigger, context, earner)
}

/** The card that earns; null if earning would make the customer join. */
export interface Earner {
  card: Pick<VoucherRow, 'active' | 'start_date' | 'expiration_date'> | null
  tier_id: string | null
  used_rules: string[]
}

/** What the rules of one program pay for an event. */
export function accrualsIn(
  { now, project }: Pick<Ctx, 'now' | 'project'>,
  configuration: Configuration,
  { campaign, rules, tiers, expiration_rules }: Program,
  trigger: Pick<EarningTrigger, 'event' | 'custom_event'>,
  { customer, order, goods }: EarningContext,
  { card, tier_id, used_rules }: Earner,
): Accrual[] {
  const available = domainsOf(trigger, order)
  return accruals(
    {
      now,
      timezone: project.timezone,
      event: trigger.event,
      order,
      customer,
      event_metadata: trigger.custom_event?.event.metadata ?? null,
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
      rulesOf(configuration, rule.id).every(
        (validationRule) => evaluateRule(validationRule, scene, { available }).holds !== false,
      ),
  )
}

/** The facts that validation rules may use in earning. */
const domainsOf = ({ custom_event }: Pick<EarningTrigger, 'custom_event'>, order: OrderFacts | null): Availability =>
  order !== null ? 'earning.order' : custom_event !== undefined ? 'earning.event' : 'earning.customer'

const validityOf = (row: Program['campaign']) => ({
  start_date: row.start_date,
  expiration_date: row.expiration_date,
  validity_timeframe: row.validity_timeframe,
  validity_day_of_week: row.validity_day_of_week,
  validity_hours: row.validity_hours,
})
