import { expect, test } from 'vitest'
import { placed } from './hierarchy.ts'

const cases: Array<[order: string, moved: string, place: number | undefined, after: string]> = [
  ['ABCD', 'D', 2, 'ADBC'],
  ['ABCD', 'A', 3, 'BCAD'],
  ['ABCD', 'B', 2, 'ABCD'],
  ['DBC', 'B', 9, 'DCB'],
  ['ABC', 'C', 0, 'CAB'],
  ['ABC', 'C', -7, 'CAB'],
  ['ABC', 'E', undefined, 'ABCE'],
  ['ABC', 'E', 1, 'EABC'],
  ['ABC', 'E', 4, 'ABCE'],
  ['ABC', 'E', 2 ** 53, 'ABCE'],
  ['ABC', 'A', undefined, 'BCA'],
  ['', 'E', undefined, 'E'],
  ['', 'E', 5, 'E'],
]

test.each(cases)('%s, with %s at place %s, is %s', (order, moved, place, after) => {
  expect(placed([...order], moved, place).join('')).toBe(after)
})
