import { clockAt, periodStart } from '@guerdon/engine'
import type { ValidationRule } from '@guerdon/engine/schema'
import type { EventTally, ReceivedPublication } from '../../audience/customers/fields.ts'
import { actsFor, isPage } from '../../audience/customers/on-client-side.ts'
import { findGoods, type Goods } from '../../catalogue/products/goods.ts'
import { asksForSegments, type Configuration, rulesOf } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { Terms } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { replacesClientOrder, withoutClientFields } from '../../orders/client-order.ts'
import { cacheTerms, findCachedTerms } from '../../rules/terms/terms-cache.ts'
import { counterGroupsOf } from '../../rules/validation-rules/counted.ts'
import type { CheckoutLoadOptions, CheckoutRows, Counted, Rows } from './checkout-rows.ts'
import type { CheckoutRequest } from './request.ts'
import { rewardAssignmentsInRequest, tiersInRequest, unitTypes } from './request-references.ts'
import type { CheckoutVoucher } from './voucher-row.ts'

/** The result of `checkout_details`: only the parts that were asked for. */
interface Details {
  terms?: Record<string, Terms> | null
  counted?: Record<string, Counted>
  segments?: string[] | null
  events?: Array<{ type: string } & EventTally> | null
  publications?: ReceivedPublication[] | null
  publication_metadata?: Record<string, Record<string, unknown> | null> | null
}

/** The parameter of `checkout_details`: only the keys that are needed. */
export interface DetailQuestion extends Partial<ReturnType<typeof periodsOf>> {
  caller?: string | null
  terms?: string[]
  counted?: Array<{ id: string; scope: string; is_tier: boolean; groups: string[] }>
  app_id?: string | null
  with_segments?: true
  with_events?: true
  with_publications?: true
  published?: string[]
}

const checkoutDetails = preparedStatement<{ found: Details }>('select checkout_details($1, $2::jsonb) as found')

/** Completes the rows of a request with details that only these rows call for: terms, counters, segments, publications. */
export async function withDetails(
  ctx: Ctx,
  request: CheckoutRequest,
  configuration: Configuration,
  found: Rows,
  db: CheckoutLoadOptions['db'],
): Promise<CheckoutRows> {
  const replaced = replacedOrder(ctx, request, found)
  const rows = replaced === null ? found : { ...found, order: withoutClientFields(replaced) }
  const named = namedCustomer(request, rows)
  const isUnproven = named !== null && !actsFor(ctx, named)
  const caller = isUnproven ? null : named
  if (rows.order !== null && isPage(ctx)) await refuseForeignOrder(ctx, request, rows.order, caller, db)
  // Read from the cache before the query: entries may be evicted while it runs.
  const terms = new Map<string, Terms | undefined>(
    rows.vouchers.map(({ terms_id }) => [terms_id, findCachedTerms(ctx.project_id, terms_id)]),
  )
  const uncachedTerms = [...terms].flatMap(([id, content]) => (content === undefined ? [id] : []))
  const question: DetailQuestion = {
    ...(uncachedTerms.length === 0 ? {} : { terms: uncachedTerms }),
    ...counterQuestion(ctx, request, configuration, rows),
    ...(caller === null ? {} : customerQuestion(configuration)),
  }
  const details: Details = isEmpty(question)
    ? {}
    : await queryDetails(ctx, db, { ...question, caller: caller?.id ?? null })
  for (const [id, content] of Object.entries(details.terms ?? {}))
    terms.set(id, cacheTerms(ctx.project_id, id, content))
  const vouchers = rows.vouchers.map((voucher) => ({ ...voucher, terms: terms.get(voucher.terms_id) ?? {} }))
  const published = vouchers.filter(({ terms }) => mentionsPublications(terms)).map(({ id }) => id)
  const publications = published.length === 0 ? {} : await queryDetails(ctx, db, { published })
  const goods = withUnits(ctx, db, rows.goods, vouchers)
  return {
    configuration,
    vouchers,
    customers: rows.customers,
    caller,
    is_unproven: isUnproven,
    order: rows.order,
    replaced_order: replaced,
    goods: goods instanceof Promise ? await goods : goods,
    counted: details.counted ?? {},
    has_session: rows.has_session,
    segments: details.segments ?? [],
    held_codes:
      caller === null ? [] : vouchers.filter(({ holders }) => holders.includes(caller.id)).map(({ id }) => id),
    events: new Map((details.events ?? []).map(({ type, ...tally }) => [type, tally])),
    publications: details.publications ?? [],
    publication_metadata: publications.publication_metadata ?? {},
    tier_usage: rows.tier_usage,
    rewards_redeemed: rows.rewards_redeemed,
    today: todayIn({ now: ctx.now, timezone: ctx.project.timezone }),
    kept: null,
  }
}

/** A server-side request that describes an order replaces what a page sent under the same `source_id`. */
const replacedOrder = (ctx: Ctx, { order: sent }: CheckoutRequest, { order: stored }: Rows): Rows['order'] =>
  stored !== null && sent !== null && !isPage(ctx) && replacesClientOrder(stored, sent) ? stored : null

async function queryDetails(
  { project_id }: Ctx,
  db: CheckoutLoadOptions['db'],
  question: DetailQuestion,
): Promise<Details> {
  const [row] = await checkoutDetails(db, [project_id, JSON.stringify(question)])
  return (row as { found: Details }).found
}

const isEmpty = (question: object): boolean => Object.keys(question).length === 0

/**
 * The customer that the request names (null if unknown); if it names none, the customer of the stored order, else the holder of
 * the first loyalty card.
 */
function namedCustomer(
  { customer: sent }: CheckoutRequest,
  { customers, order, vouchers }: Rows,
): CheckoutRows['caller'] {
  if (sent !== null && (sent.id !== null || sent.source_id !== null))
    return (
      customers.find(({ id }) => id === sent.id) ??
      customers.find(({ source_id }) => source_id !== null && source_id === sent.source_id) ??
      null
    )
  const id = order?.customer_id ?? vouchers.find(({ type }) => type === 'LOYALTY_CARD')?.holder_id ?? null
  return customers.find((customer) => customer.id === id) ?? null
}

/**
 * On the client side a stored order is found only by its own customer, or in the session that redeemed on it
 * (docs/reference/client-side.md#identity).
 */
async function refuseForeignOrder(
  { project_id }: Ctx,
  { customer: sent, session, order: sentOrder }: CheckoutRequest,
  order: NonNullable<Rows['order']>,
  caller: CheckoutRows['caller'],
  db: CheckoutLoadOptions['db'],
): Promise<void> {
  const isNamed = sent !== null && (sent.id !== null || sent.source_id !== null)
  if (isNamed && caller !== null && caller.id === order.customer_id) return
  // The shop may have replaced an order that a page created: its session does not lead to that of the shop.
  const redemptions = (
    order.client_order === 'CONFIRMED' ? [] : Object.keys(order.redemptions ?? {})
  ) as `r_${string}`[]
  const inSession =
    session?.key == null || redemptions.length === 0
      ? undefined
      : await db
          .selectFrom('redemptions')
          .where('project_id', '=', project_id)
          .where('id', 'in', redemptions)
          .where('session_key', '=', session.key)
          .select('id')
          .limit(1)
          .executeTakeFirst()
  if (inSession === undefined) throw notFound('order', sentOrder?.id ?? sentOrder?.source_id ?? order.id)
}

/** Whether rules of the request compare counters. */
export const comparesCounters = (
  ctx: Ctx,
  request: CheckoutRequest,
  configuration: Configuration,
  rows: Rows,
): boolean => !isEmpty(counterQuestion(ctx, request, configuration, rows))

/** Asks only for the counters that the rules of the vouchers, their campaigns, the tiers and the rewards compare. */
function counterQuestion(
  ctx: Ctx,
  request: CheckoutRequest,
  configuration: Configuration,
  { vouchers }: Rows,
): DetailQuestion {
  const rewardRules = rewardAssignmentsInRequest(configuration, request.redeemables).flatMap(({ id }) =>
    rulesOf(configuration, id),
  )
  const counted = [
    ...vouchers.map(({ id, campaign_id, assignments }) => {
      const voucherRules = assignments.flatMap(({ rule_id }) => configuration.rules.get(rule_id) ?? [])
      const campaignRules = campaign_id === null ? [] : rulesOf(configuration, campaign_id)
      return {
        id,
        scope: campaign_id ?? id,
        is_tier: false,
        groups: groupsOf([...voucherRules, ...campaignRules, ...rewardRules]),
      }
    }),
    ...tiersInRequest(configuration, request.redeemables).map(({ id, campaign_id }) => ({
      id,
      scope: campaign_id,
      is_tier: true,
      groups: groupsOf([...rulesOf(configuration, id), ...rulesOf(configuration, campaign_id)]),
    })),
  ].filter(({ groups }) => groups.length > 0)
  if (counted.length === 0) return {}
  return { counted, app_id: ctx.caller.api_key?.app_id ?? null, ...periodsOf(ctx, request) }
}

const groupsByRule = new WeakMap<ValidationRule, readonly string[]>()

function groupsOf(rules: readonly ValidationRule[]): string[] {
  const all = rules.flatMap((rule) => {
    const groups = groupsByRule.get(rule) ?? counterGroupsOf(rule)
    groupsByRule.set(rule, groups)
    return groups
  })
  return [...new Set(all)]
}

/** The starts of the day, week and month of the request: as instants, and as dates in the time zone of the project. */
function periodsOf({ now, project: { timezone } }: Ctx, { as_of }: CheckoutRequest) {
  const clock = clockAt(as_of ?? now, timezone)
  const [dayStart, weekStart, monthStart] = (['day', 'week', 'month'] as const).map((period) =>
    toInstant(periodStart(clock, period)),
  ) as [string, string, string]
  const dayOf = (now: string) => todayIn({ now, timezone })
  return {
    day_start: dayStart,
    week_start: weekStart,
    month_start: monthStart,
    today: dayOf(dayStart),
    week: dayOf(weekStart),
    month: dayOf(monthStart),
    ...(as_of === null ? {} : { last_moment: as_of, last_day: dayOf(as_of) }),
  }
}

/** Where rules compare segments, segment filters may need the events and publications of the customer besides its row. */
function customerQuestion(configuration: Configuration): DetailQuestion {
  if (!asksForSegments(configuration)) return {}
  const fields = configuration.segments.flatMap(({ filter }) => Object.keys(filter))
  return {
    with_segments: true,
    ...(fields.some((field) => !field.startsWith('publications')) ? { with_events: true } : {}),
    ...(fields.some((field) => field.startsWith('publications')) ? { with_publications: true } : {}),
  }
}

const mentionCache = new WeakMap<Terms, boolean>()

/** Formulas may read the metadata of the publication of a voucher. */
function mentionsPublications(terms: Terms): boolean {
  const mentions = mentionCache.get(terms) ?? JSON.stringify(terms).includes('PUBLICATION_METADATA')
  mentionCache.set(terms, mentions)
  return mentions
}

/** Adds the goods that vouchers give away: they may not be in the order. */
function withUnits(
  ctx: Ctx,
  db: CheckoutLoadOptions['db'],
  goods: Goods,
  vouchers: readonly CheckoutVoucher[],
): Goods | Promise<Goods> {
  const units = vouchers.flatMap(({ terms }) => unitTypes(terms.discount ?? null))
  if (units.length === 0) return goods
  const knownKeys = new Set([...goods.products, ...goods.skus].flatMap(({ id, source_id }) => [id, source_id]))
  const missing = [...new Set(units)].filter((id) => !knownKeys.has(id))
  if (missing.length === 0) return goods
  return findGoods({ ...ctx, db }, { products: missing, skus: missing }).then(({ products, skus }) => ({
    products: [...goods.products, ...products],
    skus: [...goods.skus, ...skus],
  }))
}
