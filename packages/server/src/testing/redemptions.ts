import { sql } from 'kysely'
import type { RedemptionRow } from '../core/db/tables.ts'
import { tally } from '../core/db/tallies.ts'
import { newId } from '../core/lib/ids.ts'
import type { StoredRedemption } from '../redemptions/redemption.ts'
import type { Shop } from './app.ts'

/** The columns of a redemption that a test sets, and the amounts for the usage row. */
export interface RedemptionFields extends Partial<Omit<StoredRedemption, 'project_id'>> {
  orders_amount?: number
  discounted_amount?: number
}

const prefixes = {
  redemption: { SUCCESS: 'redemption', FAILURE: 'failed_redemption' },
  redemption_rollback: { SUCCESS: 'rollback', FAILURE: 'failed_rollback' },
} as const

/**
 * Inserts a redemption row and returns its id: by default a single successful redemption without a related object, created now.
 * A successful redemption is also added to the usage of its campaign, tier or code.
 */
export async function newRedemption(shop: Shop, fields: RedemptionFields = {}): Promise<RedemptionRow['id']> {
  const { orders_amount = 0, discounted_amount = 0, ...columnValues } = fields
  const { object = 'redemption', result = 'SUCCESS' } = columnValues
  const createdAt = columnValues.created_at ?? new Date(shop.service.clock.now()).toISOString()
  const id = columnValues.id ?? newId(prefixes[object][result], Date.parse(createdAt))
  const row = {
    project_id: shop.project_id,
    id,
    object,
    result,
    status: result === 'SUCCESS' ? 'SUCCEEDED' : 'FAILED',
    related_object_type: 'redemption',
    related_object_id: id,
    channel_type: 'API',
    channel_id: 'app',
    ...columnValues,
    created_at: createdAt,
  }
  const { db } = shop.service.runtime.database
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)))
  await sql`insert into redemptions (${columns})
    select ${columns} from jsonb_populate_record(null::redemptions, ${JSON.stringify(row)}::jsonb)`.execute(db)
  await tally(db, shop.project_id, 'redemptions', 1)

  if (result === 'SUCCESS' && row.related_object_type !== 'redemption') {
    const scopes = new Set([columnValues.campaign_id ?? row.related_object_id])
    if (row.related_object_type === 'promotion_tier') scopes.add(row.related_object_id)
    for (const scopeId of scopes)
      await sql`insert into usage values (${shop.project_id}, ${scopeId}, ${createdAt}::date,
        ${object === 'redemption_rollback'}, ${id}, 1, ${orders_amount}, ${discounted_amount}, ${Math.abs(columnValues.amount ?? 0)})`.execute(
        db,
      )
  }
  return id
}

/** The columns of a redemption of a voucher, given as the API returns it. */
export const ofVoucher = (voucher: { id: string; code: string; campaign_id: string | null }) => ({
  related_object_type: 'voucher' as const,
  related_object_id: voucher.id,
  voucher_code: voucher.code,
  campaign_id: voucher.campaign_id as RedemptionRow['campaign_id'],
})

/** The columns of a redemption of a promotion tier. */
export const ofTier = (tier: { id: string; campaign_id: string }) => ({
  related_object_type: 'promotion_tier' as const,
  related_object_id: tier.id,
  campaign_id: tier.campaign_id as RedemptionRow['campaign_id'],
})
