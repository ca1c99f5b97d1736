import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { EarningPoints, PointsExpirationRules, RewardMapping, TierExpiration } from '../schema/loyalty.ts'

const share = { every: 100, points: 1 }
const proportional = (calculationType: string, source: object) => ({
  type: 'PROPORTIONAL',
  calculation_type: calculationType,
  ...source,
})
const period = {
  qualification_type: 'POINTS_IN_PERIOD',
  qualification_period: 'MONTH',
  start_date: { type: 'NEXT_PERIOD' },
}
const balance = { qualification_type: 'BALANCE', start_date: { type: 'IMMEDIATE' } }

describe('schemas accept and reject as the contract says', () => {
  test.each([
    ['a fixed number', EarningPoints, { type: 'FIXED', points: 10 }, true],
    ['a fixed formula', EarningPoints, { type: 'FIXED', points: 10, points_formula: 'ORDER_AMOUNT' }, true],
    ['no number', EarningPoints, { type: 'FIXED' }, false],
    ['a share of the order', EarningPoints, proportional('ORDER_AMOUNT', { order: { amount: share } }), true],
    ['the part is missing', EarningPoints, proportional('ORDER_TOTAL_AMOUNT', { order: { amount: share } }), false],
    ['every 0', EarningPoints, proportional('ORDER_AMOUNT', { order: { amount: { ...share, every: 0 } } }), false],
    [
      'metadata without a property',
      EarningPoints,
      proportional('ORDER_METADATA', { order: { metadata: share } }),
      false,
    ],
    ['an unknown calculation', EarningPoints, proportional('MOON_PHASE', { order: { amount: share } }), false],
    [
      'fixed and proportional mixed',
      EarningPoints,
      { type: 'FIXED', calculation_type: 'ORDER_AMOUNT', order: { amount: share } },
      false,
    ],
    ['months', PointsExpirationRules, { period_type: 'MONTH', period_value: 0 }, true],
    ['months from 1', PointsExpirationRules, { period_type: 'MONTH', period_value: 1, rounding_value: 0 }, false],
    ['a fixed day', PointsExpirationRules, { period_type: 'FIXED_DAY_OF_YEAR', fixed_month: 2, fixed_day: 31 }, true],
    ['a fixed day without a month', PointsExpirationRules, { period_type: 'FIXED_DAY_OF_YEAR', fixed_day: 31 }, false],
    ['balance drop', TierExpiration, { ...balance, expiration_date: { type: 'BALANCE_DROP' } }, true],
    [
      'balance from the next period',
      TierExpiration,
      { ...balance, start_date: { type: 'NEXT_PERIOD' }, expiration_date: { type: 'BALANCE_DROP' } },
      false,
    ],
    [
      'balance until the end of a period',
      TierExpiration,
      { ...balance, expiration_date: { type: 'END_OF_PERIOD' } },
      false,
    ],
    ['custom', TierExpiration, { ...balance, expiration_date: { type: 'CUSTOM', extend: 'P3M' } }, true],
    ['custom without a duration', TierExpiration, { ...balance, expiration_date: { type: 'CUSTOM' } }, false],
    ['custom with hours', TierExpiration, { ...balance, expiration_date: { type: 'CUSTOM', extend: 'PT3H' } }, false],
    [
      'custom to a month from 0',
      TierExpiration,
      {
        ...balance,
        expiration_date: { type: 'CUSTOM', extend: 'P3M', rounding: { type: 'CUSTOM', unit: 'MONTH', value: 0 } },
      },
      true,
    ],
    [
      'custom with an invalid month',
      TierExpiration,
      {
        ...balance,
        expiration_date: { type: 'CUSTOM', extend: 'P3M', rounding: { type: 'CUSTOM', unit: 'MONTH', value: 12 } },
      },
      false,
    ],
    ['a period', TierExpiration, { ...period, expiration_date: { type: 'END_OF_NEXT_PERIOD', extend: 'P10D' } }, true],
    ['a period by balance drop', TierExpiration, { ...period, expiration_date: { type: 'BALANCE_DROP' } }, false],
    [
      'no period',
      TierExpiration,
      { ...period, qualification_period: undefined, expiration_date: { type: 'END_OF_PERIOD' } },
      false,
    ],
    ['not available', RewardMapping, { type: 'NOT_AVAILABLE' }, true],
    ['a negative multiplier', RewardMapping, { type: 'MULTIPLY', multiplier: -1 }, false],
  ])('%s', (_, schema, value, expected) => {
    expect(Compile(schema).Check(value)).toBe(expected)
  })
})
