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
  // One of two shapes: written as it is, so that anything could be in it.
  handle: Type.Union([Handle, Type.String()]),
})

/** What the operation below answers; the types would not allow most of it. */
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
  ['everything', good],
  ['a null that is declared', { ...good, size: null }],
  ['the other shape', { ...good, handle: 'none' }],
  ['a refusal that is declared', new ApiError('too_many_requests')],
])('an answer with %s passes', async (_what, given) => {
  const shop = await newProject({ extra: [answerMug] })
  answer = given
  await shop.call('GET', '/v1/mugs/one')
  expectAllDeclared()
})

test.each<[string, unknown, RegExp]>([
  ['a wrong word', { ...good, handle: { side: 'TOP' } }, /\/handle\/side/],
  ['a wrong type', { ...good, handle: 5 }, /\/handle/],
  ['a missing property', { ...good, handle: {} }, /\/handle/],
  ['an undeclared property', { ...good, handle: { side: 'LEFT', secret: 1 } }, /\/handle/],
  ['a refusal that is not declared', new ApiError('voucher_expired'), /answerMug does not declare voucher_expired/],
])('an answer with %s fails the test that asked for it', async (_what, given, fault) => {
  const shop = await newProject({ extra: [answerMug] })
  answer = given
  const call = shop.call('GET', '/v1/mugs/one')
  await expect(call).rejects.toThrow(/^GET \/v1\/mugs\/one answers \d+: /)
  await expect(call).rejects.toThrow(fault)
  expectAllDeclared()
})

test('an answer that nobody asked for with `send` fails too', async () => {
  const shop = await newProject({ extra: [answerMug] })
  answer = { ...good, handle: { side: 'TOP' } }
  await shop.service.app.inject({ url: '/v1/mugs/one', headers: shop.headers })
  expect(expectAllDeclared).toThrow(/\/handle\/side/)
  expectAllDeclared()
})
