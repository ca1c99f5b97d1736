import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coinPointsRatio, payWithPoints, rewardMapping, rewardPrice } from './rewards.ts'

const exceeded = { key: 'loyalty_card_points_exceeded' }

describe('payWithPoints', () => {
  const coin15 = { payable: 10_000, exchange_ratio: 3, points_ratio: 50, balance: 5_000 }
  const coin26 = { payable: 2_500, exchange_ratio: 3, points_ratio: 40, balance: 5_000 }
  const cases = [
    ['05 #15: 33.3 units are 34', coin15, { units: 34, points: 1_700, discount: 10_000 }],
    ['05 #16: 260 points are 5 units', { ...coin15, points: 260 }, { units: 5, points: 250, discount: 1_500 }],
    [
      '05 #16: capped by the amount to pay',
      { ...coin15, points: 5_000 },
      { units: 34, points: 1_700, discount: 10_000 },
    ],
    ['05 #16: capped by the balance', { ...coin15, balance: 620 }, { units: 12, points: 600, discount: 3_600 }],
    ['05 #16: 6000 points of a balance of 5000 are refused', { ...coin15, points: 6_000 }, exceeded],
    ['02 #26: 500 points', { ...coin26, points: 500 }, { units: 9, points: 360, discount: 2_500 }],
    ['02 #26: 100 points', { ...coin26, points: 100 }, { units: 2, points: 80, discount: 600 }],
    ['02 #26: points omitted, balance 150', { ...coin26, balance: 150 }, { units: 3, points: 120, discount: 900 }],
    ['a balance below one unit', { ...coin26, balance: 39 }, exceeded],
    ['points below one unit', { ...coin26, points: 39 }, { key: 'invalid_payload' }],
    ['0 points requested', { ...coin26, points: 0 }, { key: 'invalid_payload' }],
    ['exactly one unit', { ...coin26, points: 40 }, { units: 1, points: 40, discount: 300 }],
    ['null points mean omitted', { ...coin26, points: null }, { units: 9, points: 360, discount: 2_500 }],
    ['nothing to pay, empty card', { ...coin26, payable: 0, balance: 0 }, { units: 0, points: 0, discount: 0 }],
    [
      'nothing to pay, points below one unit',
      { ...coin26, payable: 0, points: 1 },
      { units: 0, points: 0, discount: 0 },
    ],
    ['nothing to pay, but points beyond the balance are refused', { ...coin26, payable: 0, points: 5_001 }, exceeded],
    [
      'a cent per point',
      { ...coin26, exchange_ratio: 0.01, points_ratio: 1 },
      { units: 2_500, points: 2_500, discount: 2_500 },
    ],
    ['1.005 rounds to 1.01', { ...coin26, exchange_ratio: 1.005, points: 40 }, { units: 1, points: 40, discount: 101 }],
    [
      'an exchange unit below one cent counts as one cent',
      { ...coin26, exchange_ratio: 0.0001, points: 80 },
      { units: 2, points: 80, discount: 2 },
    ],
    [
      'an exchange ratio beyond the safe integers',
      { ...coin26, exchange_ratio: 1e300 },
      { units: 1, points: 40, discount: 2_500 },
    ],
  ] as const
  test.each(cases)('%s', (_, payment, expected) => {
    expect(payWithPoints(payment)).toEqual(expected)
  })

  test('buys whole units, never more than payable, balance or requested points, and as many as possible', () => {
    const natural = fc.oneof(fc.nat(10_000), fc.maxSafeNat())
    fc.assert(
      fc.property(
        natural,
        fc.oneof(
          fc.nat(1_000).map((n) => (n + 1) / 100),
          fc.double({ min: 1e-5, max: 1e300, noNaN: true }),
        ),
        natural.map((n) => Math.max(1, n)),
        natural,
        fc.option(natural),
        (payable, exchangeRatio, pointsRatio, balance, points) => {
          const paid = payWithPoints({
            payable,
            exchange_ratio: exchangeRatio,
            points_ratio: pointsRatio,
            balance,
            points,
          })
          if ('key' in paid) {
            expect((points ?? 0) > balance || (points ?? balance) < pointsRatio).toBe(true)
            return
          }
          const spendable = Math.min(balance, points ?? balance)
          expect(paid.discount).toBeLessThanOrEqual(payable)
          expect(paid.points).toBeLessThanOrEqual(spendable)
          expect(BigInt(paid.points)).toBe(BigInt(paid.units) * BigInt(pointsRatio))
          if (paid.discount < payable) expect(spendable - paid.points).toBeLessThan(pointsRatio)
          // One unit less would not pay for the order: the last unit is needed.
          if (paid.units > 0) expect((exchangeRatio * 100 - 0.5) * (paid.units - 1)).toBeLessThan(payable)
        },
      ),
    )
  })
})

describe('the price of a reward', () => {
  test.each([
    ['without a mapping', 75, null, 75],
    ['05 #22: half of 75', 75, { type: 'MULTIPLY', multiplier: 0.5 }, 38],
    ['05 #22: replaced', 75, { type: 'CUSTOM', points: 20 }, 20],
    ['05 #22: not available', 75, { type: 'NOT_AVAILABLE' }, null],
    ['free', 75, { type: 'MULTIPLY', multiplier: 0 }, 0],
    ['10 × 1.15 is 11.5, exactly', 10, { type: 'MULTIPLY', multiplier: 1.15 }, 12],
    ['capped at the largest safe integer', 75, { type: 'MULTIPLY', multiplier: 1e300 }, Number.MAX_SAFE_INTEGER],
  ] as const)('%s', (_, points, mapping, expected) => {
    expect(rewardPrice(points, mapping)).toBe(expected)
  })

  test.each([
    ['without a mapping', 50, null, 50],
    ['a multiplier scales the ratio', 50, { type: 'MULTIPLY', multiplier: 0.83 }, 42], // 41.5
    ['never below one point', 50, { type: 'MULTIPLY', multiplier: 0 }, 1],
    ['a custom price is ignored', 50, { type: 'CUSTOM', points: 20 }, 50],
    ['not available', 50, { type: 'NOT_AVAILABLE' }, null],
  ] as const)('of a COIN reward, %s', (_, ratio, mapping, expected) => {
    expect(coinPointsRatio(ratio, mapping)).toBe(expected)
  })

  test('the mapping of the assignment takes precedence over that of the reward', () => {
    const half = { type: 'MULTIPLY', multiplier: 0.5 } as const
    const free = { type: 'CUSTOM', points: 0 } as const
    const tier = { rewards: { rew_1: half, rewa_1: free } }
    expect(rewardMapping(tier, { id: 'rew_1', assignment_id: 'rewa_1' })).toBe(free)
    expect(rewardMapping(tier, { id: 'rew_1', assignment_id: 'rewa_2' })).toBe(half)
    expect(rewardMapping(tier, { id: 'rew_1' })).toBe(half)
    expect(rewardMapping(tier, { id: 'toString' })).toBeNull()
    expect(rewardMapping(null, { id: 'rew_1' })).toBeNull()
  })
})
