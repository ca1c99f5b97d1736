import { expect, test } from 'vitest'
import { ContendedCodes } from './contended-codes.ts'

test('a code counts as contended for five seconds after its last conflict', () => {
  const codes = new ContendedCodes()
  codes.add('A', 0)
  codes.add('B', 1_000)
  codes.add('A', 2_000)
  expect([codes.hasAny(['B'], 5_999), codes.hasAny(['B'], 6_000)]).toEqual([true, false])
  codes.add('C', 6_500)
  expect([codes.hasAny(['B', 'A'], 6_999), codes.hasAny(['A'], 7_000), codes.hasAny([], 0)]).toEqual([
    true,
    false,
    false,
  ])
})
