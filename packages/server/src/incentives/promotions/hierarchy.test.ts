import { expect, test } from 'vitest'
import { moveToPlace } from './hierarchy.ts'

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

test.each(cases)('%s after moving %s to place %s becomes %s', (order, moved, place, after) => {
  expect(moveToPlace([...order], moved, place).join('')).toBe(after)
})
