import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { type NewCard, openingOf } from './cards.ts'
import { insertRows } from './insert-rows.ts'

/**
 * Writes the ledgers of up to 1,000 cards after an id, and returns the last of them; null: there are no more. It waits until the
 * lots with a date are there. A card that has a ledger keeps it.
 */
export async function openCards(ctx: Ctx, after: string): Promise<string | null> {
  const { db, project_id } = ctx
  const { rows } = await sql<NewCard & { has_ledger: boolean }>`
    select v.id, v.type, v.created_at, v.credits_added, v.credits_subtracted, v.credits_redeemed, v.credits_expired, v.credits_pending,
      exists (select from postings p where p.project_id = v.project_id and p.voucher_id = v.id and p.source = 'issued'
        and p.destination = v.id) as has_ledger,
      coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'points', l.points, 'expires_at', l.expires_at)) from lots l
        where l.project_id = v.project_id and l.voucher_id = v.id and l.expires_at is not null and l.expired_points is null), '[]') as dated_lots
    from vouchers v where v.project_id = ${project_id} and v.id > ${after} and v.credits_added is not null
    order by v.id limit ${cardsAtOnce}`.execute(db)
  const openings = rows.filter(({ has_ledger }) => !has_ledger).map(openingOf)
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

const cardsAtOnce = 1_000
