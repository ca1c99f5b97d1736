import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { ApiError } from '../core/http/errors.ts'
import { operation } from '../core/http/operation.ts'
import { newProject } from './app.ts'
import { expectAllDeclared } from './conformance.ts'

const Handle = Type.Object({ side: Type.Union([Type.Literal('LEFT'), Type.Literal('RIGHT')]) })
const Mug = Type.Object({
  name: Type.String(),
  size: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  // A union is serialized without a schema, so it could contain anything.
  handle: Type.Union([Handle, Type.String()]),
})

/** What the operation below returns; most of it violates its types. */
let answer: unknown
const answerMug = operation({
  id: 'answerMug',
  method: 'GET',
  path: '/v1/mugs/one',
  summary: 'Answer a mug',
  reply: Mug,
  errors: [],
  run: async () => answer as never,
})
const good = { name: 'Blue', size: 3, handle: { side: 'LEFT' } }

test.each<[string, unknown]>([
  ['every declared property', good],
  ['a declared null', { ...good, size: null }],
  ['the other variant of a union', { ...good, handle: 'none' }],
  ['a declared error', new ApiError('too_many_requests')],
])('a response with %s passes', async (_what, value) => {
  const shop = await newProject({ extra: [answerMug] })
  answer = value
  await shop.call('GET', '/v1/mugs/one')
  expectAllDeclared()
})

test.each<[string, unknown, RegExp]>([
  ['a wrong literal', { ...good, handle: { side: 'TOP' } }, /\/handle\/side/],
  ['a wrong type', { ...good, handle: 5 }, /\/handle/],
  ['a missing property', { ...good, handle: {} }, /\/handle/],
  ['an undeclared property', { ...good, handle: { side: 'LEFT', secret: 1 } }, /\/handle/],
  ['an undeclared error', new ApiError('voucher_expired'), /answerMug does not declare voucher_expired/],
])('a response with %s fails the test that sent the request', async (_what, value, fault) => {
  const shop = await newProject({ extra: [answerMug] })
  answer = value
  const call = shop.call('GET', '/v1/mugs/one')
  await expect(call).rejects.toThrow(/^GET \/v1\/mugs\/one answers \d+: /)
  await expect(call).rejects.toThrow(fault)
  expectAllDeclared()
})

test('an invalid response to a request made without `send` fails too', async () => {
  const shop = await newProject({ extra: [answerMug] })
  answer = { ...good, handle: { side: 'TOP' } }
  await shop.service.app.inject({ url: '/v1/mugs/one', headers: shop.headers })
  expect(expectAllDeclared).toThrow(/\/handle\/side/)
  expectAllDeclared()
})
