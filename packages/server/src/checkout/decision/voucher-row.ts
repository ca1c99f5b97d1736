import type { Selectable } from 'kysely'
import type { ConfiguredAssignment } from '../../core/configuration/configuration.ts'
import { allFromJson, fromJson } from '../../core/db/json-row.ts'
import type { Terms, VoucherRow } from '../../core/db/tables.ts'

/** A code with all that hangs on it, as `checkout_facts` finds it; `xmin` is the version that was read. */
export type FoundVoucher = Selectable<VoucherRow> & {
  xmin: string
  /** Its own, without those of its campaign. */
  assignments: readonly ConfiguredAssignment[]
  /** Those who hold it, among all that were asked for. */
  holders: readonly string[]
  /** What other sessions keep of it, and when the latest of those ended that are over. */
  held: { quantity: number; credits: number; ended_at: string | null }
  lots: ReadonlyArray<{ id: string; points: number; expires_at: string | null }>
  /** Of a card: the id of its latest transaction. */
  last_transaction: string | null
  /** Of a loyalty card that somebody holds: the tier, and when time changes something of it next. */
  member: { tier_id: string | null; due_on: string | null } | null
}

export type LoadedVoucher = FoundVoucher & { terms: Terms }

/** A code as `checkout_facts` gives it, and whoever asks for codes in the same words. */
export function toFoundVoucher<More = object>(row: object): FoundVoucher & More {
  const voucher = fromJson<FoundVoucher & More>(row)
  const held = voucher.held as { [Name in keyof FoundVoucher['held']]: FoundVoucher['held'][Name] | null } | null
  return {
    ...voucher,
    assignments: allFromJson(voucher.assignments),
    holders: voucher.holders ?? [],
    held: { quantity: held?.quantity ?? 0, credits: held?.credits ?? 0, ended_at: held?.ended_at ?? null },
    lots: voucher.lots ?? [],
    last_transaction: voucher.last_transaction ?? null,
    member: voucher.member ?? null,
  }
}

/** The same, with the terms it stands under. */
export const toLoadedVoucher = <More = object>(
  row: object & { terms_id: string },
  terms: ReadonlyMap<string, Terms>,
): LoadedVoucher & More => ({ ...toFoundVoucher<More>(row), terms: terms.get(row.terms_id) ?? {} })
