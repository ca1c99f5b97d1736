import { sql } from 'kysely'
import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import { findCustomerById } from '../../audience/customers/store.ts'
import type { Ctx } from '../../core/context.ts'
import { tally, tallyMany } from '../../core/db/tallies.ts'
import { insertBinEntry } from '../../core/db/trash-bin.ts'
import { emit } from '../../core/events/emit.ts'
import { forgetEvents } from '../../core/events/forget.ts'
import { notFound } from '../../core/http/errors.ts'
import { deleteAssignmentsOf } from '../../rules/validation-rules/unassign.ts'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import { automaticTally } from '../campaigns/generate.ts'
import { findCampaign } from '../campaigns/store.ts'
import { figureTallies } from '../campaigns/summary-figures.ts'
import { showVoucher } from './show.ts'
import { getVoucher } from './store.ts'
import { balanceOf, type StoredVoucher, toSimpleVoucher } from './voucher.ts'

/**
 * Deletes a code: into the bin, where it stays taken, or for good (docs/reference/vouchers.md#delete-a-voucher). Its campaign is
 * held before it, as everywhere, so that its codes are counted either one by one or with it.
 */
export async function removeVoucher(
  ctx: Ctx,
  { id, code, campaign_id }: Pick<StoredVoucher, 'id' | 'code' | 'campaign_id'>,
  force: boolean,
): Promise<void> {
  const known = await getVoucher(ctx, id)
  await ctx.reactions.voucherDeleting(ctx, known)
  const found = campaign_id === null ? undefined : await findCampaign(ctx, campaign_id, { lock: 'here' })
  if (campaign_id !== null && found === undefined) throw notFound('voucher', code) // which went with it
  const voucher = await getVoucher(ctx, id, { lock: 'alone' })
  // Another request has published the code between the two reads.
  if (voucher.holder_id !== known.holder_id) await ctx.reactions.voucherDeleting(ctx, voucher)
  const shown = await showVoucher(ctx, voucher)
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
  await countGone(ctx, voucher)

  const campaign = found === undefined ? null : toSimpleCampaign(found)
  await emit(ctx, 'voucher.deleted', id, { voucher: shown, campaign })
  const holder = voucher.holder_id === null ? undefined : await findCustomerById(ctx, voucher.holder_id)
  if (holder !== undefined)
    await emit(ctx, 'customer.voucher.deleted', holder.id, {
      customer: toSimpleCustomer(holder),
      campaign,
      voucher: toSimpleVoucher(voucher),
    })
}

async function countGone(ctx: Ctx, voucher: StoredVoucher): Promise<void> {
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
            ...(type === 'GIFT_VOUCHER' ? { amount_deleted: balanceOf(voucher) } : {}),
            ...(type === 'LOYALTY_CARD' ? { points_deleted: balanceOf(voucher) } : {}),
          }),
        ]),
  ])
}

/** Tables whose rows belong to one code. */
const ofACode = [
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
 * Erases codes with all that belongs to them: redemptions, publications, holders, transactions, postings, memberships and
 * what was earned or given by them, rules, their entry in the bin.
 * They count as deleted already, or the caller counts them. Of a publication of several codes, the others stay.
 */
export async function destroyVouchers(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await deleteAssignmentsOf(ctx, 'voucher', ids)
  const { db, project_id } = ctx
  // What tells of the publications tells of customers, who may want to be forgotten when nothing leads to it any more.
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
  await forgetEvents(
    db,
    project_id,
    sql`(entity_id = any(${emptied}::text[]) and type = 'publication.succeeded'
      or entity_id = any(${ids}::text[]) and type = 'voucher.published')`,
  )
  await tally(db, project_id, 'publications', -emptied.length)
  await ctx.reactions.vouchersErased(ctx, ids)
  for (const table of ofACode)
    await sql`delete from ${sql.table(table)} where project_id = ${project_id} and voucher_id = any(${ids}::text[])`.execute(
      db,
    )
  await sql`delete from bin_entries where project_id = ${project_id} and resource_type = 'voucher'
    and resource_id = any(${ids}::text[])`.execute(db)
  const { numAffectedRows = 0n } =
    await sql`delete from vouchers where project_id = ${project_id} and id = any(${ids}::text[])`.execute(db)
  await tally(db, project_id, 'codes', -Number(numAffectedRows))
}
