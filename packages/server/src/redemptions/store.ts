import { sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { CustomerRow, RedemptionRow } from '../core/db/tables.ts'
import { tally, tallyOf } from '../core/db/tallies.ts'
import { deleteEvents } from '../core/events/delete-events.ts'
import { notFound } from '../core/http/errors.ts'
import type { Instant } from '../core/lib/instant.ts'
import { limits } from '../core/lib/limits.ts'
import { declareList } from '../core/query/declared-list.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import type { StoredRedemption } from './redemption.ts'
import type { RedemptionQuery } from './schema.ts'

/** The columns that responses show; `undo` is for rollbacks only. */
const columns = [
  'project_id',
  'id',
  'object',
  'result',
  'status',
  'related_object_type',
  'related_object_id',
  'campaign_id',
  'stack_id',
  'voucher_code',
  'parent_id',
  'redemption_id',
  'customer_id',
  'tracking_id',
  'order_id',
  'amount',
  'metadata',
  'session_key',
  'channel_type',
  'channel_id',
  'failure_code',
  'failure_message',
  'reason',
  'reward',
  'order',
  'rollback',
  'created_at',
] as const satisfies ReadonlyArray<keyof Omit<StoredRedemption, 'undo'>>

/** All redemptions and rollbacks of the project; rollbacks with the date of the redemption they undid. */
function everyRedemption({ db, project_id }: Pick<Ctx, 'db' | 'project_id'>) {
  return db
    .selectFrom('redemptions')
    .leftJoin('redemptions as undone', (join) =>
      join
        .onRef('undone.project_id', '=', 'redemptions.project_id')
        .onRef('undone.id', '=', 'redemptions.redemption_id'),
    )
    .where('redemptions.project_id', '=', project_id)
    .select(columns.map((column) => `redemptions.${column}` as const))
    .select('undone.created_at as undone_at')
}

export type ShownRow = Omit<StoredRedemption, 'undo'> & { undone_at: Instant | null }

/**
 * The redemptions that lists show: without those of vouchers and campaigns in the trash bin
 * (docs/reference/vouchers.md#delete-a-voucher and docs/reference/campaigns.md#delete-a-campaign).
 */
const redemptionQuery = (ctx: Pick<Ctx, 'db' | 'project_id'>) =>
  everyRedemption(ctx)
    .leftJoin('vouchers', (join) =>
      join
        .onRef('vouchers.project_id', '=', 'redemptions.project_id')
        .onRef('vouchers.id', '=', sql`redemptions.related_object_id`),
    )
    .leftJoin('campaigns', (join) =>
      join
        .onRef('campaigns.project_id', '=', 'redemptions.project_id')
        .onRef('campaigns.id', '=', 'redemptions.campaign_id'),
    )
    .where(isListed)

/**
 * The `case` hides the condition from the planner, which would estimate it wrongly: almost all rows match, few are in the bin.
 */
export const isListed = sql<boolean>`case when vouchers.deleted_at is null and campaigns.deleted_at is null then true end`

/** A redemption or a rollback by its id, also if its voucher or campaign is in the trash bin. */
export async function getRedemption(ctx: Ctx, id: string): Promise<ShownRow> {
  const row = await everyRedemption(ctx)
    .where('redemptions.id', '=', id as RedemptionRow['id'])
    .executeTakeFirst()
  if (row === undefined) throw notFound('redemption', id)
  return row
}

/** Those of the named redemptions that a customer made by codes of these campaigns, and that were not rolled back. */
export const listSucceededOf = (
  { db, project_id }: Ctx,
  { ids, customer_id, campaign_ids }: { ids: string[]; customer_id: CustomerRow['id']; campaign_ids: string[] },
): Promise<Array<Omit<StoredRedemption, 'undo'>>> =>
  db
    .selectFrom('redemptions')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .where('customer_id', '=', customer_id)
    .where(sql<boolean>`campaign_id = any(${campaign_ids}::text[])`)
    .where('status', '=', 'SUCCEEDED')
    .where('related_object_type', '=', 'voucher')
    .orderBy('created_at')
    .orderBy('id')
    .select(columns)
    .execute()

export type RedemptionPageQuery = Pick<RedemptionQuery, 'limit' | 'page' | 'order' | 'starting_after_id'>

export async function listRedemptions(
  { db, project_id }: Ctx,
  query: RedemptionPageQuery,
  where: Condition[],
): Promise<{ rows: ShownRow[]; total: number }> {
  return allRedemptions(db, { project_id }, query, { where })
}

/**
 * The total of the list: the tally of all redemptions, minus those in the trash bin. The latter are counted each time, not
 * tallied, because a redemption can still be added while its voucher or campaign is being moved to the bin; they are few.
 */
const listedTotal = (projectId: string) => sql<number>`(${tallyOf(projectId, 'redemptions')}
  - (select count(*) from campaigns c join redemptions r on r.project_id = c.project_id and r.campaign_id = c.id
     where c.project_id = ${projectId} and c.deleted_at is not null)
  - (select count(*) from bin_entries b
     join redemptions r on r.project_id = b.project_id and r.related_object_id = b.resource_id
     left join campaigns c on c.project_id = r.project_id and c.id = r.campaign_id
     where b.project_id = ${projectId} and b.resource_type = 'voucher' and c.deleted_at is null))`

const allRedemptions = declareList((db, { project_id }: { project_id: string }) => ({
  query: redemptionQuery({ db, project_id }),
  options: {
    columns: {
      created_at: 'redemptions.created_at',
      id: 'redemptions.id',
      voucher_code: { nullable: 'redemptions.voucher_code' },
      tracking_id: { nullable: 'redemptions.tracking_id' },
      customer_id: { nullable: 'redemptions.customer_id' },
    },
    default_order: '-created_at' as NonNullable<RedemptionPageQuery['order']>,
    id: 'redemptions.id',
    total: listedTotal(project_id),
  },
}))

/** Permanently deletes the redemptions, failures and rollbacks of vouchers, with their holds and usage. */
export async function deleteRedemptionsOf({ db, project_id }: Ctx, voucherIds: readonly string[]): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    delete from redemptions where project_id = ${project_id} and related_object_id = any(${voucherIds}::text[])`.execute(
    db,
  )
  await tally(db, project_id, 'redemptions', -Number(numAffectedRows))
  await deleteCounted({ db, project_id }, voucherIds)
}

/**
 * Deletes redemptions of a campaign whose codes are erased, at most so many, and returns whether none are left. The redemptions
 * of codes were erased with the codes: these are the redemptions of promotion tiers.
 */
export async function deleteSomeRedemptionsIn({ db, project_id }: Ctx, campaignId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with doomed as materialized (
      select id from redemptions where project_id = ${project_id} and campaign_id = ${campaignId}
      limit ${sql.lit(limits.redemptions_deleted_at_once)}
    )
    delete from redemptions r using doomed where r.project_id = ${project_id} and r.id = doomed.id`.execute(db)
  await tally(db, project_id, 'redemptions', -Number(numAffectedRows))
  return Number(numAffectedRows) < limits.redemptions_deleted_at_once
}

/** Deletes the usage and the holds of campaigns, tiers or vouchers that are being deleted. */
export async function deleteCounted(
  { db, project_id }: Pick<Ctx, 'db' | 'project_id'>,
  ids: readonly string[],
): Promise<void> {
  await sql`delete from usage where project_id = ${project_id} and scope_id = any(${ids}::text[])`.execute(db)
  // Also the units of lifetime limits: those of all customers (`units/id/…`), and of each customer (`units/id:…`).
  for (const [from, until] of ids.flatMap((id) => [
    [`units/${id}/`, `units/${id}0`],
    [`units/${id}:`, `units/${id};`],
  ]))
    await sql`delete from usage where project_id = ${project_id} and scope_id >= ${from} and scope_id < ${until}`.execute(
      db,
    )
  await sql`delete from holds where project_id = ${project_id} and resource_id = any(${ids}::text[])`.execute(db)
}

/**
 * Removes an erased customer from its redemptions and from the orders stored in them; amounts and goods stay
 * (docs/reference/customers.md#endpoints). Deletes the events of these redemptions, and returns how many there were.
 */
export async function eraseCustomerFromRedemptions({ db, project_id }: Ctx, id: CustomerRow['id']): Promise<number> {
  const events = await deleteEvents(
    db,
    project_id,
    sql`r.project_id = ${project_id} and r.customer_id = ${id}
      and events.entity_id = r.id and events.type ^@ 'redemption.'`,
    sql`redemptions r`,
  )
  await sql`
    update redemptions set customer_id = null, tracking_id = null,
      reward = case when reward ? 'customer' then reward || '{"customer": null}' else reward end,
      "order" = case when "order" ? 'customer_id' then "order" || '{"customer_id": null, "metadata": {}}' else "order" || '{"metadata": {}}' end
        - 'customer'
    where project_id = ${project_id} and customer_id = ${id}`.execute(db)
  return events.length
}

/** The ids of the vouchers of a redemption, or of all its children. */
export async function listCodesOf({ db, project_id }: Ctx, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('redemptions')
    .where('project_id', '=', project_id)
    .where((is) => is.or([is('id', '=', id as RedemptionRow['id']), is('parent_id', '=', id)]))
    .where('related_object_type', '=', 'voucher')
    .select('related_object_id')
    .execute()
  return rows.map(({ related_object_id }) => related_object_id)
}
