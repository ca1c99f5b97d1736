import { sql } from 'kysely'
import { firstIdAt } from '../../../core/lib/ids.ts'
import { type Batch, forEach, insertMain, insertParts, reference, type Writer } from '../batch.ts'
import { heapOf } from '../cards.ts'
import { type Foreign, integer, LeftOut, moments, part, requiredText, text } from '../foreign.ts'
import { derivedId, isKept, keptId } from '../kept-id.ts'
import { earningOf } from './points.ts'

/** The movements of cards as their holders see them. */
export const transactions: Writer = {
  list: 'transactions',
  size: 1_000,
  async write(batch) {
    const cards = await cardsOf(batch)
    const rows = await forEach(batch, (transaction) => {
      const voucherId = keptId('voucher', requiredText(transaction, 'voucher_id'))
      const card = cards.get(voucherId)
      if (card === undefined) throw new LeftOut('its card was not carried over')
      const details = part(transaction, 'details')
      const balance = part(details, 'balance')
      const { created_at } = moments(transaction, batch.copied_at)
      const related = text(transaction, 'related_transaction_id')
      return {
        id: idOf(batch, requiredText(transaction, 'id'), created_at),
        voucher_id: voucherId,
        campaign_id: card.campaign_id,
        type: requiredText(transaction, 'type'),
        amount: integer(balance, 'amount') ?? integer(balance, 'points') ?? 0,
        balance: Math.max(0, integer(balance, 'balance') ?? 0),
        source_id: text(transaction, 'source_id'),
        source: text(transaction, 'source'),
        reason: text(transaction, 'reason'),
        details,
        // Of another moment, an id that was derived is replaced at the end (finish.ts).
        related_transaction_id: related === null ? null : idOf(batch, related, created_at),
        created_at,
      }
    })
    const inserted = await insertMain(batch, 'voucher_transactions', rows)
    await postRedemptions(batch, cards, inserted)
    const accruals = inserted.filter(({ type }) => type === 'POINTS_ACCRUAL')
    await insertParts(
      batch,
      'earnings',
      accruals.flatMap((row) => earningOf(row, reference('order', part(row.details, 'order'), 'id'), row.details)),
    )
  },
}

interface CardPart {
  id: string
  campaign_id: string | null
  created_at: string
  type: string
}

async function cardsOf({ ctx, objects }: Batch): Promise<Map<string, CardPart>> {
  const ids = [...new Set(objects.map((one) => reference('voucher', one, 'voucher_id')))].filter((id) => id !== null)
  const { rows } = await sql<CardPart>`
    select id, type, campaign_id, created_at from vouchers where project_id = ${ctx.project_id} and id = any(${ids}::text[]) and credits_added is not null`.execute(
    ctx.db,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The id of the next transaction of a card must sort after all it has: an id that would sort after those of today is replaced. */
function idOf({ ctx }: Batch, foreign: string, createdAt: string) {
  const isEarlier = isKept('transaction', foreign) && foreign < firstIdAt('transaction', Date.parse(ctx.now))
  return isEarlier ? keptId('transaction', foreign) : derivedId('transaction', foreign, Date.parse(createdAt))
}

interface Inserted {
  id: string
  voucher_id: string
  type: string
  amount: number
  details: Foreign
  created_at: string
}

/**
 * A redemption that a card paid can be rolled back: that needs its posting. The opening postings of the card contain it already, so
 * it is taken out of them on the day of the card: sums stay as they are, and those of single days become right.
 */
async function postRedemptions(
  batch: Batch,
  cards: ReadonlyMap<string, CardPart>,
  rows: readonly Inserted[],
): Promise<void> {
  const { ctx } = batch
  const paid = rows.flatMap(({ type, details, ...row }) => {
    const redemptionId = part(details, 'redemption').id
    const isPayment = (type === 'CREDITS_REDEMPTION' || type === 'POINTS_REDEMPTION') && row.amount < 0
    return isPayment && typeof redemptionId === 'string'
      ? [{ ...row, redemption_id: keptId('redemption', redemptionId) }]
      : []
  })
  const postings = paid.flatMap(({ id, voucher_id, amount, created_at }) => {
    const card = cards.get(voucher_id) as CardPart
    const common = { voucher_id, amount: -amount, lot_id: card.type === 'LOYALTY_CARD' ? heapOf(card.id) : null }
    return [
      {
        ...common,
        id: derivedId('posting', `${id} paid`, Date.parse(created_at)),
        transaction_id: id,
        source: voucher_id,
        destination: 'redeemed',
        created_at,
      },
      {
        ...common,
        id: derivedId('posting', `${id} taken out`, Date.parse(card.created_at)),
        transaction_id: null,
        source: 'redeemed',
        destination: voucher_id,
        created_at: card.created_at,
      },
    ]
  })
  await insertParts(batch, 'postings', postings)
  if (paid.length > 0)
    await sql`
      update redemptions r set undo = r.undo || jsonb_build_object('transaction_id', paid.id)
      from jsonb_to_recordset(${JSON.stringify(paid)}::jsonb) as paid (id text, voucher_id text, redemption_id text)
      where r.project_id = ${ctx.project_id} and r.id = paid.redemption_id and r.related_object_id = paid.voucher_id and r.undo is not null`.execute(
      ctx.db,
    )
}
