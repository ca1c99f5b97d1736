import type { Selectable } from 'kysely'
import type { ConfiguredAssignment } from '../../core/configuration/configuration.ts'
import { allFromJson, fromJson } from '../../core/db/json-row.ts'
import type { Terms, VoucherRow } from '../../core/db/tables.ts'

/** A voucher with its dependent rows, as `checkout_facts` returns it; `xmin` is the version that was read. */
export type FoundVoucher = Selectable<VoucherRow> & {
  xmin: string
  /** Of the voucher itself, not of its campaign. */
  assignments: readonly ConfiguredAssignment[]
  /** Of the customers that were looked up, the ids of those who hold the voucher. */
  holders: readonly string[]
  /** Held by other sessions; and when the latest expired session ended, whose hold was ignored. */
  held: { quantity: number; credits: number; ended_at: string | null }
  lots: ReadonlyArray<{ id: string; points: number; expires_at: string | null }>
  /** Of a card: the id of its latest transaction. */
  last_transaction: string | null
  /** Of a loyalty card with a holder: the tier, and the day of its next due change. */
  member: { tier_id: string | null; due_on: string | null } | null
}

export type CheckoutVoucher = FoundVoucher & { terms: Terms }

/** Reads a voucher as `checkout_facts`, and other queries of the same columns, return it. */
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

/** The same, with the terms of the voucher. */
export const toCheckoutVoucher = <More = object>(
  row: object & { terms_id: string },
  terms: ReadonlyMap<string, Terms>,
): CheckoutVoucher & More => ({ ...toFoundVoucher<More>(row), terms: terms.get(row.terms_id) ?? {} })
