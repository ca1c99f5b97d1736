import { expect, test } from 'vitest'
import { shapeOf } from './shape.ts'

const form = (type: string, name: string) => ({
  type: 'object',
  required: ['type', name],
  properties: { type: { const: type }, [name]: { type: 'integer' } },
})

test('a union is told apart by the property that has a word of its own in every form', () => {
  const shape = shapeOf({ anyOf: [form('AMOUNT', 'amount_off'), form('PERCENT', 'percent_off')] }, 'discount', {})
  expect(shape.choice).toMatchObject({
    tag: 'type',
    forms: [
      { label: 'AMOUNT', path: 'discount(AMOUNT)' },
      { label: 'PERCENT', path: 'discount(PERCENT)' },
    ],
  })
})

test('without such a property a form is named by its schema, or by what only it wants', () => {
  const named = { Order: { type: 'object', properties: { amount: { type: 'integer' } } } }
  const byId = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
  const { choice } = shapeOf({ anyOf: [{ $ref: '#/components/schemas/Order' }, byId] }, '', named)
  expect(choice?.tag).toBeNull()
  expect(choice?.forms.map(({ label }) => label)).toEqual(['Order', 'with id'])
})

test('lists, maps and what may be null are looked through', () => {
  const item = { type: 'object', properties: { price: { type: 'integer' } } }
  const nullable = { anyOf: [{ type: 'array', items: item }, { type: 'null' }] }
  expect(shapeOf(nullable, 'items', {}).properties).toMatchObject([{ path: 'items[].price' }])
  expect(shapeOf({ additionalProperties: item }, 'tiers', {}).properties).toMatchObject([{ path: 'tiers.*.price' }])
})

test('where a map has known properties too, its other properties come last', () => {
  const rule = { $ref: '#/components/schemas/Rule' }
  const tree = { properties: { logic: { type: 'string' } }, additionalProperties: rule }
  expect(shapeOf(tree, 'rules', {}).properties).toMatchObject([
    { name: 'logic', path: 'rules.logic' },
    { name: '*', path: 'rules.*', schema: rule, isRequired: false },
  ])
})
