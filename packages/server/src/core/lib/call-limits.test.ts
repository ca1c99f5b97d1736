import { describe, expect, test } from 'vitest'
import { durationSeconds, durationText, parseCallLimits } from './call-limits.ts'

describe('a duration', () => {
  test.each([
    ['PT1S', 1],
    ['PT90S', 90],
    ['PT1M', 60],
    ['PT1H', 3_600],
    ['PT1H30M', 5_400],
    ['P1D', 86_400],
    ['P1W', 604_800],
    ['P1W2DT3H4M5S', 788_645],
    ['P24855D', 2_147_472_000],
  ])('%s has %d seconds', (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds)
  })

  test.each([
    '',
    'P',
    'PT',
    'PT0S',
    'P0D',
    '1M',
    'PT1',
    'pt1m',
    'P1M',
    'P1Y',
    'PT1.5S',
    'PT-1S',
    '-PT1S',
    'PT1M1H',
    ' PT1M',
    'PT1M\n',
  ])('%j is not a duration', (text) => {
    expect(durationSeconds(text)).toBeNull()
  })

  test.each(['P24856D', 'PT2147483648S', 'P999999999999W'])('%s is longer than the maximum window', (text) => {
    expect(durationSeconds(text)).toBeNull()
  })
})

describe('a list of limits', () => {
  test('is parsed into calls and windows, in the given order', () => {
    expect(parseCallLimits('2000/PT1M, 50000/PT1H')).toEqual([
      { calls: 2_000, seconds: 60 },
      { calls: 50_000, seconds: 3_600 },
    ])
  })

  test.each([
    '5',
    '5/',
    '/PT1M',
    '0/PT1M',
    '-1/PT1M',
    '1.5/PT1M',
    '5/PT1M,',
    ',5/PT1M',
    '5/PT1M/PT1H',
    '5 /PT1M',
    '5/PT0S',
    '1e3/PT1M',
  ])('%j is refused with the expected format', (text) => {
    expect(() => parseCallLimits(text)).toThrow(
      `must be a comma list of <value>/<ISO 8601 duration> such as 2000/PT1M, not "${text}"`,
    )
  })
})

test.each([
  [1, 'PT1S'],
  [60, 'PT1M'],
  [3_600, 'PT1H'],
  [5_400, 'PT1H30M'],
  [86_400, 'P1D'],
  [604_800, 'P7D'],
  [788_645, 'P9DT3H4M5S'],
  [0, 'P1M'],
])('a window of %i seconds is written %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})
