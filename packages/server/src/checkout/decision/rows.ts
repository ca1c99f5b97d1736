import type { Selectable } from 'kysely'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { Goods } from '../../catalogue/products/goods.ts'
import { toProduct } from '../../catalogue/products/store.ts'
import { toSku } from '../../catalogue/skus/store.ts'
import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { allFromJson, fromJson } from '../../core/db/json-row.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { ProductRow, SkuRow } from '../../core/db/tables.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { codeKey } from '../../incentives/vouchers/store.ts'
import { goodKeys } from '../../orders/lines.ts'
import type { StoredOrder } from '../../orders/order.ts'
import type { KeptReply, LoadOptions, TierUsage, Versioned } from './loaded.ts'
import { type LookupKeys, mergeKeys, newLookupBatcher } from './lookup-batcher.ts'
import type { CheckoutRequest } from './request.ts'
import { rewardAssignmentsInRequest, tiersInRequest, unitTypes } from './request-references.ts'
import { type FoundVoucher, toFoundVoucher } from './voucher-row.ts'

/** The rows that a request names, and those that they name. */
export interface Rows {
  config_version: number
  order: Versioned<StoredOrder> | null
  vouchers: readonly FoundVoucher[]
  customers: ReadonlyArray<Versioned<StoredCustomer>>
  goods: Goods
  has_session: boolean
  tier_usage: Readonly<Record<string, TierUsage>>
  rewards_redeemed: Readonly<Record<string, number>>
}

/** What `checkout_facts` answers; to a request that was answered before, only what was answered. */
interface Found {
  config_version: number
  order: object | null
  vouchers: Array<object & { id: string }> | null
  /** By the id of the card, what is in its books and who is a member by it. */
  cards: Record<string, object> | null
  holders: Array<{ voucher_id: string; customer_id: string }> | null
  customers: object[] | null
  people: object[] | null
  products: object[] | null
  more_products: object[] | null
  skus: object[] | null
  has_session: boolean
  tier_usage: Record<string, TierUsage> | null
  rewards_redeemed: Record<string, number> | null
}

/** By what the rows of a redemption are found; null: it has something special to ask for. */
export function batchableKeys(ctx: Ctx, request: CheckoutRequest): LookupKeys | null {
  const configuration = ctx.configurations.known(ctx.project_id)
  return extraLookupsOf(request, configuration, { is_redemption: true }) === null
    ? namesOf(ctx, request, configuration)
    : null
}

/** The rows of several requests, and how each of them takes its own. */
export const loadTogether = async (
  db: Db,
  projectId: string,
  now: Instant,
  several: readonly LookupKeys[],
): Promise<Rows> => toRows((await askFor(db, projectId, now, mergeKeys(several), null)) as Found)

/** Requests that ask for nothing but rows by their names go together; who has something special to ask goes alone. */
export function loadRows(
  ctx: Ctx,
  request: CheckoutRequest,
  configuration: Configuration,
  options: LoadOptions,
): Promise<Rows | { kept: KeptReply }> {
  const names = namesOf(ctx, request, configuration)
  const special = extraLookupsOf(request, configuration, options)
  if (special === null && !options.db.isTransaction) return gathered(ctx, options.db, names)
  return askFor(options.db, ctx.project_id, ctx.now, names, special).then((found) =>
    'kept' in found ? found : toRows(found),
  )
}

const facts = preparedStatement<{ found: Found | { kept: KeptReply } }>(
  'select checkout_facts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as found',
)

async function askFor(
  db: Db,
  projectId: string,
  now: Instant,
  names: LookupKeys,
  special: ExtraLookups | null,
): Promise<Found | { kept: KeptReply }> {
  const [row] = await facts(db, [
    projectId,
    now,
    given(names.code_keys),
    given(names.customer_sources),
    given(names.customer_ids),
    given(names.product_sources),
    given(names.product_ids),
    given(names.sku_sources),
    given(names.sku_ids),
    special === null ? null : JSON.stringify(special),
  ])
  return (row as { found: Found | { kept: KeptReply } }).found
}

const gathered = newLookupBatcher<Rows>(
  (db, projectId, now, names) => loadTogether(db, projectId, now, [names]),
  rowsForRequest,
)

const given = (names: readonly string[]): readonly string[] | null => (names.length === 0 ? null : names)

function namesOf({ project }: Ctx, request: CheckoutRequest, configuration: Configuration): LookupKeys {
  const { customer, order, redeemables, referrer } = request
  const { products, skus } = goodKeys(order?.items ?? [])
  const productKeys = [
    ...products,
    ...tiersInRequest(configuration, redeemables).flatMap(({ discount }) => unitTypes(discount)),
  ]
  const skuKeys = [...skus, ...productKeys]
  return {
    code_keys: codesOf(request).map((id) => codeKey(project, id)),
    customer_sources: [customer?.source_id, referrer].filter((name) => name != null),
    customer_ids: [customer?.id, referrer].filter((name) => name?.startsWith('cust_') === true) as string[],
    product_sources: productKeys,
    product_ids: productKeys.filter((key) => key.startsWith('prod_')),
    sku_sources: skus,
    sku_ids: skuKeys.filter((key) => key.startsWith('sku_')),
  }
}

const codesOf = ({ redeemables }: CheckoutRequest): string[] =>
  redeemables.flatMap(({ object, id }) => (object === 'voucher' && !id.includes('\0') ? [id] : []))

/** The parameter `special` of `checkout_facts`: what only some requests ask for. */
export interface ExtraLookups {
  key?: string
  order_id?: string
  order_source?: string
  voucher_ids?: string[]
  session?: string
  tiers?: string[]
  rewards?: string[]
  lock?: string
  guards?: readonly string[]
}

/** What only some requests ask for; null: nothing. */
function extraLookupsOf(
  request: CheckoutRequest,
  configuration: Configuration,
  { lock = false, key = null, guards = [], is_redemption = false }: Omit<LoadOptions, 'db'>,
): ExtraLookups | null {
  const { order, redeemables, session } = request
  const voucherIds = codesOf(request).filter((id) => id.startsWith('v_'))
  const tiers = is_redemption ? tiersInRequest(configuration, redeemables).map(({ id }) => id) : []
  const rewards = rewardAssignmentsInRequest(configuration, redeemables).map(({ reward_id }) => reward_id)
  const special: ExtraLookups = {
    ...(key === null ? {} : { key }),
    ...(order?.id === undefined ? {} : { order_id: order.id }),
    ...(order?.source_id == null ? {} : { order_source: order.source_id }),
    ...(voucherIds.length === 0 ? {} : { voucher_ids: voucherIds }),
    ...(session?.key == null ? {} : { session: session.key }),
    ...(tiers.length === 0 ? {} : { tiers }),
    ...(rewards.length === 0 ? {} : { rewards }),
    ...(lock ? { lock: `${limits.checkout_lock_seconds}s`, guards } : {}),
  }
  return Object.keys(special).length === 0 ? null : special
}

function toRows(found: Found): Rows {
  const { config_version, order, has_session } = found
  return {
    config_version,
    order: order === null ? null : fromJson(order),
    vouchers: (found.vouchers ?? []).map((row) =>
      toFoundVoucher({ ...row, ...found.cards?.[row.id], holders: holdersOf(found, row.id) }),
    ),
    customers: eachOnce(allFromJson<Versioned<StoredCustomer>>(found.customers), allFromJson(found.people)),
    goods: {
      products: eachOnce(
        allFromJson<Selectable<ProductRow>>(found.products),
        allFromJson<Selectable<ProductRow>>(found.more_products),
      ).map(toProduct),
      skus: allFromJson<Selectable<SkuRow>>(found.skus).map(toSku),
    },
    has_session,
    tier_usage: found.tier_usage ?? {},
    rewards_redeemed: found.rewards_redeemed ?? {},
  }
}

const holdersOf = ({ holders }: Found, id: string): string[] =>
  holders === null ? [] : holders.flatMap(({ voucher_id, customer_id }) => (voucher_id === id ? [customer_id] : []))

/** What was found in two ways is there once. */
function eachOnce<Row extends { id: string }>(some: readonly Row[], more: readonly Row[]): readonly Row[] {
  if (more.length === 0) return some
  return [...new Map([...some, ...more].map((row) => [row.id, row])).values()]
}

/**
 * Of what was found for several requests, what one of them would have found alone. Where everything is, is looked up once for all
 * of them: many requests with many lines would otherwise look at each other's rows one by one.
 */
export function rowsForRequest(rows: Rows): (names: LookupKeys) => Rows {
  const byCode = new Map(rows.vouchers.map((voucher) => [voucher.code_key, voucher]))
  const [customers, products, skus] = [
    new RowIndex(rows.customers),
    new RowIndex(rows.goods.products),
    new RowIndex(rows.goods.skus),
  ]
  return (names) => {
    const vouchers = names.code_keys.flatMap((key) => byCode.get(key) ?? [])
    const people = vouchers.flatMap(({ holder_id, referrer_id }) =>
      [holder_id, referrer_id].filter((id) => id !== null),
    )
    const ownSkus = skus.named(names.sku_ids, names.sku_sources)
    return {
      ...rows,
      vouchers: [...new Set(vouchers)],
      customers: customers.named([...names.customer_ids, ...people], names.customer_sources),
      goods: {
        skus: ownSkus,
        products: products.named(
          [...names.product_ids, ...ownSkus.map(({ product_id }) => product_id)],
          names.product_sources,
        ),
      },
    }
  }
}

/** Rows by their id, and by the id that the shop gave them. */
class RowIndex<Row extends { id: string; source_id: string | null }> {
  readonly #byId: ReadonlyMap<string, Row>
  readonly #bySource: ReadonlyMap<string | null, Row>

  constructor(rows: readonly Row[]) {
    this.#byId = new Map(rows.map((row) => [row.id, row]))
    this.#bySource = new Map(rows.map((row) => [row.source_id, row]))
  }

  /** Each once, in whichever way it is named. */
  named(ids: readonly string[], sources: readonly string[]): Row[] {
    const rows = [...ids.map((id) => this.#byId.get(id)), ...sources.map((source) => this.#bySource.get(source))]
    return [...new Set(rows.filter((row) => row !== undefined))]
  }
}
