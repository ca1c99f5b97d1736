import type { Cut, Step } from '../schema/index.ts'

/** A value on its way through its limits. `cuts` remembers those that took something, when an explanation is wanted. */
export function cutBy(amount: number, by: string, limit: number | null, cuts: Cut[] | null): number {
  if (limit === null || amount <= limit) return amount
  cuts?.push({ by, to: limit })
  return limit
}

export const cutsFor = (trace: Step[] | null): Cut[] | null => (trace === null ? null : [])
