import { Ratio } from '../money.ts'
import type { LoyaltyTier, RewardMapping } from '../schema/loyalty.ts'

/** A payment with points, in whole exchange units. */
export interface PointsPayment {
  units: number
  points: number
  /** Minor units off the order. */
  discount: number
}

/**
 * Pays an order with points, or returns why not (docs/reference/rewards.md#pay-with-points). Only whole units are
 * exchanged, the last one rounded up. `points` is the maximum that the customer wants to spend; without it, as many as
 * order and balance allow.
 *
 * `payWithPoints({ payable: 2500, exchange_ratio: 3, points_ratio: 40, balance: 500 })` → 9 units of 3.00 are needed:
 * `{ units: 9, points: 360, discount: 2500 }`.
 * /
 */
export function payWithPoints(payment: {
  /** Amount to pay in minor units. */
  payable: number
  /** Major units of money that `points_ratio` points buy. */
  exchange_ratio: number
  points_ratio: number
  /** Spendable points, without those held by other sessions. */
  balance: number
  points?: number | null
}): PointsPayment | { key: 'loyalty_card_points_exceeded' | 'invalid_payload' } {
  const { payable, exchange_ratio, points_ratio, balance } = payment
  const points = payment.points ?? balance
  // Checked first, as with gift credits: a request for more than the balance is refused whatever the order costs.
  if (points > balance) return { key: 'loyalty_card_points_exceeded' }
  if (payable === 0) return { units: 0, points: 0, discount: 0 }
  if (points < points_ratio) return { key: payment.points == null ? 'loyalty_card_points_exceeded' : 'invalid_payload' }
  const unit = unitOf(exchange_ratio)
  const unitsNeeded = Math.ceil(payable / unit)
  const units = Math.min(unitsNeeded, Math.floor(points / points_ratio))
  return { units, points: units * points_ratio, discount: units === unitsNeeded ? payable : units * unit }
}

/** Minor units of money per exchange unit. */
const unitOf = (exchangeRatio: number): number => Math.max(1, multiply(100, exchangeRatio))

/**
 * The price of a reward for the holder of a tier, or null when the tier does not offer it
 * (docs/reference/rewards.md#price).
 *
 * `rewardPrice(75, { type: 'MULTIPLY', multiplier: 0.5 })` → 38 (37.5).
 * /
 */
export function rewardPrice(points: number, mapping: RewardMapping | null): number | null {
  switch (mapping?.type) {
    case undefined:
      return points
    case 'CUSTOM':
      return mapping.points
    case 'MULTIPLY':
      return multiply(points, mapping.multiplier)
    case 'NOT_AVAILABLE':
      return null
  }
}

/**
 * How many points buy one unit for the holder of a tier, or null when the tier does not offer the reward. Only a multiplier
 * applies: a COIN reward has no price that a mapping could replace.
 *
 * `coinPointsRatio(50, { type: 'MULTIPLY', multiplier: 0.8 })` → 40.
 * /
 */
export function coinPointsRatio(pointsRatio: number, mapping: RewardMapping | null): number | null {
  if (mapping?.type === 'NOT_AVAILABLE') return null
  return mapping?.type === 'MULTIPLY' ? Math.max(1, multiply(pointsRatio, mapping.multiplier)) : pointsRatio
}

/**
 * The mapping of a tier for a reward. Keys may be ids of rewards or of assignments; the assignment takes precedence.
 *
 * `rewardMapping({ rewards: { rew_1: half, rewa_1: free } }, { id: 'rew_1', assignment_id: 'rewa_1' })` → `free`.
 * /
 */
export function rewardMapping(
  tier: Pick<LoyaltyTier, 'rewards'> | null,
  { id, assignment_id }: { id: string; assignment_id?: string | null },
): RewardMapping | null {
  const mappings = tier?.rewards ?? {}
  for (const key of [assignment_id, id]) if (key != null && Object.hasOwn(mappings, key)) return mappings[key] ?? null
  return null
}

/** Rounds half up, capped at the largest safe integer: more than any order costs or any card holds. */
function multiply(amount: number, factor: number): number {
  const exact = Ratio.mul(Ratio.of(amount, 1), Ratio.fromDecimal(factor))
  return Ratio.compare(exact, amountMax) > 0 ? Number.MAX_SAFE_INTEGER : Ratio.toInteger(exact)
}

const amountMax = Ratio.of(Number.MAX_SAFE_INTEGER, 1)
