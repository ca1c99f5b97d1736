import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuTimeOf } from '../testing/cpu-time.ts'
import { splitByAmount, splitByQuantity } from './split.ts'

const whole = (amount: number) => ({ amount, units: 1, of: 1 })
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)

describe('splitByAmount', () => {
  test.each<[number, number[], number[]]>([
    [1000, [1999, 3001, 501], [363, 546, 91]],
    [1000, [100, 200], [100, 200]], // never more than the value of the lines
    [0, [100, 200], [0, 0]],
    [10, [0, 5], [0, 5]],
    [10, [], []],
    [10, [0, 0], [0, 0]],
  ])('%d over %j is %j', (amount, worths, expected) => {
    expect(splitByAmount(amount, worths.map(whole))).toEqual(expected)
  })

  test('weighs parts of units by their exact value', () => {
    // 10 × 1/3, 10 × 2/3 and 10 × 1/2: 3.33…, 6.66… and 5 are 15, so 15 of 99 are spread: 3, 7 and 5.
    const parts = [
      { amount: 10, units: 1, of: 3 },
      { amount: 10, units: 2, of: 3 },
      { amount: 10, units: 1, of: 2 },
    ]
    expect(splitByAmount(99, parts)).toEqual([3, 7, 5])
  })

  test('adds up, and gives no line more than its value', () => {
    const part = fc.record({
      amount: fc.nat(100_000),
      units: fc.integer({ min: 1, max: 50 }),
      of: fc.integer({ min: 50, max: 99 }),
    })
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.array(part, { maxLength: 12 }), (amount, parts) => {
        const shares = splitByAmount(amount, parts)
        const worth = sum(parts.map((one) => (one.amount * one.units) / one.of))
        expect(sum(shares)).toBe(Math.min(amount, Math.floor(worth + 1e-6)))
        for (const [i, share] of shares.entries()) {
          const { amount: ofLine, units, of } = parts[i]!
          expect(share).toBeLessThanOrEqual(Math.ceil((ofLine * units) / of))
        }
      }),
      { numRuns: 500 },
    )
  })

  test('500 lines of odd quantities take milliseconds', () => {
    const parts = Array.from({ length: 500 }, (_, i) => ({ amount: 1000 + i, units: 500 + i, of: 1009 + 2 * i }))
    let shares: number[] = []
    const milliseconds = cpuTimeOf(() => {
      shares = splitByAmount(4000, parts)
    })
    expect(sum(shares)).toBe(4000)
    expect(milliseconds).toBeLessThan(250) // it was 400 when sums were reduced at each step, and is 10
  })
})

describe('splitByQuantity', () => {
  test.each<[number, number[], number[], number[]]>([
    [1000, [1, 2, 4], [100, 2400, 3600], [100, 300, 600]],
    [1000, [1, 1, 1], [999, 999, 999], [334, 333, 333]], // the odd cent goes to the earlier line
    [1000, [1, 1, 1], [999, 100, 999], [450, 100, 450]],
    [1000, [1, 1, 1], [10, 20, 30], [10, 20, 30]], // no capacity left
    [10, [1, 1, 1], [0, 20, 30], [0, 5, 5]],
    [0, [1, 1], [10, 10], [0, 0]],
    [10, [], [], []],
    [9, [1, 3], [3, 100], [2, 7]], // 2.25 and 6.75
    [100, [1, 1, 2], [20, 30, 100], [20, 27, 53]], // 20; then 80 by 1 : 2 is 26.67 and 53.33
  ])('%d over %j units with capacities %j is %j', (amount, units, room, expected) => {
    expect(splitByQuantity(amount, units, room)).toEqual(expected)
  })

  test('uses up the amount or all capacity, and never exceeds the capacity of a line', () => {
    const line = fc.record({ units: fc.nat(20), room: fc.nat(2000) })
    fc.assert(
      fc.property(fc.nat(10_000), fc.array(line, { maxLength: 12 }), (amount, lines) => {
        const open = lines.map(({ units, room }) => (units === 0 ? 0 : room))
        const shares = splitByQuantity(
          amount,
          lines.map(({ units }) => units),
          lines.map(({ room }) => room),
        )
        expect(sum(shares)).toBe(Math.min(amount, sum(open)))
        for (const [i, share] of shares.entries()) expect(share).toBeLessThanOrEqual(open[i]!)
        // A line with capacity left gets at least as much per unit as any other, up to one cent.
        for (const [i, share] of shares.entries()) {
          if (share === open[i] || lines[i]!.units === 0) continue
          for (const [j, other] of shares.entries()) {
            if (lines[j]!.units === 0) continue
            expect((other - 1) / lines[j]!.units).toBeLessThanOrEqual((share + 1) / lines[i]!.units)
          }
        }
      }),
      { numRuns: 1000 },
    )
  })
})
