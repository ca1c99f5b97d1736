import { expect, test } from 'vitest'
import { waitText } from './wait.ts'

test('how long to wait', () => {
  expect([1, 42, 99.2, 100, 600, 7200].map(waitText)).toEqual([
    'in a second',
    'in 42 seconds',
    'in 100 seconds',
    'in 2 minutes',
    'in 10 minutes',
    'in 2 hours',
  ])
})
