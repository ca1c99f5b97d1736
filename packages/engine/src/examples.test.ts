import { expect, test } from 'vitest'
import { evaluate } from './index.ts'
import { examples } from './testing/examples.ts'

test.each(examples)('example $number of docs/reference: $about', ({ facts, expected }) => {
  const verdict = evaluate(facts)
  expect(verdict).toMatchObject(expected as object)
  expect('order' in verdict).toBe(verdict.valid)
})

test('all 49 examples are covered', () => {
  const numbers = new Set(examples.map(({ number }) => Number.parseInt(number, 10)))
  expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 49 }, (_, i) => i + 1))
})
