import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { tallyMany } from '../../core/db/tallies.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { figureTallies } from '../../incentives/campaigns/summary-figures.ts'
import { type NewCard, openingOf, withReversible } from './cards.ts'
import { insertRows } from './insert-rows.ts'
import { count, type KindReport } from './report.ts'

/** Whether the card `v` has points or credits in its ledger. */
export const hasLedger = (projectId: string) => sql`exists (select from postings p
  where p.project_id = ${projectId} and p.voucher_id = v.id and p.source = 'issued' and p.destination = v.id)`

/**
 * Writes the ledgers of up to 1,000 cards after an id, and returns the last of them; null: there are no more. It waits until the
 * lots with a date and the payments of redemptions are there. A card that has a ledger keeps it.
 */
export async function openCards(ctx: Ctx, after: string, report: KindReport): Promise<string | null> {
  const { db, project_id } = ctx
  const { rows } = await sql<NewCard & { has_ledger: boolean }>`
    select v.id, v.code, v.type, v.campaign_id, v.created_at, v.credits_added, v.credits_subtracted, v.credits_redeemed, v.credits_expired, v.credits_pending,
      ${hasLedger(project_id)} as has_ledger, paid.reversible, paid.has_postings,
      coalesce((select jsonb_agg(jsonb_build_object('id', day.id, 'points', day.points, 'expires_at', day.expires_at)) from (
        select (array_agg(l.id order by l.expired_points nulls first, l.id))[1] as id,
          sum(l.points + coalesce(l.expired_points, 0)) as points, l.expires_at
        from lots l where l.project_id = ${project_id} and l.voucher_id = v.id and l.expires_at is not null
        group by l.expires_at) day), '[]') as dated_lots
    from vouchers v cross join lateral (
      select count(*) > 0 as has_postings, coalesce(sum(p.amount) filter (where p.destination = 'redeemed' and exists (
        select from redemptions r where r.project_id = ${project_id} and r.related_object_id = p.voucher_id and r.object = 'redemption'
          and r.status = 'SUCCEEDED' and r.undo ->> 'transaction_id' = p.transaction_id)), 0)::bigint as reversible
      from postings p where p.project_id = ${project_id} and p.voucher_id = v.id and v.id in (p.source, p.destination)) paid
    where v.project_id = ${project_id} and v.id > ${after} and v.credits_added is not null
    order by v.id limit ${cardsAtOnce}`.execute(db)
  const cards = rows.filter(({ has_ledger }) => !has_ledger).map(withReversible)
  await raiseCounters(ctx, cards, report)
  await mergeLots(ctx, cards)
  const openings = cards.map(openingOf)
  const refused = (_: object, reason: string) => {
    throw new Error(reason) // the rows are ours: the database has no reason to refuse them
  }
  await insertRows(
    ctx,
    'lots',
    openings.flatMap(({ lots }) => lots),
    refused,
  )
  await insertRows(
    ctx,
    'postings',
    openings.flatMap(({ postings }) => postings),
    refused,
  )
  return rows.length < cardsAtOnce ? null : (rows.at(-1)?.id ?? null)
}

async function raiseCounters(
  ctx: Ctx,
  cards: ReadonlyArray<ReturnType<typeof withReversible>>,
  report: KindReport,
): Promise<void> {
  const { db, project_id } = ctx
  const raised = cards.filter((card) => card.raised > 0)
  if (raised.length === 0) return
  for (const { code } of raised)
    count(report.changed, 'it has paid more than it shows as redeemed: both were raised, and the balance is kept', code)
  await sql`
    update vouchers v set credits_added = card.credits_added, credits_redeemed = card.credits_redeemed
    from jsonb_to_recordset(${JSON.stringify(raised)}::jsonb) as card (id text, credits_added bigint, credits_redeemed bigint)
    where v.project_id = ${project_id} and v.id = card.id`.execute(db)
  await tallyMany(
    db,
    project_id,
    raised.flatMap(({ type, campaign_id, created_at, raised: more }) =>
      campaign_id === null
        ? []
        : figureTallies(
            { ...ctx, now: created_at as Instant },
            campaign_id,
            type === 'GIFT_VOUCHER' ? { created_vouchers_amount: more } : { created_vouchers_points: more },
          ),
    ),
  )
}

/** The lots of one day become one (writers/points.ts). */
async function mergeLots({ db, project_id }: Ctx, cards: readonly NewCard[]): Promise<void> {
  const lots = cards.flatMap(({ id, dated_lots }) => dated_lots.map((lot) => ({ voucher_id: id, ...lot })))
  if (lots.length === 0) return
  const merged = sql`jsonb_to_recordset(${JSON.stringify(lots)}::jsonb) as merged (voucher_id text, id text, points bigint, expires_at date)`
  await sql`
    delete from lots l using ${merged}
    where l.project_id = ${project_id} and l.voucher_id = merged.voucher_id and l.expires_at = merged.expires_at
      and l.id <> merged.id`.execute(db)
  await sql`
    update lots l set points = merged.points, expired_points = null from ${merged}
    where l.project_id = ${project_id} and l.voucher_id = merged.voucher_id and l.id = merged.id
      and l.points <> merged.points`.execute(db)
}

const cardsAtOnce = 1_000
