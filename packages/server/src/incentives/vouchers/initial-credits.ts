import { totalsOf } from '@guerdon/engine'
import type { Account, Entry } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { VoucherRow } from '../../core/db/tables.ts'
import { type Id, newId } from '../../core/lib/ids.ts'
import type { TransactionMoment } from './transaction-moment.ts'
import { type StoredVoucher, voucherBalanceOf } from './voucher.ts'

/**
 * Posts the initial value of new cards: a posting for each, and for points the lot that never expires
 * (docs/reference/points.md#ledger). It creates no transaction (docs/reference/balances.md#transaction-object).
 */
export async function postInitialCredits(
  ctx: Ctx,
  cards: ReadonlyArray<Id<'voucher'>>,
  type: VoucherRow['type'],
  credits: number,
): Promise<void> {
  await postInitialCreditsOf(
    ctx,
    cards.map((id) => ({ id, type, credits })),
  )
}

export interface NewCard {
  id: Id<'voucher'>
  type: VoucherRow['type']
  credits: number
}

/** The same for cards with different initial values; a card without credits gets no posting. */
export async function postInitialCreditsOf({ db, project_id, now }: Ctx, cards: readonly NewCard[]): Promise<void> {
  const cardsWithCredits = cards.filter(({ credits }) => credits > 0)
  if (cardsWithCredits.length === 0) return
  const at = Date.parse(now)
  const ids = cardsWithCredits.map(({ id }) => id)
  const amounts = cardsWithCredits.map(({ credits }) => credits)
  const lots = cardsWithCredits.map(({ type }) => (type === 'LOYALTY_CARD' ? newId('points_bucket', at) : null))
  if (lots.some((lot) => lot !== null))
    await sql`
      insert into lots (project_id, voucher_id, id, points, expires_at, created_at)
      select own.id, lot.voucher_id, lot.id, lot.points, null, ${now}::timestamptz
      from projects own, unnest(${ids}::text[], ${lots}::text[], ${amounts}::bigint[]) as lot (voucher_id, id, points)
      where own.id = ${project_id} and lot.id is not null`.execute(db)
  await sql`
    insert into postings (project_id, voucher_id, id, source, destination, amount, lot_id, created_at)
    select own.id, card.voucher_id, card.id, 'issued', card.voucher_id, card.amount, card.lot_id, ${now}::timestamptz
    from projects own, unnest(${ids}::text[], ${cardsWithCredits.map(() => newId('posting', at))}::text[], ${amounts}::bigint[], ${lots}::text[])
      as card (voucher_id, id, amount, lot_id)
    where own.id = ${project_id}`.execute(db)
}

/**
 * The account of a card as the engine expects it: points in lots by expiration day, the credits of a gift card in a
 * single lot.
 */
export async function loadAccount(ctx: Ctx, card: StoredVoucher): Promise<Account> {
  if (card.type === 'GIFT_VOUCHER')
    return {
      id: card.id,
      asset: 'credits',
      lots: [{ id: giftLotId, points: voucherBalanceOf(card), expires_at: null }],
    }
  const { rows } = await sql<{ id: string; points: number; expires_at: string | null }>`
    select id, points, expires_at::text as expires_at from lots
    where project_id = ${ctx.project_id} and voucher_id = ${card.id} and expired_points is null order by id`.execute(
    ctx.db,
  )
  return { id: card.id, asset: 'points', lots: rows }
}

/** The single lot of gift credits, which never expire. */
export const giftLotId = 'heap'

/**
 * Saves a ledger entry of a gift card that the caller has locked: inserts its postings and increments the counters of its
 * row. A check constraint of the row refuses a negative balance.
 */
export async function saveEntry(
  ctx: Ctx,
  card: StoredVoucher,
  { postings }: Entry,
  { id, created_at }: TransactionMoment,
): Promise<void> {
  const { db, project_id, now } = ctx
  if (postings.length > 0)
    await db
      .insertInto('postings')
      .values(
        postings.map(({ from, to, amount, lot, expires_at }) => ({
          project_id,
          voucher_id: card.id,
          id: newId('posting', Date.parse(created_at)),
          transaction_id: id,
          source: from,
          destination: to,
          amount,
          lot_id: lot === giftLotId ? null : lot,
          expires_at,
          created_at,
        })),
      )
      .execute()
  const { points, subtracted, redeemed, expired } = totalsOf(card.id, postings)
  await sql`
    update vouchers set credits_added = credits_added + ${points}::bigint,
      credits_subtracted = credits_subtracted + ${subtracted}::bigint,
      credits_redeemed = credits_redeemed + ${redeemed}::bigint,
      credits_expired = credits_expired + ${expired}::bigint, updated_at = ${now}::timestamptz
    where project_id = ${project_id} and id = ${card.id}`.execute(db)
}
