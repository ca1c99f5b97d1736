import { expect, test } from 'vitest'
import { newFormat } from '../ui/format.tsx'
import { wayToNext } from './tiers.ts'

const format = newFormat('EUR', 'UTC')
const bronze = { id: 'b', name: 'Bronze', points: { from: 0, to: 499 } }
const silver = { id: 's', name: 'Silver', points: { from: 500, to: 1499 } }
const gold = { id: 'g', name: 'Gold', points: { from: 1500 } }
const tiers = [gold, bronze, silver]

test.each([
  [bronze, 250, { words: '250 points more to Silver', share: 0.5 }],
  [silver, 1499, { words: '1 point more to Gold', share: 0.999 }],
  [gold, 9000, { words: 'The highest tier', share: 1 }],
  [undefined, 0, { words: 'Bronze is reached with the next change of the points', share: 1 }],
])('%j with %i points', (current, balance, way) => {
  expect(wayToNext(tiers, current, balance, undefined, format)).toEqual(way)
})

test('points of a period are the goal alone', () => {
  const settings = {
    qualification_type: 'POINTS_IN_PERIOD' as const,
    qualification_period: 'YEAR' as const,
    start_date: { type: 'IMMEDIATE' as const },
    expiration_date: { type: 'END_OF_PERIOD' as const },
  }
  expect(wayToNext(tiers, silver, 0, settings, format)).toEqual({
    words: 'Gold takes 1,500 points collected within a year',
  })
})

test('a program without tiers has no way', () => {
  expect(wayToNext([], undefined, 10, undefined, format)).toBeUndefined()
})
