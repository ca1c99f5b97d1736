import type { Cut, Step } from '../schema/index.ts'

/** Caps a value by one limit. `cuts` records the limits that reduced it, when an explanation is requested. */
export function cutBy(amount: number, by: string, limit: number | null, cuts: Cut[] | null): number {
  if (limit === null || amount <= limit) return amount
  cuts?.push({ by, to: limit })
  return limit
}

export const cutsFor = (trace: Step[] | null): Cut[] | null => (trace === null ? null : [])
