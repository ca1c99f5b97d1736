import type { Posting } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import type { StoredCustomer } from '../audience/customers/customer.ts'
import { listCustomersById } from '../audience/customers/store.ts'
import type { Versioned } from '../checkout/decision/checkout-rows.ts'
import { multipleRequests } from '../checkout/decision/save.ts'
import type { Ctx } from '../core/context.ts'
import type { CustomerRow, PromotionStackRow } from '../core/db/tables.ts'
import { sqlState } from '../core/db/transaction.ts'
import { notFound } from '../core/http/errors.ts'
import { limits } from '../core/lib/limits.ts'
import { listCampaignsById, type StoredCampaign } from '../incentives/campaigns/store.ts'
import type { StoredTier } from '../incentives/promotions/tier.ts'
import { listTiersById } from '../incentives/promotions/tier-store.ts'
import { giftLotId } from '../incentives/vouchers/initial-credits.ts'
import { listVouchersIncludingBinned } from '../incentives/vouchers/store.ts'
import type { StoredVoucher } from '../incentives/vouchers/voucher.ts'
import type { StoredItem, StoredOrder } from '../orders/order.ts'
import type { StoredRedemption } from './redemption.ts'
import type { Undo } from './undo.ts'

/** The redemption of one voucher or tier, with the data to undo it. */
export type RollbackPart = StoredRedemption & { undo: Undo }

/** The rows that a rollback needs. Those that it changes are locked, so no other transaction changes them before it is saved. */
export interface RollbackFacts {
  /** A single redemption, or the parent of several. */
  redemption: StoredRedemption
  /** The single redemption itself, or the children in the order in which they were redeemed. */
  parts: RollbackPart[]
  /** Null also if the order was deleted since; the same holds for the customers. */
  order: Versioned<StoredOrder> | null
  customer: StoredCustomer | null
  order_customer: StoredCustomer | null
  order_referrer: StoredCustomer | null
  /** The vouchers of the parts, by id, as in the other maps. */
  vouchers: ReadonlyMap<string, Versioned<StoredVoucher>>
  tiers: ReadonlyMap<string, StoredTier>
  stacks: ReadonlyMap<
    string,
    Pick<PromotionStackRow, 'id' | 'name' | 'category_id' | 'campaign_id'> & { tier_ids: string[] }
  >
  campaigns: ReadonlyMap<string, StoredCampaign>
  holders: ReadonlyMap<string, StoredCustomer>
}

/**
 * Locks the rows that a rollback changes in the common lock order: order, customers, vouchers. The redemptions are locked last;
 * where there is nothing else to lock, they alone serialise two rollbacks of one redemption. All other rows are read by later
 * statements, which see what the transactions that held the locks have committed.
 */
export async function loadRollback(
  ctx: Ctx,
  { id, order_id, customer_id }: Pick<StoredRedemption, 'id' | 'order_id' | 'customer_id'>,
): Promise<RollbackFacts> {
  const { order, locked, versions, rows } = await lockAll(ctx, id, order_id, customer_id).catch((error: unknown) => {
    // A lock timeout: nothing has changed (docs/reference/concurrency.md).
    throw sqlState(error) === '55P03' ? multipleRequests() : error
  })
  const redemption = rows.find((row) => row.id === id)
  if (redemption === undefined) throw notFound('redemption', id) // deleted since the request read it
  const parts = partsOf(redemption, rows, order)

  const vouchers = await listVouchersIncludingBinned(ctx, [...versions.keys()])
  const referrerId = order?.referrer_id ?? null
  const customers = await customersById(ctx, [referrerId, ...vouchers.map(({ holder_id }) => holder_id)])
  return {
    redemption,
    parts,
    order,
    customer: locked.get(customer_id ?? '') ?? null,
    order_customer: locked.get(order?.customer_id ?? '') ?? null,
    order_referrer: customers.get(referrerId ?? '') ?? null,
    vouchers: new Map(
      vouchers.map((voucher) => [voucher.id, { ...voucher, xmin: versions.get(voucher.id) as string }]),
    ),
    tiers: byId(await listTiersById(ctx, idsOf(parts, 'promotion_tier'))),
    stacks: byId(await listStacksById(ctx, parts)),
    campaigns: byId(await listCampaignsById(ctx, [...new Set(parts.flatMap(({ campaign_id }) => campaign_id ?? []))])),
    holders: customers,
  }
}

async function lockAll(
  ctx: Ctx,
  id: string,
  orderId: StoredRedemption['order_id'],
  customerId: StoredRedemption['customer_id'],
) {
  const { db, project_id } = ctx
  await sql`select set_config('lock_timeout', ${`${limits.checkout_lock_seconds}s`}, true)`.execute(db)
  const order = orderId === null ? null : await lockOrder(ctx, orderId)
  const referrers = await listReferrersBy(ctx, id)
  const locked = await customersById(ctx, [customerId, order?.customer_id ?? null, ...referrers], { lock: true })
  const { rows: versions } = await sql<{ id: string; xmin: string }>`
    select id, xmin::text as xmin from vouchers
    where project_id = ${project_id} and id in (
      select related_object_id from redemptions
      where project_id = ${project_id} and (id = ${id} or parent_id = ${id}) and related_object_type = 'voucher')
    order by id for update`.execute(db)
  const rows: StoredRedemption[] = await db
    .selectFrom('redemptions')
    .where('project_id', '=', project_id)
    .where((is) => is.or([is('id', '=', id as StoredRedemption['id']), is('parent_id', '=', id)]))
    .orderBy('id')
    .selectAll()
    .forUpdate()
    .execute()
  return { order, locked, versions: new Map(versions.map((row) => [row.id, row.xmin])), rows }
}

/** The referrers whose conversions the rollback will undo: they are locked with the other customers. */
async function listReferrersBy({ db, project_id }: Ctx, id: string): Promise<Array<CustomerRow['id']>> {
  const { rows } = await sql<{ referrer_id: CustomerRow['id'] }>`
    select c.referrer_id from redemptions r
    join referral_conversions c on c.project_id = r.project_id and c.related_object_id = r.id
    where r.project_id = ${project_id} and (r.id = ${id} or r.parent_id = ${id})`.execute(db)
  return rows.map(({ referrer_id }) => referrer_id)
}

async function lockOrder(
  { db, project_id }: Ctx,
  id: NonNullable<StoredRedemption['order_id']>,
): Promise<Versioned<StoredOrder> | null> {
  const row = await db
    .selectFrom('orders')
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .selectAll()
    .select(sql<string>`xmin::text`.as('xmin'))
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? null : { ...row, items: row.items as StoredItem[] }
}

function partsOf(
  redemption: StoredRedemption,
  rows: readonly StoredRedemption[],
  order: StoredOrder | null,
): RollbackPart[] {
  const { id, related_object_type } = redemption
  if (related_object_type !== 'redemption') return [redemption as RollbackPart]
  const { stacked = [] } = (order?.redemptions?.[id] ?? {}) as { stacked?: string[] }
  const places = new Map(stacked.map((child, place) => [child, place]))
  const placeOf = ({ id }: StoredRedemption) => places.get(id) ?? 0
  return (rows.filter(isPartOf(id)) as RollbackPart[]).sort((a, b) => placeOf(a) - placeOf(b))
}

/** Without failed children: under PARTIAL they are stored beside the others, and have nothing to undo. */
const isPartOf = (id: string) => (row: StoredRedemption) =>
  row.parent_id === id && row.object === 'redemption' && row.result === 'SUCCESS'

async function customersById(
  ctx: Ctx,
  ids: ReadonlyArray<CustomerRow['id'] | null>,
  options: { lock?: boolean } = {},
): Promise<Map<string, StoredCustomer>> {
  const distinctIds = [...new Set(ids.filter((id) => id !== null))]
  return distinctIds.length === 0 ? new Map() : byId(await listCustomersById(ctx, distinctIds, options))
}

async function listStacksById({ db, project_id }: Ctx, parts: readonly RollbackPart[]) {
  const ids = [...new Set(parts.flatMap(({ stack_id }) => stack_id ?? []))]
  if (ids.length === 0) return []
  return db
    .selectFrom('promotion_stacks')
    .where('project_id', '=', project_id)
    .where('id', 'in', ids)
    .select(['id', 'name', 'tier_ids', 'category_id', 'campaign_id'])
    .execute()
}

const idsOf = (parts: readonly RollbackPart[], type: StoredRedemption['related_object_type']): string[] =>
  parts.filter((part) => part.related_object_type === type).map((part) => part.related_object_id)

const byId = <Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> =>
  new Map(rows.map((row) => [row.id, row]))

/** The postings of the transaction by which a card paid, in the engine's form. */
export async function listPostings(
  { db, project_id }: Ctx,
  { id, type }: Pick<StoredVoucher, 'id' | 'type'>,
  transactionId: string,
): Promise<Posting[]> {
  const { rows } = await sql<{
    source: string
    destination: string
    amount: number
    lot_id: string | null
    expires_at: string | null
  }>`
    select source, destination, amount, lot_id, expires_at::text as expires_at from postings
    where project_id = ${project_id} and voucher_id = ${id} and transaction_id = ${transactionId} order by id`.execute(
    db,
  )
  return rows.map(({ source, destination, amount, lot_id, expires_at }) => ({
    from: source,
    to: destination,
    amount,
    asset: type === 'GIFT_VOUCHER' ? 'credits' : 'points',
    lot: lot_id ?? giftLotId,
    expires_at,
  }))
}
