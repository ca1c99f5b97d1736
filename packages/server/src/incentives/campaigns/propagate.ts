import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CampaignRow, Terms, VoucherRow } from '../../core/db/tables.ts'
import { defineAsyncAction, startAsyncAction } from '../../core/jobs/async-action.ts'
import type { Id } from '../../core/lib/ids.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { findTerms, insertManyTerms } from '../../rules/terms/store.ts'
import { withoutEmpty } from '../vouchers/create.ts'
import { withoutKeys } from '../vouchers/update.ts'
import { campaignSerialKey } from './generate.ts'
import { jobBegun, jobOver, jobStarted } from './status.ts'

/**
 * The part of a campaign update that applies to its vouchers: only the members that were sent, null for removed ones.
 * Metadata is merged into that of each voucher.
 */
export interface CampaignChange {
  start_date?: Instant | null
  expiration_date?: Instant | null
  category_id?: CampaignRow['category_id']
  quantity?: number | null
  terms?: { [K in keyof Omit<Terms, 'metadata'>]?: Terms[K] | null }
  metadata?: { merged: Record<string, unknown>; unset: string[] }
  /** The new amount of a gift card, or points of a loyalty card, replacing the old value. */
  credits?: number
}

/**
 * Starts a job that applies a campaign change to its unpublished, unredeemed vouchers, unless there are none. Generation
 * jobs still queued create vouchers from the old campaign; this job runs after them and updates those too.
 */
export async function propagateToVouchers(
  ctx: Ctx,
  { id: campaignId, jobs_pending }: Pick<CampaignRow, 'id'> & { jobs_pending: number },
  change: CampaignChange,
): Promise<void> {
  if (Object.keys(change).length === 0) return
  if (jobs_pending === 0 && !(await hasChangeableVouchers(ctx, campaignId))) return
  await jobStarted(ctx, campaignId, 'MODIFYING')
  await startAsyncAction(ctx, updateVouchers, { campaign_id: campaignId, change })
}

/**
 * Vouchers that are neither published nor redeemed, so that their terms may still change
 * (docs/reference/campaigns.md#update-a-campaign). The condition on redemptions is wrapped in CASE so that the planner
 * does not estimate it: it would assume such vouchers to be rare, and read all of them to find 1,000.
 */
const stillChangeable = (projectId: string, campaignId: string) => sql`
  v.project_id = ${projectId} and v.campaign_id = ${campaignId} and v.publish_count = 0 and v.deleted_at is null
  and case when v.redeemed_quantity = 0 and coalesce(v.credits_redeemed, 0) = 0 then true end`

async function hasChangeableVouchers({ db, project_id }: Ctx, campaignId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from vouchers v where ${stillChangeable(project_id, campaignId)}
    order by v.id limit 1`.execute(db)
  return rows.length > 0
}

interface PropagationState {
  /** The id of the last processed voucher. */
  after: string
  /** Number of vouchers at the start, for the progress. */
  total: number
  /** Number of processed vouchers. */
  told: number
}

type UpdatedCode = Pick<VoucherRow, 'id' | 'type' | 'terms_id' | 'credits_added' | 'credits_subtracted'>

/** Points vouchers at new terms, 1,000 per step, in the order of the index on unpublished vouchers. */
export const updateVouchers = defineAsyncAction<
  { campaign_id: CampaignRow['id']; change: CampaignChange },
  PropagationState
>({
  type: 'CAMPAIGN.VOUCHERS_UPDATE',
  serialKey: campaignSerialKey,
  async begin(ctx, { campaign_id }) {
    await jobBegun(ctx, campaign_id, 'MODIFYING')
    const { rows } = await sql<{ total: number }>`
      select count(*) as total from vouchers v where ${stillChangeable(ctx.project_id, campaign_id)}`.execute(ctx.db)
    return { after: '', total: rows[0]?.total ?? 0, told: 0 }
  },
  async step(ctx, { campaign_id, change }, { after, total, told: processed }) {
    const codes = await nextBatch(ctx, campaign_id, after, change)
    const done = await updateBatch(ctx, campaign_id, codes, change)
    const state = { after: codes.at(-1)?.id ?? after, total, told: processed + codes.length }
    return {
      state,
      progress: (state.told / total) * 100,
      done,
      failed: [],
      finished: codes.length < limits.propagated_at_once,
    }
  },
  async finish(ctx, { campaign_id }, { done_count }) {
    await jobOver(ctx, campaign_id)
    return { message: `Updated ${done_count} vouchers.`, done_count }
  },
  onFailed: (ctx, { campaign_id }) => jobOver(ctx, campaign_id, { failed: true }),
})

/** The next batch of vouchers. Rows are locked only if credits change; otherwise the UPDATE checks its conditions itself. */
async function nextBatch(
  { db, project_id }: Ctx,
  campaignId: string,
  after: string,
  { credits }: CampaignChange,
): Promise<UpdatedCode[]> {
  const { rows } = await sql<UpdatedCode>`
    select v.id, v.type, v.terms_id, v.credits_added, v.credits_subtracted
    from vouchers v where ${stillChangeable(project_id, campaignId)} and v.id > ${after}
    order by v.id limit ${limits.propagated_at_once} ${credits === undefined ? sql`` : sql`for update`}`.execute(db)
  return rows
}

/** Updates a batch, and retries the vouchers whose terms a concurrent transaction changed; returns how many were updated. */
async function updateBatch(
  ctx: Ctx,
  campaignId: string,
  codes: UpdatedCode[],
  change: CampaignChange,
): Promise<number> {
  const updated = new Set<string>()
  for (let remaining = codes; remaining.length > 0; ) {
    for (const id of await updateUnchanged(ctx, campaignId, remaining, change)) updated.add(id)
    const missed = remaining.filter(({ id }) => !updated.has(id)).map(({ id }) => id)
    remaining = missed.length === 0 ? [] : await reloadForUpdate(ctx, campaignId, missed)
  }
  return updated.size
}

async function reloadForUpdate({ db, project_id }: Ctx, campaignId: string, ids: string[]): Promise<UpdatedCode[]> {
  const { rows } = await sql<UpdatedCode>`
    select v.id, v.type, v.terms_id, v.credits_added, v.credits_subtracted from vouchers v
    where ${stillChangeable(project_id, campaignId)} and v.id = any(${ids}::text[]) order by v.id for update`.execute(
    db,
  )
  return rows
}

/**
 * Updates the vouchers from the first to the last id of the batch that still have the terms read: an index range instead
 * of a list of ids.
 */
async function updateUnchanged(
  ctx: Ctx,
  campaignId: string,
  codes: readonly UpdatedCode[],
  change: CampaignChange,
): Promise<string[]> {
  const { db, project_id, now } = ctx
  const before = await findTerms(db, project_id, [...new Set(codes.map(({ terms_id }) => terms_id))])
  const oldIds = [...before.keys()]
  const newIds = await insertManyTerms(
    db,
    project_id,
    oldIds.map((id) => termsAfter(before.get(id) as Terms, change)),
    now,
  )
  const { start_date, expiration_date, category_id, quantity, metadata, credits } = change
  if (credits !== undefined) await replaceCredits(ctx, codes, credits)
  const { rows } = await sql<{ id: string }>`
    update vouchers v set terms_id = moved.new_id, updated_at = ${now}::timestamptz
      ${start_date === undefined ? sql`` : sql`, start_date = ${start_date}::timestamptz`}
      ${expiration_date === undefined ? sql`` : sql`, expiration_date = ${expiration_date}::timestamptz`}
      ${category_id === undefined ? sql`` : sql`, category_id = ${category_id}::text`}
      ${quantity === undefined ? sql`` : sql`, quantity = ${quantity}::bigint`}
      ${metadata === undefined ? sql`` : sql`, metadata = (v.metadata || ${JSON.stringify(metadata.merged)}::jsonb) - ${metadata.unset}::text[]`}
      ${credits === undefined ? sql`` : sql`, credits_added = ${credits}::bigint, credits_subtracted = 0`}
    from unnest(${oldIds}::text[], ${newIds}::text[]) as moved (old_id, new_id)
    where ${stillChangeable(project_id, campaignId)} and v.id between ${codes[0]?.id} and ${codes.at(-1)?.id}
      and v.terms_id = moved.old_id
      ${credits === undefined ? sql`` : sql`and v.id = any(${codes.map(({ id }) => id)}::text[])` /* only those whose credits were replaced */}
    returning v.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** The terms of a voucher after a change: the members sent replace those of the voucher, even individually edited ones. */
function termsAfter({ metadata = {}, ...terms }: Terms, { terms: sent = {}, metadata: more }: CampaignChange): Terms {
  const merged = Object.entries({ ...terms, ...sent }).filter(([, value]) => value !== null)
  return withoutEmpty({
    ...Object.fromEntries(merged),
    metadata: more === undefined ? metadata : withoutKeys({ ...metadata, ...more.merged }, more.unset),
  })
}

/** Posts the difference to the new amount: credits back what was subtracted, then issues more credits or withdraws some. */
async function replaceCredits(ctx: Ctx, codes: readonly UpdatedCode[], credits: number): Promise<void> {
  const { db, project_id, now } = ctx
  const at = Date.parse(now)
  const lots = await replaceLots(ctx, codes, credits)
  const postings = codes.flatMap(({ id, credits_added, credits_subtracted }) => {
    const more = credits - (credits_added ?? 0)
    return [
      { voucher_id: id, source: 'subtracted', destination: id, amount: credits_subtracted ?? 0 },
      more > 0
        ? { voucher_id: id, source: 'issued', destination: id, amount: more }
        : { voucher_id: id, source: id, destination: 'issued', amount: -more },
    ].filter(({ amount }) => amount > 0)
  })
  if (postings.length === 0) return
  await sql`
    insert into postings (project_id, voucher_id, id, source, destination, amount, lot_id, created_at)
    select own.id, p.voucher_id, p.id, p.source, p.destination, p.amount, p.lot_id, ${now}::timestamptz
    from projects own, unnest(${postings.map((p) => p.voucher_id)}::text[], ${postings.map((): Id<'posting'> => newId('posting', at))}::text[],
      ${postings.map((p) => p.source)}::text[], ${postings.map((p) => p.destination)}::text[],
      ${postings.map((p) => p.amount)}::bigint[], ${postings.map((p) => lots.get(p.voucher_id) ?? null)}::text[])
      as p (voucher_id, id, source, destination, amount, lot_id)
    where own.id = ${project_id}`.execute(db)
}

/**
 * Sets the points of the lot that never expires, which holds the initial points of a card; an unpublished card has had no
 * other change of points (docs/reference/points.md#ledger). Returns lot ids by card id; gift cards have no lots.
 */
async function replaceLots(
  { db, project_id, now }: Ctx,
  codes: readonly UpdatedCode[],
  credits: number,
): Promise<Map<string, string>> {
  const cards = codes.filter(({ type }) => type === 'LOYALTY_CARD').map(({ id }) => id)
  if (cards.length === 0) return new Map()
  const at = Date.parse(now)
  const { rows } = await sql<{ voucher_id: string; id: string }>`
    ${
      credits > 0
        ? sql`insert into lots (project_id, voucher_id, id, points, expires_at, created_at)
          select own.id, lot.voucher_id, lot.id, ${credits}::bigint, null, ${now}::timestamptz
          from projects own, unnest(${cards}::text[], ${cards.map(() => newId('points_bucket', at))}::text[]) as lot (voucher_id, id)
          where own.id = ${project_id}
          on conflict (project_id, voucher_id, expires_at) where expired_points is null
          do update set points = excluded.points, updated_at = ${now}::timestamptz`
        : sql`update lots set points = 0, updated_at = ${now}::timestamptz
          where project_id = ${project_id} and voucher_id = any(${cards}::text[]) and expires_at is null`
    }
    returning voucher_id, id`.execute(db)
  return new Map(rows.map(({ voucher_id, id }) => [voucher_id, id]))
}
