import { expirationDate } from '@guerdon/engine'
import type { Ctx } from '../../core/context.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import type { Voucher } from '../../incentives/vouchers/schema.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import { type StoredVoucher, toVoucher } from '../../incentives/vouchers/voucher.ts'
import { getMember } from '../programs/store.ts'
import { notPublished } from './adjust.ts'
import { type Card, findCard, type LoyaltyUnitOfWork, momentNow } from './card.ts'
import { applyBalanceChanges } from './cascade.ts'
import { applyDueChanges } from './due-changes.ts'
import { emitPointsTransferred, emitTransaction } from './events.ts'
import { credit, debit, linkTransactions } from './ledger.ts'
import type { TransferPoints } from './schema.ts'
import { refuseUsedSources } from './sources.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'
import { simpleCard } from './view.ts'

interface TransferPart {
  source: StoredVoucher
  points: number
  reason: string | null
  source_id: string | null
}

/**
 * Moves points from other cards to one, all or nothing (docs/reference/loyalty-cards.md#transfer-points). All holders are
 * locked before any card.
 */
export async function transferPoints(ctx: Ctx, destination: StoredVoucher, sent: TransferPoints): Promise<Voucher> {
  const parts = await partsOf(ctx, destination, sent)
  for (const { code, holder_id } of [destination, ...parts.map(({ source }) => source)])
    if (holder_id === null) throw notPublished(code)
  const holders = [destination, ...parts.map(({ source }) => source)].map(({ holder_id }) => holder_id as string)
  const work = await lockAndLoadMembers(ctx, [...new Set(holders)])
  await applyDueChanges(work)
  await refuseUsedSources(
    ctx,
    parts.flatMap(({ source, source_id }) => (source_id === null ? [] : [{ voucher_id: source.id, source_id }])),
  )
  for (const part of parts) move(work, part, destination)

  const moment = momentNow(ctx)
  for (const id of new Set(parts.map(({ source }) => source.id)))
    await applyBalanceChanges(work, [id], moment, { isIncreased: false })
  await applyBalanceChanges(work, [destination.id], moment, { isIncreased: true })
  await saveMembers(work)
  return toVoucher(ctx, await getVoucher(ctx, destination.id))
}

async function partsOf(ctx: Ctx, destination: StoredVoucher, sent: TransferPoints): Promise<TransferPart[]> {
  const parts: TransferPart[] = []
  for (const [index, { code, points, reason, source_id }] of sent.entries()) {
    const source = await getMember(ctx, code)
    if (source.id === destination.id)
      throw invalidPayload(`Property [${index}].code must not be that of the card that receives the points`)
    parts.push({ source, points, reason: reason ?? null, source_id: source_id ?? null })
  }
  return parts
}

/** Transfers one element: a debit and a credit whose transactions refer to each other. */
function move(
  work: LoyaltyUnitOfWork,
  { source, points, reason, source_id }: TransferPart,
  { id, code }: StoredVoucher,
): void {
  const moment = momentNow(work.ctx)
  const [from, to] = [getCard(work, source), getCard(work, { id, code })]
  const movement = { points, moment, source: 'API', reason } as const
  const outgoing = debit(work, {
    ...movement,
    card: from,
    type: 'POINTS_TRANSFER_OUT',
    source_id,
    details: { destination_voucher: simpleCard(work, to) },
  })
  const incoming = credit(work, {
    ...movement,
    card: to,
    expires_at: expirationDate(moment.today, to.program.expiration_rules),
    type: 'POINTS_TRANSFER_IN',
    related_transaction_id: outgoing.transaction.id,
    details: { source_voucher: simpleCard(work, from) },
  })
  linkTransactions(work, outgoing, incoming)
  const sides = { source_voucher: simpleCard(work, from), destination_voucher: simpleCard(work, to) }
  emitTransaction(work, from, outgoing, { destination_voucher: sides.destination_voucher })
  emitTransaction(work, to, incoming, { source_voucher: sides.source_voucher })
  emitPointsTransferred(work, from, outgoing, sides)
  emitPointsTransferred(work, to, incoming, sides)
}

function getCard(work: LoyaltyUnitOfWork, { id, code }: { id: string; code: string }): Card {
  const card = findCard(work, id)
  if (card === undefined) throw notFound('voucher', code) // deleted by a concurrent request
  return card
}
