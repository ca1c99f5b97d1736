import { clockAt, periodStart } from '@guerdon/engine'
import type { Discount } from '@guerdon/engine/schema'
import { type Selectable, sql } from 'kysely'
import { asksForSegments, type Configuration, type ConfiguredAssignment } from '../configuration/configuration.ts'
import type { Ctx } from '../context.ts'
import type { StoredCustomer } from '../customers/customer.ts'
import type { EventTally, Received } from '../customers/fields.ts'
import type { Db } from '../db/connect.ts'
import { allFromJson, fromJson } from '../db/json-row.ts'
import type { ProductRow, SkuRow, Terms, VoucherRow } from '../db/tables.ts'
import { todayIn } from '../lib/filter/calendar.ts'
import { toInstant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import { goodKeys } from '../orders/lines.ts'
import type { StoredOrder } from '../orders/order.ts'
import type { Goods } from '../products/goods.ts'
import { toProduct } from '../products/store.ts'
import { toSku } from '../skus/store.ts'
import { keptTerms } from '../terms/kept.ts'
import { codeKey } from '../vouchers/store.ts'
import type { CheckoutRequest } from './request.ts'

/** What the database knows of all that a request names. */
export interface Loaded {
  configuration: Configuration
  vouchers: readonly LoadedVoucher[]
  customers: ReadonlyArray<Versioned<StoredCustomer>>
  /** Whose request it is; null: nobody, or nobody whom we know. */
  caller: Versioned<StoredCustomer> | null
  order: Versioned<StoredOrder> | null
  goods: Goods
  /** By id of the voucher or tier: what its rules compare. */
  counted: Readonly<Record<string, Counted>>
  /** Of the customer: segments that are lists, codes among those named that it holds. */
  segments: readonly string[]
  held_codes: readonly string[]
  events: ReadonlyMap<string, EventTally>
  publications: readonly Received[]
  publication_metadata: Readonly<Record<string, Record<string, unknown> | null>>
  /** The session that the request names keeps something. */
  has_session: boolean
  /** Of tiers that are about to be redeemed: what was used of them. */
  tier_usage: Readonly<Record<string, TierUsage>>
  /** How often the rewards that are named were given. */
  rewards_redeemed: Readonly<Record<string, number>>
  /** The day in the project's time zone. */
  today: string
  /** The answer that was given to the same request before; nothing else was loaded then. */
  kept: KeptReply | null
}

/** `xmin` is the version that was read. */
export type Versioned<Row> = Row & { xmin: string }

export type LoadedVoucher = Versioned<Selectable<VoucherRow>> & {
  terms: Terms
  /** Its own, without those of its campaign. */
  assignments: readonly ConfiguredAssignment[]
  /** What other sessions keep of it. */
  held: { quantity: number; credits: number }
  lots: ReadonlyArray<{ id: string; points: number; expires_at: string | null }>
  /** Of a card: the id of its latest transaction. */
  last_transaction: string | null
  /** Of a loyalty card that somebody holds: the tier, and when time changes something of it next. */
  member: { tier_id: string | null; due_on: string | null } | null
}

export interface Counted {
  numbers: Record<string, number>
  /** By limit and what it counts, joined by `/`. */
  units: Record<string, number>
  guards: Record<string, number>
}

export interface TierUsage {
  redemptions: number
  orders_amount: number
  discounted_amount: number
}

export interface KeptReply {
  fingerprint: string
  status: number
  body: string
}

export interface LoadOptions {
  db: Db
  /** Whose rows are locked first; the transaction is the caller's. */
  lock?: boolean
  /** The Idempotency-Key whose answer may be there already. */
  key?: string | null
  /** It is about to be redeemed: what was used of tiers is part of the answer. */
  is_redemption?: boolean
  /** Guards that a decision before this one relied on. */
  guards?: readonly string[]
}

/**
 * Loads all that a request needs to know, in one trip. The configuration comes from memory; what comes along says whether
 * it is current, and if it is not, everything is asked for once more with the new one.
 */
export async function loadCheckout(ctx: Ctx, request: CheckoutRequest, options: LoadOptions): Promise<Loaded> {
  let configuration = ctx.configurations.known(ctx.project_id)
  for (let attempt = 0; ; attempt += 1) {
    const found = await askFor(ctx, request, configuration, options)
    if (found.kept != null) return { ...nothing_loaded, configuration, kept: found.kept }
    if (found.config_version === configuration.version || attempt === refreshes_max)
      return toLoaded(configuration, found, ctx)
    configuration = await ctx.configurations.atLeast(options.db, ctx.project_id, found.config_version)
  }
}

/** Whoever changes the configuration without a pause cannot keep a checkout from its answer. */
const refreshes_max = 5

const nothing_loaded: Omit<Loaded, 'configuration' | 'kept'> = {
  vouchers: [],
  customers: [],
  caller: null,
  order: null,
  goods: { products: [], skus: [] },
  counted: {},
  segments: [],
  held_codes: [],
  events: new Map(),
  publications: [],
  publication_metadata: {},
  tier_usage: {},
  rewards_redeemed: {},
  today: '',
  has_session: false,
}

/** What `checkout_facts` answers. */
interface Found {
  kept?: KeptReply
  config_version: number
  order: object | null
  vouchers: Array<object & { terms_id: string }>
  terms: Array<{ id: string; content: Terms }>
  customers: object[]
  caller: string | null
  counted: Record<string, Counted>
  has_session: boolean
  segments?: string[] | null
  holds_codes?: string[] | null
  events?: Array<{ type: string } & EventTally> | null
  publications?: Received[] | null
  publication_metadata?: Record<string, Record<string, unknown> | null> | null
  tier_usage?: Record<string, TierUsage> | null
  rewards_redeemed?: Record<string, number> | null
  products?: object[] | null
  skus?: object[] | null
}

async function askFor(
  ctx: Ctx,
  request: CheckoutRequest,
  configuration: Configuration,
  { db, lock = false, key = null, guards = [], is_redemption = false }: LoadOptions,
): Promise<Found> {
  const { project, project_id, now } = ctx
  const { customer, order, redeemables, session, referrer } = request
  const codes = redeemables.filter(({ object, id }) => object === 'voucher' && !id.includes('\0'))
  const tiers = namedTiers(configuration, redeemables)
  const goods = goodKeys(order?.items ?? [])
  const asked = {
    project_id,
    now,
    ...periodsOf(ctx, request),
    app_id: ctx.caller.api_key?.app_id ?? null,
    code_keys: codes.map(({ id }) => codeKey(project, id)),
    voucher_ids: codes.flatMap(({ id }) => (id.startsWith('v_') ? [id] : [])),
    tiers: tiers.map(({ id, campaign_id }) => ({ id, campaign_id })),
    customer_id: customer?.id ?? null,
    customer_source: customer?.source_id ?? null,
    ...(order?.id === undefined ? {} : { order_id: order.id }),
    ...(order?.source_id == null ? {} : { order_source: order.source_id }),
    referrer,
    session: session?.key ?? null,
    products: [...goods.products, ...tiers.flatMap(({ discount }) => unitTypes(discount))],
    skus: goods.skus,
    ...rewardsNamed(configuration, redeemables),
    ...(key === null ? {} : { key }),
    ...(lock ? { lock: `${limits.checkout_lock_seconds}s`, guards } : {}),
    ...(is_redemption ? { with_usage: true } : {}),
    ...asksOfCustomer(configuration),
  }
  const { rows } = await sql<{ found: Found }>`select checkout_facts(${JSON.stringify(asked)}::jsonb) as found`.execute(
    db,
  )
  return (rows[0] as { found: Found }).found
}

/** Filters of segments that ask what a customer did or was given need more than its row, where rules ask for segments. */
function asksOfCustomer(configuration: Configuration): { with_events?: true; with_publications?: true } {
  if (!asksForSegments(configuration)) return {}
  const fields = configuration.segments.segments.flatMap(({ filter }) => Object.keys(filter))
  return {
    ...(fields.some((field) => !field.startsWith('publications')) ? { with_events: true } : {}),
    ...(fields.some((field) => field.startsWith('publications')) ? { with_publications: true } : {}),
  }
}

/** When the day, the week and the month of the request began, as moments and as days of the project. */
function periodsOf({ now, project: { timezone } }: Ctx, { as_of }: CheckoutRequest) {
  const clock = clockAt(as_of ?? now, timezone)
  const [day_start, week_start, month_start] = (['day', 'week', 'month'] as const).map((period) =>
    toInstant(periodStart(clock, period)),
  ) as [string, string, string]
  const dayOf = (now: string) => todayIn({ now, timezone })
  return {
    day_start,
    week_start,
    month_start,
    today: dayOf(day_start),
    week: dayOf(week_start),
    month: dayOf(month_start),
    ...(as_of === null ? {} : { last_moment: as_of, last_day: dayOf(as_of) }),
  }
}

/** The rewards that a request names, and their assignments: they may have rules of their own. */
function rewardsNamed(
  { reward_assignments }: Configuration,
  redeemables: CheckoutRequest['redeemables'],
): { reward_assignments: string[]; rewards?: string[] } {
  const wanted = new Set(redeemables.flatMap(({ reward }) => [reward?.id ?? [], reward?.assignment_id ?? []].flat()))
  if (wanted.size === 0) return { reward_assignments: [] }
  const named = [...reward_assignments.values()].filter(({ id, reward_id }) => wanted.has(id) || wanted.has(reward_id))
  return { reward_assignments: named.map(({ id }) => id), rewards: named.map(({ reward_id }) => reward_id) }
}

/** The tiers that a request names, by themselves or by their stack. */
function namedTiers({ tiers, stacks }: Configuration, redeemables: CheckoutRequest['redeemables']) {
  const ids = redeemables.flatMap(({ object, id }) =>
    object === 'promotion_tier' ? [id] : object === 'promotion_stack' ? (stacks.get(id)?.tier_ids ?? []) : [],
  )
  return ids.flatMap((id) => tiers.get(id) ?? [])
}

/** Goods that a discount gives away: they may not be in the order. */
export function unitTypes(discount: Discount | null): string[] {
  if (discount?.type !== 'UNIT') return []
  const { unit_type, units } = discount as {
    unit_type?: string | null
    units?: Array<{ unit_type?: string | null }> | null
  }
  return [unit_type, ...(units ?? []).map((unit) => unit.unit_type)].filter((id) => id != null)
}

function toLoaded(configuration: Configuration, found: Found, { project_id, project, now }: Ctx): Loaded {
  const customers = allFromJson<Versioned<StoredCustomer>>(found.customers)
  const terms = new Map(found.terms.map(({ id, content }) => [id, keptTerms(project_id, id, content)]))
  return {
    configuration,
    vouchers: found.vouchers.map((row) => toLoadedVoucher(row, terms)),
    customers,
    caller: customers.find(({ id }) => id === found.caller) ?? null,
    order: found.order === null ? null : fromJson(found.order),
    goods: {
      products: allFromJson<Selectable<ProductRow>>(found.products).map(toProduct),
      skus: allFromJson<Selectable<SkuRow>>(found.skus).map(toSku),
    },
    counted: found.counted,
    has_session: found.has_session,
    segments: found.segments ?? [],
    held_codes: found.holds_codes ?? [],
    events: new Map((found.events ?? []).map(({ type, ...tally }) => [type, tally])),
    publications: found.publications ?? [],
    publication_metadata: found.publication_metadata ?? {},
    tier_usage: found.tier_usage ?? {},
    rewards_redeemed: found.rewards_redeemed ?? {},
    today: todayIn({ now, timezone: project.timezone }),
    kept: null,
  }
}

/** A code as `checkout_facts` gives it, and whoever asks for codes in the same words. */
export function toLoadedVoucher<More = object>(
  row: object & { terms_id: string },
  terms: ReadonlyMap<string, Terms>,
): LoadedVoucher & More {
  const voucher = fromJson<LoadedVoucher & More>(row)
  const held = voucher.held as { quantity: number | null; credits: number | null } | null
  return {
    ...voucher,
    terms: terms.get(row.terms_id) ?? {},
    assignments: allFromJson(voucher.assignments),
    held: { quantity: held?.quantity ?? 0, credits: held?.credits ?? 0 },
    lots: voucher.lots ?? [],
    last_transaction: voucher.last_transaction ?? null,
    member: voucher.member ?? null,
  }
}
