import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { ReferralConversionRow, ReferralTierRow, RewardAssignmentRow } from '../../core/db/tables.ts'
import { countOf } from '../../core/query/list.ts'
import type { StoredHolder } from './store.ts'

export type StoredConversion = Selectable<ReferralConversionRow>

/**
 * Inserts a conversion and returns the ids of the redemptions or events that converted the same referee before: a program
 * counts a referee once (docs/reference/referrals.md#conversion), and again after a rollback. Null if the referee is already
 * counted.
 */
export async function insertConversion(
  { db, project_id }: Ctx,
  conversion: Omit<StoredConversion, 'project_id' | 'undone_at' | 'source_ids'>,
): Promise<{ earlier: string[] } | null> {
  const { related_object_id } = conversion
  const { rows } = await sql<{ source_ids: string[] }>`
    insert into referral_conversions as c (project_id, campaign_id, referrer_id, referee_id, voucher_id, related_object_id,
      related_object_type, created_at, source_ids)
    values (${project_id}, ${conversion.campaign_id}, ${conversion.referrer_id}, ${conversion.referee_id},
      ${conversion.voucher_id}, ${related_object_id}, ${conversion.related_object_type},
      ${conversion.created_at}::timestamptz, array[${related_object_id}]::text[])
    on conflict (project_id, campaign_id, referrer_id, referee_id) do update set voucher_id = excluded.voucher_id,
      related_object_id = excluded.related_object_id, related_object_type = excluded.related_object_type,
      created_at = excluded.created_at, undone_at = null, source_ids = c.source_ids || excluded.source_ids
    where c.undone_at is not null
    returning source_ids`.execute(db)
  const [row] = rows
  return row === undefined ? null : { earlier: row.source_ids.slice(0, -1) }
}

/** The reward assignments by which earlier redemptions or events rewarded a referrer, without rolled back rewards. */
export async function listRewardedBy(
  { db, project_id }: Ctx,
  sourceIds: readonly string[],
  referrerId: StoredConversion['referrer_id'],
): Promise<Set<string>> {
  if (sourceIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('reward_redemptions')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`source_id = any(${sourceIds}::text[])`)
    .where('customer_id', '=', referrerId)
    .where('state', '<>', 'ROLLEDBACK')
    .select('reward_assignment_id')
    .execute()
  return new Set(rows.map(({ reward_assignment_id }) => reward_assignment_id))
}

/** The number of customers that a referrer has referred in a program. */
export const countReferees = (
  { db, project_id }: Ctx,
  { campaign_id, referrer_id }: Pick<StoredConversion, 'campaign_id' | 'referrer_id'>,
): Promise<number> =>
  countOf(
    db
      .selectFrom('referral_conversions')
      .where('project_id', '=', project_id)
      .where('campaign_id', '=', campaign_id)
      .where('referrer_id', '=', referrer_id)
      .where('undone_at', 'is', null)
      .selectAll(),
  )

/** Marks the conversions by rolled back redemptions as undone, and returns them. */
export async function undoConversionsBy(
  { db, project_id, now }: Ctx,
  redemptionIds: readonly string[],
): Promise<StoredConversion[]> {
  return db
    .updateTable('referral_conversions')
    .set({ undone_at: now })
    .where('undone_at', 'is', null)
    .where('project_id', '=', project_id)
    .where(sql<boolean>`related_object_id = any(${redemptionIds}::text[])`)
    .where('related_object_type', '=', 'redemption')
    .returningAll()
    .execute()
}

/** Records that a tier has rewarded a referrer for its number of referees; false if it already had. */
export async function insertGrant(
  { db, project_id, now }: Ctx,
  tierId: ReferralTierRow['id'],
  referrerId: StoredConversion['referrer_id'],
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('referral_grants')
    .values({ project_id, tier_id: tierId, referrer_id: referrerId, created_at: now })
    .onConflict((conflict) => conflict.columns(['project_id', 'tier_id', 'referrer_id']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Allows the tier of an assignment to reward a referrer again. */
export async function deleteGrant(
  { db, project_id }: Ctx,
  assignmentId: RewardAssignmentRow['id'],
  referrerId: StoredConversion['referrer_id'],
): Promise<void> {
  await sql`
    delete from referral_grants where project_id = ${project_id} and referrer_id = ${referrerId} and tier_id = (
      select related_object_id from reward_assignments where project_id = ${project_id} and id = ${assignmentId})`.execute(
    db,
  )
}

/** A customer's row in `holders` for a code. */
export async function findHolder(
  { db, project_id }: Ctx,
  { voucher_id, customer_id }: Pick<StoredHolder, 'voucher_id' | 'customer_id'>,
): Promise<StoredHolder | undefined> {
  return db
    .selectFrom('holders')
    .where('project_id', '=', project_id)
    .where('voucher_id', '=', voucher_id)
    .where('customer_id', '=', customer_id)
    .selectAll()
    .executeTakeFirst()
}

/**
 * Deletes the holder rows that redemptions created, once no successful redemption by the customer is left. A redemption and the
 * holder row that it created have the same `created_at`; a referee whom a request assigned stays a holder.
 */
export async function deleteRefereesOf(
  { db, project_id }: Ctx,
  voucherIds: readonly string[],
  customerId: StoredHolder['customer_id'],
): Promise<StoredHolder[]> {
  const { rows } = await sql<StoredHolder>`
    delete from holders h where project_id = ${project_id} and voucher_id = any(${voucherIds}::text[])
      and customer_id = ${customerId} and role = 'REFEREE'
      and exists (
        select from redemptions r where r.project_id = ${project_id} and r.related_object_id = h.voucher_id
          and r.customer_id = h.customer_id and r.object = 'redemption' and r.created_at = h.created_at)
      and not exists (
        select from redemptions r where r.project_id = ${project_id} and r.related_object_id = h.voucher_id
          and r.customer_id = h.customer_id and r.object = 'redemption' and r.status = 'SUCCEEDED')
    returning h.*`.execute(db)
  return rows
}
