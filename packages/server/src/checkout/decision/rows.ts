import type { Selectable } from 'kysely'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
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
import type { CheckoutLoadOptions, Rows, StoredReplyRow, TierUsage, Versioned } from './checkout-rows.ts'
import { type LookupKeys, mergeKeys, newLookupBatcher } from './lookup-batcher.ts'
import { lookUpRows } from './lookup-statement.ts'
import type { CheckoutRequest } from './request.ts'
import { rewardAssignmentsInRequest, tiersInRequest, unitTypes } from './request-references.ts'
import { toFoundVoucher } from './voucher-row.ts'

/** The result of `checkout_facts`, unless it is only the stored reply (`kept`) of an Idempotency-Key. */
interface FactsResult {
  config_version: number
  order: object | null
  vouchers: Array<object & { id: string }> | null
  /** By card id: its lots, its latest transaction and its membership. */
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

/** The keys of a redemption that can join a batch; null: it needs extra lookups, which a batch does not make. */
export function batchableKeys(ctx: Ctx, request: CheckoutRequest): LookupKeys | null {
  const configuration = ctx.configurations.cached(ctx.project_id)
  return extraLookupsOf(request, configuration, { is_redemption: true }) === null
    ? keysOf(ctx, request, configuration)
    : null
}

/** Loads the rows of a batch in one round trip; `rowsForRequest` picks those of each request. */
export const loadBatch = (db: Db, projectId: string, now: Instant, lookups: readonly LookupKeys[]): Promise<Rows> =>
  lookUpRows(db, projectId, now, mergeKeys(lookups))

/**
 * Lookups by key alone are batched with those of concurrent requests; a request with extra lookups, or in a transaction, runs
 * its own query.
 */
export function loadRows(
  ctx: Ctx,
  request: CheckoutRequest,
  configuration: Configuration,
  options: CheckoutLoadOptions,
): Promise<Rows | { kept: StoredReplyRow }> {
  const keys = keysOf(ctx, request, configuration)
  const extraLookups = extraLookupsOf(request, configuration, options)
  if (extraLookups === null)
    return options.db.isTransaction
      ? lookUpRows(options.db, ctx.project_id, ctx.now, keys)
      : lookUpInBatch(ctx, options.db, keys)
  return queryFacts(options.db, ctx.project_id, ctx.now, keys, extraLookups).then((result) =>
    'kept' in result ? result : toRows(result),
  )
}

const facts = preparedStatement<{ found: FactsResult | { kept: StoredReplyRow } }>(
  'select checkout_facts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as found',
)

async function queryFacts(
  db: Db,
  projectId: string,
  now: Instant,
  keys: LookupKeys,
  extraLookups: ExtraLookups,
): Promise<FactsResult | { kept: StoredReplyRow }> {
  const [row] = await facts(db, [
    projectId,
    now,
    nullIfEmpty(keys.code_keys),
    nullIfEmpty(keys.customer_sources),
    nullIfEmpty(keys.customer_ids),
    nullIfEmpty(keys.product_sources),
    nullIfEmpty(keys.product_ids),
    nullIfEmpty(keys.sku_sources),
    nullIfEmpty(keys.sku_ids),
    JSON.stringify(extraLookups),
  ])
  return (row as { found: FactsResult | { kept: StoredReplyRow } }).found
}

const lookUpInBatch = newLookupBatcher<Rows>(lookUpRows, rowsForRequest)

const nullIfEmpty = (keys: readonly string[]): readonly string[] | null => (keys.length === 0 ? null : keys)

function keysOf({ project }: Ctx, request: CheckoutRequest, configuration: Configuration): LookupKeys {
  const { customer, order, redeemables, referrer } = request
  const { products, skus } = goodKeys(order?.items ?? [])
  const productKeys = [
    ...products,
    ...tiersInRequest(configuration, redeemables).flatMap(({ discount }) => unitTypes(discount)),
  ]
  const skuKeys = [...skus, ...productKeys]
  return {
    code_keys: codesOf(request).map((id) => codeKey(project, id)),
    customer_sources: [customer?.source_id, referrer].filter((key) => key != null),
    customer_ids: [customer?.id, referrer].filter((key) => key?.startsWith('cust_') === true) as string[],
    product_sources: productKeys,
    product_ids: productKeys.filter((key) => key.startsWith('prod_')),
    sku_sources: skus,
    sku_ids: skuKeys.filter((key) => key.startsWith('sku_')),
  }
}

const codesOf = ({ redeemables }: CheckoutRequest): string[] =>
  redeemables.flatMap(({ object, id }) => (object === 'voucher' && !id.includes('\0') ? [id] : []))

/** The parameter `special` of `checkout_facts`: lookups and locks that only some requests need. */
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

/** Null: the request needs none. */
function extraLookupsOf(
  request: CheckoutRequest,
  configuration: Configuration,
  { lock = false, key = null, guards = [], is_redemption = false }: Omit<CheckoutLoadOptions, 'db'>,
): ExtraLookups | null {
  const { order, redeemables, session } = request
  const voucherIds = codesOf(request).filter((id) => id.startsWith('v_'))
  const tiers = is_redemption ? tiersInRequest(configuration, redeemables).map(({ id }) => id) : []
  const rewards = rewardAssignmentsInRequest(configuration, redeemables).map(({ reward_id }) => reward_id)
  const lookups: ExtraLookups = {
    ...(key === null ? {} : { key }),
    ...(order?.id === undefined ? {} : { order_id: order.id }),
    ...(order?.source_id == null ? {} : { order_source: order.source_id }),
    ...(voucherIds.length === 0 ? {} : { voucher_ids: voucherIds }),
    ...(session?.key == null ? {} : { session: session.key }),
    ...(tiers.length === 0 ? {} : { tiers }),
    ...(rewards.length === 0 ? {} : { rewards }),
    ...(lock ? { lock: `${limits.checkout_lock_seconds}s`, guards } : {}),
  }
  return Object.keys(lookups).length === 0 ? null : lookups
}

function toRows(result: FactsResult): Rows {
  const { config_version, order, has_session } = result
  return {
    config_version,
    order: order === null ? null : fromJson(order),
    vouchers: (result.vouchers ?? []).map((row) =>
      toFoundVoucher({ ...row, ...result.cards?.[row.id], holders: holdersOf(result, row.id) }),
    ),
    customers: unionById(allFromJson<Versioned<StoredCustomer>>(result.customers), allFromJson(result.people)),
    goods: {
      products: unionById(
        allFromJson<Selectable<ProductRow>>(result.products),
        allFromJson<Selectable<ProductRow>>(result.more_products),
      ).map(toProduct),
      skus: allFromJson<Selectable<SkuRow>>(result.skus).map(toSku),
    },
    has_session,
    tier_usage: result.tier_usage ?? {},
    rewards_redeemed: result.rewards_redeemed ?? {},
  }
}

const holdersOf = ({ holders }: FactsResult, id: string): string[] =>
  holders === null ? [] : holders.flatMap(({ voucher_id, customer_id }) => (voucher_id === id ? [customer_id] : []))

/** The union by id: two lookups may find the same row. */
function unionById<Row extends { id: string }>(rows: readonly Row[], more: readonly Row[]): readonly Row[] {
  if (more.length === 0) return rows
  return [...new Map([...rows, ...more].map((row) => [row.id, row])).values()]
}

/**
 * Picks the rows of one request out of those of its batch: the rows that it would have found on its own. The rows are indexed once
 * per batch; without an index, every request with many lines would scan the rows of all others.
 */
export function rowsForRequest(rows: Rows): (keys: LookupKeys) => Rows {
  const byCode = new Map(rows.vouchers.map((voucher) => [voucher.code_key, voucher]))
  const [customers, products, skus] = [
    new RowIndex(rows.customers),
    new RowIndex(rows.goods.products),
    new RowIndex(rows.goods.skus),
  ]
  return (keys) => {
    const vouchers = keys.code_keys.flatMap((key) => byCode.get(key) ?? [])
    const customerIds = vouchers.flatMap(({ holder_id, referrer_id }) =>
      [holder_id, referrer_id].filter((id) => id !== null),
    )
    const requestSkus = skus.find(keys.sku_ids, keys.sku_sources)
    return {
      ...rows,
      vouchers: [...new Set(vouchers)],
      customers: customers.find([...keys.customer_ids, ...customerIds], keys.customer_sources),
      goods: {
        skus: requestSkus,
        products: products.find(
          [...keys.product_ids, ...requestSkus.map(({ product_id }) => product_id)],
          keys.product_sources,
        ),
      },
    }
  }
}

/** Rows by id, and by `source_id`, the id that the shop gave them. */
class RowIndex<Row extends { id: string; source_id: string | null }> {
  readonly #byId: ReadonlyMap<string, Row>
  readonly #bySource: ReadonlyMap<string | null, Row>

  constructor(rows: readonly Row[]) {
    this.#byId = new Map(rows.map((row) => [row.id, row]))
    this.#bySource = new Map(rows.map((row) => [row.source_id, row]))
  }

  /** Each row once, even if both its ids are given. */
  find(ids: readonly string[], sources: readonly string[]): Row[] {
    const rows = [...ids.map((id) => this.#byId.get(id)), ...sources.map((source) => this.#bySource.get(source))]
    return [...new Set(rows.filter((row) => row !== undefined))]
  }
}
