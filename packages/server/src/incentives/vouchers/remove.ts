import { sql } from 'kysely'
import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import { findCustomerById } from '../../audience/customers/store.ts'
import type { Ctx } from '../../core/context.ts'
import { tally, tallyMany } from '../../core/db/tallies.ts'
import { insertBinEntry } from '../../core/db/trash-bin.ts'
import { deleteEvents } from '../../core/events/delete-events.ts'
import { emit } from '../../core/events/emit.ts'
import { notFound } from '../../core/http/errors.ts'
import { deleteAssignmentsOf } from '../../rules/validation-rules/unassign.ts'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import { automaticTally } from '../campaigns/generate.ts'
import { findCampaign } from '../campaigns/store.ts'
import { figureTallies } from '../campaigns/summary-figures.ts'
import { showVoucher } from './show.ts'
import { getVoucher } from './store.ts'
import { type StoredVoucher, toSimpleVoucher, voucherBalanceOf } from './voucher.ts'

/**
 * Deletes a voucher: into the bin, where its code stays taken, or for good (docs/reference/vouchers.md#delete-a-voucher).
 * As everywhere, the campaign is locked before the voucher, so that a voucher is counted as deleted either alone or with
 * its campaign, not twice.
 */
export async function removeVoucher(
  ctx: Ctx,
  { id, code, campaign_id }: Pick<StoredVoucher, 'id' | 'code' | 'campaign_id'>,
  force: boolean,
): Promise<void> {
  const unlocked = await getVoucher(ctx, id)
  await ctx.reactions.voucherDeleting(ctx, unlocked)
  const storedCampaign = campaign_id === null ? undefined : await findCampaign(ctx, campaign_id, { lock: 'keyShare' })
  if (campaign_id !== null && storedCampaign === undefined) throw notFound('voucher', code) // deleted with its campaign
  const voucher = await getVoucher(ctx, id, { lock: 'update' })
  // A concurrent request published the voucher between the two reads.
  if (voucher.holder_id !== unlocked.holder_id) await ctx.reactions.voucherDeleting(ctx, voucher)
  const deletedVoucher = await showVoucher(ctx, voucher)
  if (force) await destroyVouchers(ctx, [id])
  else {
    await deleteAssignmentsOf(ctx, 'voucher', [id])
    await ctx.db
      .updateTable('vouchers')
      .set({ deleted_at: ctx.now })
      .where('project_id', '=', ctx.project_id)
      .where('id', '=', id)
      .execute()
    await insertBinEntry(ctx, {
      resource_type: 'voucher',
      resource_id: id,
      resource_name: code,
      resource_parent_id: campaign_id,
    })
  }
  await countDeleted(ctx, voucher)

  const campaign = storedCampaign === undefined ? null : toSimpleCampaign(storedCampaign)
  await emit(ctx, 'voucher.deleted', id, { voucher: deletedVoucher, campaign })
  const holder = voucher.holder_id === null ? undefined : await findCustomerById(ctx, voucher.holder_id)
  if (holder !== undefined)
    await emit(ctx, 'customer.voucher.deleted', holder.id, {
      customer: toSimpleCustomer(holder),
      campaign,
      voucher: toSimpleVoucher(voucher),
    })
}

async function countDeleted(ctx: Ctx, voucher: StoredVoucher): Promise<void> {
  const { campaign_id, type } = voucher
  await tallyMany(ctx.db, ctx.project_id, [
    ['vouchers', -1],
    ...(campaign_id === null
      ? []
      : [
          [`campaign/${campaign_id}/vouchers`, -1] as const,
          [automaticTally(campaign_id), voucher.is_automatic ? -1 : 0] as const,
          ...figureTallies(ctx, campaign_id, {
            vouchers_deleted: 1,
            ...(type === 'GIFT_VOUCHER' ? { amount_deleted: voucherBalanceOf(voucher) } : {}),
            ...(type === 'LOYALTY_CARD' ? { points_deleted: voucherBalanceOf(voucher) } : {}),
          }),
        ]),
  ])
}

/** Tables whose rows belong to one voucher. */
const voucherTables = [
  'voucher_transactions',
  'postings',
  'lots',
  'loyalty_members',
  'pending_points',
  'earnings',
  'reward_redemptions',
  'referral_conversions',
] as const

/**
 * Deletes vouchers for good with everything that belongs to them: redemptions, publications, holders, transactions,
 * postings, memberships, earnings and rewards, rules, bin entries. The caller counts them as deleted, unless they were
 * before. A publication of several vouchers keeps the others.
 */
export async function destroyVouchers(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await deleteAssignmentsOf(ctx, 'voucher', ids)
  const { db, project_id } = ctx
  // Delete the events of these publications: they contain customer data, and after this no row would lead from an erased
  // customer to them.
  const { rows } = await sql<{ emptied: string[] }>`
    with gone as (
      delete from holders where project_id = ${project_id} and voucher_id = any(${ids}::text[]) returning publication_id
    ), named as (
      select publication_id as id from gone where publication_id is not null
      union select id from publications where project_id = ${project_id} and result = 'FAILURE' and voucher_ids[1] = any(${ids}::text[])
    ), emptied as (
      delete from publications p using named
      where p.project_id = ${project_id} and p.id = named.id and p.voucher_ids <@ ${ids}::text[]
      returning p.id
    ), shortened as (
      update publications p
      set voucher_ids = array(select v from unnest(p.voucher_ids) with ordinality as each (v, place)
        where v <> all(${ids}::text[]) order by place)
      from named where p.project_id = ${project_id} and p.id = named.id and not p.voucher_ids <@ ${ids}::text[]
    )
    select array(select id from emptied) as emptied`.execute(db)
  const emptied = rows[0]?.emptied ?? []
  await deleteEvents(
    db,
    project_id,
    sql`(entity_id = any(${emptied}::text[]) and type = 'publication.succeeded'
      or entity_id = any(${ids}::text[]) and type = 'voucher.published')`,
  )
  await tally(db, project_id, 'publications', -emptied.length)
  await ctx.reactions.vouchersErased(ctx, ids)
  for (const table of voucherTables)
    await sql`delete from ${sql.table(table)} where project_id = ${project_id} and voucher_id = any(${ids}::text[])`.execute(
      db,
    )
  await sql`delete from bin_entries where project_id = ${project_id} and resource_type = 'voucher'
    and resource_id = any(${ids}::text[])`.execute(db)
  const { numAffectedRows = 0n } =
    await sql`delete from vouchers where project_id = ${project_id} and id = any(${ids}::text[])`.execute(db)
  await tally(db, project_id, 'codes', -Number(numAffectedRows))
}
