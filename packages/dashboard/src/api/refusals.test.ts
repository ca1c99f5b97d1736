import { expect, test } from 'vitest'
import { refusalName, refusalSentence } from './refusals.ts'

test('a refusal is a sentence with the numbers that are known', () => {
  expect(refusalSentence('quantity_exceeded', undefined, { kind: 'code', used: 1, allowed: 1 })).toBe(
    'This code has been used 1 of 1 times.',
  )
  expect(refusalSentence('quantity_exceeded', undefined, { kind: 'promotion' })).toBe(
    'This promotion has been used as often as it may be.',
  )
  expect(refusalSentence('voucher_expired', 'voucher expired', { kind: 'code', endsOn: '1 Jan 2026' })).toBe(
    'This code expired on 1 Jan 2026.',
  )
})

test('a refusal of a later version is said in the words of the service', () => {
  expect(refusalSentence('moon_phase_wrong', 'the moon is full')).toBe('The moon is full.')
  expect(refusalName('moon_phase_wrong')).toBe('Moon phase wrong')
})
