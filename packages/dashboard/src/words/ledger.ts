import type { Schemas } from '../api/client.ts'
import { orderWords } from './gives.ts'

type Transaction = Schemas['TransactionList']['data'][number]

const kinds: Record<Transaction['type'], string> = {
  CREDITS_ADDITION: 'Added by hand',
  CREDITS_REMOVAL: 'Taken off by hand',
  CREDITS_REDEMPTION: 'Spent',
  CREDITS_REFUND: 'Given back by a rollback',
  POINTS_ACCRUAL: 'Earned',
  POINTS_ADDITION: 'Added',
  POINTS_REMOVAL: 'Taken off',
  POINTS_REDEMPTION: 'Spent',
  POINTS_REFUND: 'Given back by a rollback',
  POINTS_EXPIRATION: 'Expired',
  POINTS_TRANSFER_IN: 'Received',
  POINTS_TRANSFER_OUT: 'Moved away',
  PENDING_POINTS_ACTIVATION: 'Pending points arrived',
}

interface Details {
  balance?: { amount?: number; points?: number; balance?: number }
  order?: { id: string; source_id: string | null }
  reward?: { name?: string }
  earning_rule?: { source?: { banner?: string } }
  segment?: { name?: string }
  custom_event?: { type?: string }
  source_voucher?: { code?: string }
  destination_voucher?: { code?: string }
  redemption?: { id: string }
}

export interface LedgerLine {
  id: string
  at: string
  words: string
  reason: string | null
  change: number
  balance: number
  redemption: string | undefined
}

/** One line of a card's statement: what happened, by how much, and what was left. */
export function ledgerLine({ id, created_at, type, reason, details }: Transaction): LedgerLine {
  const { balance, redemption, ...cause } = details as Details
  const why = causeWords(cause)
  return {
    id,
    at: created_at,
    words: why === '' ? kinds[type] : `${kinds[type]} ${why}`,
    reason,
    change: balance?.amount ?? balance?.points ?? 0,
    balance: balance?.balance ?? 0,
    redemption: redemption?.id,
  }
}

function causeWords(cause: Details): string {
  const { source_voucher, destination_voucher, reward, earning_rule, order, segment, custom_event } = cause
  if (source_voucher?.code) return `from ${source_voucher.code}`
  if (destination_voucher?.code) return `to ${destination_voucher.code}`
  if (reward?.name) return `on ${reward.name}`
  const place = order ? orderWords(order) : (segment?.name ?? custom_event?.type)
  const banner = earning_rule?.source?.banner
  if (place) return banner ? `by ${place}: ${banner}` : order ? `with ${place}` : `by ${place}`
  return banner ? `by ${banner}` : ''
}
