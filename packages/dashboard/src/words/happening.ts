import type { Schemas } from '../api/client.ts'
import type { Format } from '../ui/format.tsx'
import type { Tone } from '../ui/state.tsx'

export interface Happening {
  words: string
  detail?: string | undefined
  tone: Tone
  /** What it is about, for a link. */
  redemption?: string | undefined
  code?: string | undefined
  order?: string | undefined
}

export type Named = { id?: string; name?: string | null } | null
type Person = { id: string; name?: string | null; email?: string | null; source_id?: string | null }
type Code = Schemas['Voucher']
type Order = { id: string; source_id?: string | null; amount?: number; total_amount?: number }

/** The members of events that sentences are made of; each kind of event has some of them. */
export interface Data {
  campaign?: Named
  voucher?: Code | null
  order?: Order | null
  redemption?: (Schemas['Redemption'] & { failure_code?: string }) | null
  rollback?: { reason?: string; failure_code?: string; failure_message?: string } | null
  reward?: { name?: string } | null
  balance?: { points?: number; amount?: number; operation_type?: string } | null
  transaction?: { reason?: string | null } | null
  publication?: { vouchers?: string[]; voucher?: Code; failure_code?: string; failure_message?: string } | null
  validation?: { redeemables?: { id?: string; result?: { error?: { key?: string; message?: string } } }[] } | null
  segment?: Named
  referrer?: Person | null
  earning_rule?: { source?: { banner?: string } } | null
  event?: { type?: string } | null
  pending_points?: { points?: number; activates_at?: string } | null
  points?: number
  source_voucher?: Code | null
  destination_voucher?: Code | null
  loyalty_tier?: Named
  loyalty_tier_from?: Named
  loyalty_tier_to?: Named
  expiration_date?: string | null
}

export type Say = (data: Data, format: Format) => Happening | null

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
