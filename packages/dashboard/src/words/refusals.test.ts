import { expect, test } from 'vitest'
import { newFormat } from '../ui/format.tsx'
import { refusalKeys, refusalName, refusalSentence, refusedCode } from './refusals.ts'

const format = newFormat('EUR', 'UTC')
const code = {
  start_date: null,
  expiration_date: null,
  redemption: { quantity: 1000, redeemed_quantity: 1000, object: 'list' as const, url: '' },
}
const sentenceFor = (key: string, change: object = {}) =>
  refusalSentence({ key }, refusedCode({ ...code, ...change }, format))

test('every refusal has a name for a list and a sentence, and neither shows its key', () => {
  for (const key of refusalKeys()) {
    expect(refusalName(key)).toMatch(/^[A-Z][^._]*$/)
    expect(refusalSentence({ key, message: 'words of the service' })).toMatch(/^[A-Z][^_]+\.$/)
    expect(refusalSentence({ key, message: 'words of the service' })).not.toMatch(/words of the service/i)
  }
})

test('a refusal is a sentence with the numbers and dates of the code', () => {
  expect(sentenceFor('quantity_exceeded')).toBe('This code has been used 1,000 of 1,000 times.')
  expect(sentenceFor('voucher_expired', { expiration_date: '2026-01-01T00:00:00Z' })).toBe(
    'This code expired on 1 Jan 2026, 00:00.',
  )
  expect(sentenceFor('voucher_not_active', { start_date: '2026-01-01T00:00:00Z' })).toBe(
    'This code is valid from 1 Jan 2026, 00:00.',
  )
  expect(refusalSentence({ key: 'gift_amount_exceeded' }, { balance: '€5.00' })).toBe(
    'The gift card holds €5.00, less than was asked for.',
  )
})

test('without numbers and dates, or with numbers that have changed since, it says the kind of refusal', () => {
  expect(refusalSentence({ key: 'voucher_expired' })).toBe('This code had expired.')
  expect(refusalSentence({ key: 'quantity_exceeded' })).toBe('It had been used as often as it may be.')
  expect(sentenceFor('quantity_exceeded', { redemption: { ...code.redemption, redeemed_quantity: 999 } })).toBe(
    'It had been used as often as it may be.',
  )
})

test('what is missing is the code, or something else where the code is known', () => {
  expect(refusalSentence({ key: 'not_found' })).toBe('There is no such code.')
  expect(sentenceFor('not_found')).toBe('Something that was sent with it, or that it refers to, does not exist.')
})

test('a refusal of a later version is said in the words of the service', () => {
  expect(refusalSentence({ key: 'moon_phase_wrong', message: 'the moon is full' })).toBe('The moon is full.')
  expect(refusalSentence({ key: 'moon_phase_wrong' })).toBe('Moon phase wrong.')
  expect(refusalSentence({})).toBe('No reason was given.')
  expect(refusalName('moon_phase_wrong')).toBe('Moon phase wrong')
})
