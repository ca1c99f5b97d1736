import { describe, expect, test } from 'vitest'
import type { MetadataType } from '../schema/index.ts'
import { clockAt } from '../time/index.ts'
import { type ArgumentKind, prepareConditions } from './conditions.ts'

const clock = clockAt('2025-02-26T11:00:00.000Z', 'Europe/Warsaw') // a Wednesday

function holds(value: unknown, conditions: Record<string, unknown>, type?: MetadataType): boolean {
  const faults: string[] = []
  const condition = prepareConditions(conditions, 'any', (fault) => faults.push(fault))
  expect(faults).toEqual([])
  return condition(value, type, clock)
}

test.each<[value: unknown, operator: string, given: unknown, expected: boolean, type?: MetadataType]>([
  // Equality: numbers, booleans and their texts, then texts as they are.
  ['a', '$is', ['a'], true],
  ['a', '$is', 'a', true],
  ['a', '$is', ['A'], false],
  ['a', '$is', ['b', 'a'], true],
  [5, '$is', ['5'], true],
  ['5.0', '$is', [5], true],
  ['-7', '$is', [-7], true],
  [true, '$is', ['TRUE'], true],
  ['false', '$is', [false], true],
  [1, '$is', [true], false],
  ['', '$is', [''], false], // missing
  [{ a: 1 }, '$is', ['[object Object]'], false],
  [null, '$is', ['null'], false],
  ['2025-01-01T12:00:00Z', '$is', ['2025-01-01T13:00+01:00'], true, 'datetime'],
  ['2025-01-01T12:00:00Z', '$is', ['2025-01-01T13:00+01:00'], false],
  ['soon', '$is', ['soon'], true, 'date'],
  [['a', 'b'], '$is', ['b'], true],
  [['a', 'b'], '$is', ['c'], false],
  [['2025-01-01'], '$in', ['2025-01-01T00:00Z'], true, 'date'],
  ['a', '$is_not', ['b', 'c'], true],
  ['a', '$is_not', ['b', 'a'], false],
  [undefined, '$is_not', ['a'], true],
  [['a'], '$is_not', ['a'], false],
  ['a', '$in', ['b', 'a'], true],
  [undefined, '$in', ['a'], false],
  ['a', '$not_in', ['a'], false],
  [null, '$not_in', ['a'], true],
  ['a', '$not_intersect', ['a', 'b'], false],
  ['c', '$not_intersect', ['a', 'b'], true],
  ['', '$not_intersect', ['a'], true],

  // Comparison
  [5, '$more_than', [4], true],
  [5, '$more_than', [5], false],
  ['5', '$more_than', ['4.5'], true],
  [5, '$more_than_or_equal', [5], true],
  [5, '$more_than_equal', 5, true],
  [5, '$less_than', [5], false],
  [-5, '$less_than', [-4], true],
  [5, '$less_than_or_equal', [5], true],
  [5, '$less_than_equal', [4], false],
  [5, '$greater_than', [4], true],
  [5, '$greater_than_or_equal', [6], false],
  ['2025-03-01', '$more_than', ['2025-02-28T23:59:59Z'], true],
  ['2025-03-01', '$less_than', ['2025-03-01'], false],
  ['2025-03-01', '$more_than', ['2026-01-01', '2025-01-01'], true], // any of them
  [5, '$more_than', [9, 4], true],
  ['2025-03-01', '$more_than', [5], false], // a number as days ago exists only in filters
  [5, '$more_than', ['2025-03-01'], false],
  [[5], '$more_than', [4], false],
  [undefined, '$less_than', [4], false],
  ['x', '$less_than', [4], false],

  // Texts
  ['green tea', '$starts_with', ['black', 'green'], true],
  ['green tea', '$starts_with', ['tea'], false],
  ['green tea', '$ends_with', ['tea'], true],
  ['green tea', '$ends_with', ['green'], false],
  [['green tea'], '$starts_with', ['green'], false],
  [undefined, '$starts_with', [''], false],
  ['green tea', '$contains', ['x', 'en t'], true],
  ['green tea', '$contains', ['Green'], false],
  [55, '$contains', ['5'], false],
  [undefined, '$contains', ['a'], false],
  ['green tea', '$not_contain', ['black'], true],
  ['green tea', '$not_contain', ['tea'], false],
  [undefined, '$not_contain', ['a'], true],

  // E18: arrays
  [['a', 'b'], '$in', ['b', 'z'], true],
  [['a', 'b'], '$contains', ['a', 'z'], false],
  [['a', 'b'], '$contains', ['a', 'b'], true],
  [['a', 'b'], '$not_contain', ['a', 'z'], true],
  [['a', 'b'], '$not_contain', ['a'], false],
  [['a', 'b'], '$not_differ', ['b', 'a'], true],
  [['a', 'b'], '$not_differ', ['a'], false],
  [['a'], '$not_differ', ['a', 'b'], false],
  [['a', 'a'], '$not_differ', ['a'], true],
  [['a', 'b'], '$not_intersect', ['z'], true],
  [['a', 'b'], '$not_intersect', ['z', 'a'], false],
  [['a', 'b'], '$count', [2], true],
  [['a', 'b'], '$count_more', [2], false],
  [['a', 'b'], '$count_more', [1], true],
  [['a', 'b'], '$count_less', [3], true],
  [['a', 'b'], '$count_less', [2], false],
  [undefined, '$not_in', ['a'], true],
  [undefined, '$in', ['a'], false],
  [undefined, '$count', [0], true],
  [undefined, '$not_differ', [], true],
  [[], '$not_differ', [], true],
  [['a'], '$not_differ', [], false],
  [undefined, '$not_differ', ['a'], false],
  ['a', '$not_differ', ['a'], true],
  ['a', '$not_differ', ['a', 'b'], false],
  ['a', '$count', [1], false],

  // Dates; today is Wednesday, 26 February 2025
  ['2025-02-26T12:00:00Z', '$after', ['2025-02-26'], true],
  ['2025-02-26', '$after', ['2025-02-26'], false],
  ['2025-02-26', '$after', ['2026-01-01', '2025-01-01'], true],
  ['2025-02-25T12:00Z', '$before', '2025-02-26', true],
  [['2025-02-25'], '$before', ['2025-02-26'], false],
  ['2025-02-25', '$is_days_ago', [1], true],
  ['2025-02-25T23:30:00Z', '$is_days_ago', [0], true], // half past midnight in Warsaw
  ['2025-02-20', '$more_than_ago', [5], true],
  ['2025-02-20', '$more_than_ago', [6], false],
  ['2025-02-20', '$less_than_ago', [7], true],
  ['2025-02-27', '$less_than_ago', [7], false],
  ['2025-02-28', '$is_days_in_future', [2], true],
  ['2025-02-28', '$more_than_future', [1], true],
  ['2025-02-28', '$more_than_future', [2], false],
  ['2025-02-28', '$less_than_future', [3], true],
  ['2025-02-25', '$less_than_future', [3], false],
  ['2025-02-28', '$is_days_in_future', [1, 2], true], // any of them
  ['2025-02-26', '$dow', [3], true],
  ['2025-03-02', '$dow', [0], true],
  ['2025-03-01T23:30:00Z', '$dow', [0], true], // already Sunday in Warsaw
  ['2025-02-26', '$dow', [1, 2], false],
  ['soon', '$dow', [0, 1, 2, 3, 4, 5, 6], false],

  // E17: time frames
  ['2025-01-10T10:59:59Z', '$timeframe', ['2025-01-06T08:00:00Z;P2D;PT3H'], true], // k = 2
  ['2025-01-10T11:00:00Z', '$timeframe', ['2025-01-06T08:00:00Z;P2D;PT3H'], false],
  ['2025-01-09T09:00:00Z', '$timeframe', ['2025-01-06T08:00:00Z;P2D;PT3H'], false],
  ['2025-01-06T07:59:59Z', '$timeframe', ['2025-01-06T08:00:00Z;P2D;PT3H'], false],
  ['2025-01-09T09:00:00Z', '$timeframe', ['2025-01-06T08:00:00Z;P2D;PT3H', '2025-01-09T08:00:00Z;P1Y;P1D'], true],
  ['2025-03-15T12:00:00Z', '$timeframe', ['2025-01-15T00:00:00Z;P1M;P1D'], true],
  ['2025-03-16T12:00:00Z', '$timeframe', ['2025-01-15T00:00:00Z;P1M;P1D'], false],
  ['2025-06-10T16:00:00Z', '$timeframe_daily_hours', ['18:00;20:30;2,3'], true], // Tuesday, 18:00 in Warsaw
  ['2025-06-10T18:30:00Z', '$timeframe_daily_hours', ['18:00;20:30;2,3'], false],
  ['2025-06-11T18:29:59Z', '$timeframe_daily_hours', ['18:00;20:30;2,3'], true], // Wednesday
  ['2025-06-12T16:00:00Z', '$timeframe_daily_hours', ['18:00;20:30;2,3'], false], // Thursday
  ['2025-06-10T21:00:00Z', '$timeframe_daily_hours', ['22:00;02:00;2'], true], // Tuesday, 23:00
  ['2025-06-10T23:59:00Z', '$timeframe_daily_hours', ['22:00;02:00;2'], true], // Wednesday, 01:59: Tuesday's night
  ['2025-06-11T00:00:00Z', '$timeframe_daily_hours', ['22:00;02:00;2'], false],
  ['2025-06-09T23:00:00Z', '$timeframe_daily_hours', ['22:00;02:00;2'], false], // Tuesday, 01:00: Monday's night
  ['2025-06-11T03:00:00Z', '$timeframe_daily_hours', ['06:00;06:00;2'], true], // to the same hour of Wednesday
  ['2025-01-01T00:00:00Z', '$timeframe_absolute', ['2025-01-01T00:00:00Z;2025-01-31T23:59:59Z'], true],
  ['2025-01-31T23:59:59Z', '$timeframe_absolute', ['2025-01-01T00:00:00Z;2025-01-31T23:59:59Z'], true],
  ['2025-02-01T00:00:00Z', '$timeframe_absolute', ['2025-01-01T00:00:00Z;2025-01-31T23:59:59Z'], false],
  ['2024-12-31T23:59:59Z', '$timeframe_absolute', ['2025-01-01T00:00:00Z;2025-01-31T23:59:59Z'], false],
])('%j %s %j: %s', (value, operator, given, expected, type) => {
  expect(holds(value, { [operator]: given }, type)).toBe(expected)
})

test('accepts 1,000 arguments', () => {
  expect(
    holds(999, {
      $in: Array.from({ length: 1_000 }, (_, n) => n),
    }),
  ).toBe(true)
})

test('all operators of a condition must hold; a condition without operators holds', () => {
  expect(holds(5, { $more_than: [4], $less_than: [6] })).toBe(true)
  expect(holds(7, { $more_than: [4], $less_than: [6] })).toBe(false)
  expect(holds(undefined, {})).toBe(true)
})

describe('faulty conditions, which evaluate to false', () => {
  test.each<[kind: ArgumentKind, operator: string, given: unknown, fault: string]>([
    ['any', '$like', ['a'], "has an unknown operator '$like'"],
    ['any', 'toString', ['a'], "has an unknown operator 'toString'"],
    ['any', '$from', ['a'], "has an unknown operator '$from'"],
    ['any', '$in', 'a', "must have an array of arguments for '$in'"],
    ['any', '$is', { 0: 'a' }, "must have an array of arguments for '$is'"],
    ['any', '$is', null, "must have an array of arguments for '$is'"],
    ['any', '$is', [], "must have an argument for '$is'"],
    ['any', '$not_in', [], "must have an argument for '$not_in'"],
    ['any', '$in', Array(1_001).fill(1), "must not have more than 1000 arguments for '$in'"],
    ['any', '$is', ['a', null], "must have plain values as arguments for '$is'"],
    ['any', '$is', [['a']], "must have plain values as arguments for '$is'"],
    ['any', '$starts_with', ['a', {}], "must have plain values as arguments for '$starts_with'"],
    ['number', '$is', [5, 'cheap'], "must have numbers as arguments for '$is'"],
    ['number', '$is_not', ['cheap'], "must have numbers as arguments for '$is_not'"],
    ['number', '$not_in', ['cheap'], "must have numbers as arguments for '$not_in'"],
    ['number', '$not_intersect', ['cheap'], "must have numbers as arguments for '$not_intersect'"],
    ['number', '$more_than', ['2025-01-01'], "must have numbers as arguments for '$more_than'"],
    ['boolean', '$is', [true, 'yes'], "must have true or false as arguments for '$is'"],
    ['text', '$in', ['a', 5], "must have texts as arguments for '$in'"],
    ['any', '$more_than', ['cheap'], "must have numbers or dates as arguments for '$more_than'"],
    ['any', '$after', [5], "must have dates as arguments for '$after'"],
    ['any', '$count', [1, -1], "must have whole numbers from 0 as arguments for '$count'"],
    ['any', '$count', [1.5], "must have whole numbers from 0 as arguments for '$count'"],
    ['any', '$is_days_ago', ['one'], "must have whole numbers from 0 as arguments for '$is_days_ago'"],
    ['any', '$dow', [7], "must have whole numbers from 0 to 6 as arguments for '$dow'"],
    ['any', '$dow', 3, "must have an array of arguments for '$dow'"],
    [
      'any',
      '$timeframe',
      ['2025-01-06;P2D;PT3H;x'],
      "must have 'start;interval;duration' as arguments for '$timeframe'",
    ],
    ['any', '$timeframe', ['soon;P2D;PT3H'], "must have 'start;interval;duration' as arguments for '$timeframe'"],
    ['any', '$timeframe', ['2025-01-06;P2D;x'], "must have 'start;interval;duration' as arguments for '$timeframe'"],
    ['any', '$timeframe', ['2025-01-06;P2D'], "must have 'start;interval;duration' as arguments for '$timeframe'"],
    ['any', '$timeframe', ['2025-01-06;P0D;PT1H'], "must have 'start;interval;duration' as arguments for '$timeframe'"],
    [
      'any',
      '$timeframe_absolute',
      ['2025-01-06;2025-01-07;x'],
      "must have 'from;to' as arguments for '$timeframe_absolute'",
    ],
    ['any', '$timeframe_absolute', ['soon;2025-01-06'], "must have 'from;to' as arguments for '$timeframe_absolute'"],
    ['any', '$timeframe_absolute', ['2025-01-06;soon'], "must have 'from;to' as arguments for '$timeframe_absolute'"],
    [
      'any',
      '$timeframe_daily_hours',
      ['18:00;20:00;1;2'],
      "must have 'HH:mm;HH:mm;day,day' as arguments for '$timeframe_daily_hours'",
    ],
    [
      'any',
      '$timeframe_daily_hours',
      ['25:00;20:00;1'],
      "must have 'HH:mm;HH:mm;day,day' as arguments for '$timeframe_daily_hours'",
    ],
    [
      'any',
      '$timeframe_daily_hours',
      ['18:00;24:00;1'],
      "must have 'HH:mm;HH:mm;day,day' as arguments for '$timeframe_daily_hours'",
    ],
    [
      'any',
      '$timeframe_daily_hours',
      ['18:00;20:00;7'],
      "must have 'HH:mm;HH:mm;day,day' as arguments for '$timeframe_daily_hours'",
    ],
  ])('%s %s %j', (kind, operator, given, fault) => {
    const faults: string[] = []
    const condition = prepareConditions({ [operator]: given }, kind, (fault) => faults.push(fault))
    expect(faults).toEqual([fault])
    for (const value of ['a', 5, undefined, ['a'], '2025-01-06']) expect(condition(value, undefined, clock)).toBe(false)
  })
})
