import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { documentOf } from '../../document.ts'
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

test('every example fits what the document shows, also where the service checks elsewhere', () => {
  const document = documentOf(operations)
  // The checks want the names of schemas as references.
  const named = <T>(schema: T): T => JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"'))
  const schemas = named(document.components.schemas) as Record<string, TSchema>
  const fits = (schema: object | undefined, value: unknown): boolean =>
    schema === undefined || Check(schemas, named(schema) as TSchema, value)
  const faults = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, requestBody, responses }) =>
      Object.entries(examples[operationId] ?? {}).flatMap(([status, { request, reply }]) => {
        const response = responses[status]
        const ofReply = response !== undefined && 'content' in response ? response.content : undefined
        const body = request?.body === undefined ? undefined : requestBody?.content['application/json']?.schema
        return [
          ...(fits(body, request?.body) ? [] : [`${operationId} ${status}: the request`]),
          ...(fits(reply.body === undefined ? undefined : ofReply?.['application/json']?.schema, reply.body)
            ? []
            : [`${operationId} ${status}: the reply`]),
        ]
      }),
    )
  expect(faults).toEqual([])
})
