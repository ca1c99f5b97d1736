import { expect, test } from 'vitest'
import { operations } from '../../operations.ts'
import { faultInExample } from '../../testing/examples/faults.ts'
import { readExamples, successOf } from './examples.ts'

const examples = readExamples()

test('every operation has an example of a call and its answer (npm run examples records them)', () => {
  const missing = operations.filter(({ id }) => successOf(examples[id] ?? {})?.request === undefined)
  expect(missing.map(({ id }) => id)).toEqual([])
})

test('every example fits the schemas of its operation', () => {
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  const faults = Object.entries(examples).flatMap(([id, replies]) =>
    Object.entries(replies).flatMap(([status, example]) => {
      const operation = byId.get(id)
      const fault =
        operation === undefined ? 'there is no such operation' : faultInExample(operation, Number(status), example)
      return fault === null ? [] : [`${id} ${status}: ${fault}`]
    }),
  )
  expect(faults).toEqual([])
})
