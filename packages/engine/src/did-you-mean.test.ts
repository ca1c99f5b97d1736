import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { didYouMean, nearestWord } from './did-you-mean.ts'
import { cpuTimeOf } from './testing/cpu-time.ts'

const fields = ['validation_rules', 'expiration_date', 'start_date', 'redemption', 'metadata', 'code', 'type']

describe('the nearest known word', () => {
  test.each([
    ['validation_rule_id', 'validation_rules'],
    ['validationRules', 'validation_rules'],
    ['expirationDate', 'expiration_date'],
    ['expiraton_date', 'expiration_date'],
    ['expiration-dates', 'expiration_date'],
    ['STARTDATE', 'start_date'],
    ['redemptoin', 'redemption'],
    ['cod', 'code'],
    ['tpye', 'type'],
  ])('of %s is %s', (word, nearest) => {
    expect(nearestWord(word, fields)).toBe(nearest)
  })

  test.each([['weather'], ['x'], [''], ['…'], ['metamorphosis'], ['code'.repeat(100)]])(
    'of %j does not exist',
    (word) => {
      expect(nearestWord(word, fields)).toBeNull()
      expect(didYouMean(word, fields)).toBe('')
    },
  )

  test('is the one with the fewest differences, and of equals the first', () => {
    expect(nearestWord('order.amont', ['order.account', 'order.amount', 'order.amounts'])).toBe('order.amount')
    expect(nearestWord('gain', ['main', 'rain'])).toBe('main')
  })

  test('is never the word itself, but may differ from it in case', () => {
    expect(nearestWord('MIN', ['MIN'])).toBeNull()
    expect(nearestWord('min', ['MAX', 'MIN'])).toBe('MIN')
  })

  test('is found after any one mistake in a long word', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
    const word = fc.array(letter, { minLength: 8, maxLength: 30 }).map((letters) => letters.join(''))
    fc.assert(
      fc.property(
        word,
        fc.nat(),
        letter,
        fc.constantFrom('insert', 'omit', 'replace', 'swap'),
        (known, at, other, how) => {
          const index = at % (known.length - 1)
          const [before, first, second, after] = [
            known.slice(0, index),
            known[index],
            known[index + 1],
            known.slice(index + 2),
          ]
          const changed = {
            insert: `${before}${other}${first}${second}${after}`,
            omit: `${before}${second}${after}`,
            replace: `${before}${other}${second}${after}`,
            swap: `${before}${second}${first}${after}`,
          }[how]
          fc.pre(changed !== known)
          expect(nearestWord(changed, ['0'.repeat(40), known])).toBe(known)
        },
      ),
    )
  })

  test('costs little, also among many long words that almost match', () => {
    const known = Array.from({ length: 200 }, (_, index) => `${'ab'.repeat(35)}${index}zzzz`)
    const unknown = Array.from({ length: 50 }, (_, index) => `${'ab'.repeat(35)}x${index}`)
    expect(cpuTimeOf(() => unknown.map((word) => nearestWord(word, known)))).toBeLessThan(250)
  })
})

test('a suggestion is a sentence that follows the message', () => {
  expect(`Rule 'order.amuont' is not a known rule${didYouMean('order.amuont', ['order.amount'])}`).toBe(
    "Rule 'order.amuont' is not a known rule. Did you mean 'order.amount'?",
  )
})
