import { clockAt, periodStart } from '@guerdon/engine'
import type { ValidationRule } from '@guerdon/engine/schema'
import type { EventTally, Received } from '../../audience/customers/fields.ts'
import { findGoods, type Goods } from '../../catalogue/products/goods.ts'
import { asksForSegments, type Configuration, rulesOf } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { Terms } from '../../core/db/tables.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { keptTerms, knownTerms } from '../../rules/terms/kept.ts'
import { countedGroups } from '../../rules/validation-rules/counted.ts'
import type { CheckoutRows, Counted, LoadOptions } from './loaded.ts'
import type { CheckoutRequest } from './request.ts'
import { rewardAssignmentsInRequest, tiersInRequest, unitTypes } from './request-references.ts'
import type { Rows } from './rows.ts'
import type { LoadedVoucher } from './voucher-row.ts'

/** What `checkout_details` answers, each only where it was asked for. */
interface Details {
  terms?: Record<string, Terms> | null
  counted?: Record<string, Counted>
  segments?: string[] | null
  events?: Array<{ type: string } & EventTally> | null
  publications?: Received[] | null
  publication_metadata?: Record<string, Record<string, unknown> | null> | null
}

/** The parameter of `checkout_details`, each key only where it is needed. */
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

const askFor = preparedStatement<{ found: Details }>('select checkout_details($1, $2::jsonb) as found')

/** The rows of a request with all that shows to be needed once they are there. */
export async function withDetails(
  ctx: Ctx,
  request: CheckoutRequest,
  configuration: Configuration,
  rows: Rows,
  db: LoadOptions['db'],
): Promise<CheckoutRows> {
  const caller = callerOf(request, rows)
  // Taken now: what is known may be let go of while the rest is asked for.
  const terms = new Map<string, Terms | undefined>(
    rows.vouchers.map(({ terms_id }) => [terms_id, knownTerms(ctx.project_id, terms_id)]),
  )
  const unknown = [...terms].flatMap(([id, known]) => (known === undefined ? [id] : []))
  const wanted: DetailQuestion = {
    ...(unknown.length === 0 ? {} : { terms: unknown }),
    ...countedFor(ctx, request, configuration, rows),
    ...(caller === null ? {} : asksOfCustomer(configuration)),
  }
  const found: Details = isEmpty(wanted) ? {} : await details(ctx, db, { ...wanted, caller: caller?.id ?? null })
  for (const [id, content] of Object.entries(found.terms ?? {})) terms.set(id, keptTerms(ctx.project_id, id, content))
  const vouchers = rows.vouchers.map((voucher) => ({ ...voucher, terms: terms.get(voucher.terms_id) ?? {} }))
  const published = vouchers.filter(({ terms }) => mentionsPublications(terms)).map(({ id }) => id)
  const more = published.length === 0 ? {} : await details(ctx, db, { published })
  const goods = withUnits(ctx, db, rows.goods, vouchers)
  return {
    configuration,
    vouchers,
    customers: rows.customers,
    caller,
    order: rows.order,
    goods: goods instanceof Promise ? await goods : goods,
    counted: found.counted ?? {},
    has_session: rows.has_session,
    segments: found.segments ?? [],
    held_codes:
      caller === null ? [] : vouchers.filter(({ holders }) => holders.includes(caller.id)).map(({ id }) => id),
    events: new Map((found.events ?? []).map(({ type, ...tally }) => [type, tally])),
    publications: found.publications ?? [],
    publication_metadata: more.publication_metadata ?? {},
    tier_usage: rows.tier_usage,
    rewards_redeemed: rows.rewards_redeemed,
    today: todayIn({ now: ctx.now, timezone: ctx.project.timezone }),
    kept: null,
  }
}

async function details({ project_id }: Ctx, db: LoadOptions['db'], wanted: DetailQuestion): Promise<Details> {
  const [row] = await askFor(db, [project_id, JSON.stringify(wanted)])
  return (row as { found: Details }).found
}

const isEmpty = (wanted: object): boolean => Object.keys(wanted).length === 0

/**
 * Whose request it is: whoever it names, and nobody if we do not know that one; else whoever the stored order belongs to; else
 * the holder of a loyalty card among the codes.
 */
function callerOf({ customer: named }: CheckoutRequest, { customers, order, vouchers }: Rows): CheckoutRows['caller'] {
  if (named !== null && (named.id !== null || named.source_id !== null))
    return (
      customers.find(({ id }) => id === named.id) ??
      customers.find(({ source_id }) => source_id !== null && source_id === named.source_id) ??
      null
    )
  const id = order?.customer_id ?? vouchers.find(({ type }) => type === 'LOYALTY_CARD')?.holder_id ?? null
  return customers.find((one) => one.id === id) ?? null
}

/** Whether rules of a request compare what was counted. */
export const counts = (ctx: Ctx, request: CheckoutRequest, configuration: Configuration, rows: Rows): boolean =>
  !isEmpty(countedFor(ctx, request, configuration, rows))

/** Only what rules compare is counted: those of a code, of its campaign, of a tier, of a reward. */
function countedFor(
  ctx: Ctx,
  request: CheckoutRequest,
  configuration: Configuration,
  { vouchers }: Rows,
): DetailQuestion {
  const rewards = rewardAssignmentsInRequest(configuration, request.redeemables).flatMap(({ id }) =>
    rulesOf(configuration, id),
  )
  const counted = [
    ...vouchers.map(({ id, campaign_id, assignments }) => {
      const own = assignments.flatMap(({ rule_id }) => configuration.rules.get(rule_id) ?? [])
      const inherited = campaign_id === null ? [] : rulesOf(configuration, campaign_id)
      return { id, scope: campaign_id ?? id, is_tier: false, groups: groupsOf([...own, ...inherited, ...rewards]) }
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
    const groups = groupsByRule.get(rule) ?? countedGroups(rule)
    groupsByRule.set(rule, groups)
    return groups
  })
  return [...new Set(all)]
}

/** When the day, the week and the month of the request began, as moments and as days of the project. */
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

/** Filters of segments that ask what a customer did or was given need more than its row, where rules ask for segments. */
function asksOfCustomer(configuration: Configuration): DetailQuestion {
  if (!asksForSegments(configuration)) return {}
  const fields = configuration.segments.flatMap(({ filter }) => Object.keys(filter))
  return {
    with_segments: true,
    ...(fields.some((field) => !field.startsWith('publications')) ? { with_events: true } : {}),
    ...(fields.some((field) => field.startsWith('publications')) ? { with_publications: true } : {}),
  }
}

const mentionCache = new WeakMap<Terms, boolean>()

/** Formulas may read with what a code was published. */
function mentionsPublications(terms: Terms): boolean {
  const mentions = mentionCache.get(terms) ?? JSON.stringify(terms).includes('PUBLICATION_METADATA')
  mentionCache.set(terms, mentions)
  return mentions
}

/** Units that codes give away may not be in the order yet. */
function withUnits(
  ctx: Ctx,
  db: LoadOptions['db'],
  goods: Goods,
  vouchers: readonly LoadedVoucher[],
): Goods | Promise<Goods> {
  const units = vouchers.flatMap(({ terms }) => unitTypes(terms.discount ?? null))
  if (units.length === 0) return goods
  const isKnown = new Set([...goods.products, ...goods.skus].flatMap(({ id, source_id }) => [id, source_id]))
  const missing = [...new Set(units)].filter((id) => !isKnown.has(id))
  if (missing.length === 0) return goods
  return findGoods({ ...ctx, db }, { products: missing, skus: missing }).then(({ products, skus }) => ({
    products: [...goods.products, ...products],
    skus: [...goods.skus, ...skus],
  }))
}
