import { expirationDate } from '@guerdon/engine'
import type { Ctx } from '../../core/context.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import type { Voucher } from '../../incentives/vouchers/schema.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import { type StoredVoucher, toVoucher } from '../../incentives/vouchers/voucher.ts'
import { getMember } from '../programs/store.ts'
import { notPublished } from './adjust.ts'
import { type Card, cardNamed, type LoyaltyUnitOfWork, momentNow } from './card.ts'
import { followBalances } from './cascade.ts'
import { applyDueChanges } from './due-changes.ts'
import { emitTransaction, tellTransferred } from './events.ts'
import { credit, debit, relate } from './ledger.ts'
import type { TransferPoints } from './schema.ts'
import { refuseUsedSources } from './sources.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'
import { simpleCard } from './view.ts'

interface Part {
  source: StoredVoucher
  points: number
  reason: string | null
  source_id: string | null
}

/**
 * Moves points from other cards to one, all of them or none (docs/reference/loyalty-cards.md#transfer-points). All holders are
 * locked before any card.
 */
export async function transferPoints(ctx: Ctx, destination: StoredVoucher, sent: TransferPoints): Promise<Voucher> {
  const parts = await partsOf(ctx, destination, sent)
  for (const { code, holder_id } of [destination, ...parts.map(({ source }) => source)])
    if (holder_id === null) throw notPublished(code)
  const holders = [destination, ...parts.map(({ source }) => source)].map(({ holder_id }) => holder_id as string)
  const books = await lockAndLoadMembers(ctx, [...new Set(holders)])
  await applyDueChanges(books)
  await refuseUsedSources(
    ctx,
    parts.flatMap(({ source, source_id }) => (source_id === null ? [] : [{ voucher_id: source.id, source_id }])),
  )
  for (const part of parts) move(books, part, destination)

  const moment = momentNow(ctx)
  for (const id of new Set(parts.map(({ source }) => source.id)))
    await followBalances(books, [id], moment, { isIncreased: false })
  await followBalances(books, [destination.id], moment, { isIncreased: true })
  await saveMembers(books)
  return toVoucher(ctx, await getVoucher(ctx, destination.id))
}

async function partsOf(ctx: Ctx, destination: StoredVoucher, sent: TransferPoints): Promise<Part[]> {
  const parts: Part[] = []
  for (const [index, { code, points, reason, source_id }] of sent.entries()) {
    const source = await getMember(ctx, code)
    if (source.id === destination.id)
      throw invalidPayload(`Property [${index}].code must not be that of the card that receives the points`)
    parts.push({ source, points, reason: reason ?? null, source_id: source_id ?? null })
  }
  return parts
}

/** One element: out there, in here, and each names the other. */
function move(
  books: LoyaltyUnitOfWork,
  { source, points, reason, source_id }: Part,
  { id, code }: StoredVoucher,
): void {
  const moment = momentNow(books.ctx)
  const [from, to] = [heldCard(books, source), heldCard(books, { id, code })]
  const told = { source: 'API', reason, operation_type: 'MANUAL' } as const
  const taken = debit(
    books,
    from,
    points,
    {
      ...told,
      type: 'POINTS_TRANSFER_OUT',
      source_id,
      details: { destination_voucher: simpleCard(books, to) },
    },
    moment,
  )
  const given = credit(
    books,
    to,
    { amount: points, expires_at: expirationDate(moment.today, to.program.expiration_rules) },
    {
      ...told,
      type: 'POINTS_TRANSFER_IN',
      related_transaction_id: taken.transaction.id,
      details: { source_voucher: simpleCard(books, from) },
    },
    moment,
  )
  relate(books, taken, given)
  const sides = { source_voucher: simpleCard(books, from), destination_voucher: simpleCard(books, to) }
  emitTransaction(books, from, taken, { destination_voucher: sides.destination_voucher })
  emitTransaction(books, to, given, { source_voucher: sides.source_voucher })
  tellTransferred(books, from, taken, sides)
  tellTransferred(books, to, given, sides)
}

function heldCard(books: LoyaltyUnitOfWork, { id, code }: { id: string; code: string }): Card {
  const card = cardNamed(books, id)
  if (card === undefined) throw notFound('voucher', code) // deleted meanwhile
  return card
}
