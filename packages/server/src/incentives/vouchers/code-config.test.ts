import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../core/http/errors.ts'
import {
  capacityOf,
  codeSource,
  enumerateCodes,
  keyPattern,
  randomBelow,
  readCodeConfig,
  whyNotCode,
} from './code-config.ts'

const project = { case_sensitive_codes: true, default_code_config: null }
const folding = { case_sensitive_codes: false, default_code_config: null }
const every = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

describe('reading a code configuration', () => {
  test('a pattern with prefix and postfix produces the one possible code', () => {
    const config = readCodeConfig({ prefix: 'EU-', pattern: 'A##-#', postfix: '-Z', charset: '7' }, project)
    expect(config).toEqual({ length: 3, charset: '7', pattern: 'A##-#', prefix: 'EU-', postfix: '-Z' })
    expect(codeSource(config)()).toBe('EU-A77-7-Z')
  })

  test('the default is eight characters out of 62', () => {
    expect(readCodeConfig(undefined, project)).toEqual({ length: 8, charset: every, pattern: '########' })
    expect(readCodeConfig({}, { ...project, default_code_config: { charset: 'XYZ' } })).toMatchObject({
      charset: 'XYZ',
    })
    expect(readCodeConfig({ charset: 'AB' }, { ...project, default_code_config: { charset: 'XYZ' } })).toMatchObject({
      charset: 'AB',
    })
  })

  test('a # in the prefix is a literal character', () => {
    expect(codeSource(readCodeConfig({ prefix: '#1-', length: 1, charset: 'a' }, project))()).toBe('#1-a')
  })

  test('initial_count is ignored, and pattern takes precedence over length', () => {
    expect(readCodeConfig({ initial_count: 5, length: 3, pattern: '#-#', charset: 'a' }, project)).toEqual({
      length: 2,
      charset: 'a',
      pattern: '#-#',
    })
  })

  test.each<[sent: object, details: RegExp]>([
    [{ length: 0 }, /length/],
    [{ length: 1.5 }, /length/],
    [{ length: '8' }, /length/],
    [{ length: 256 }, /length/],
    [{ charset: '' }, /charset/],
    [{ charset: 5 }, /charset/],
    [{ charset: 'a b' }, /charset/],
    [{ charset: 'a\u0007' }, /charset/],
    [{ pattern: '' }, /at least one character/],
    [{ pattern: 7 }, /pattern/],
    [{ prefix: ' x' }, /white space/],
    [{ pattern: '##\u0001' }, /control/],
    [{ prefix: 'p'.repeat(250) }, /255/],
    [{ prefix: 'p'.repeat(10_000_000) }, /1000/],
    [{ pattern: '#'.repeat(10_000_000) }, /1000/],
    [{ charset: Array.from({ length: 257 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('') }, /256/],
  ])('%o is refused', (sent, details) => {
    const refused = () => readCodeConfig(sent, project)
    expect(refused).toThrow(ApiError)
    expect(refused).toThrow(details)
  })
})

test('the capacity counts each character once, and without case sensitivity each letter once', () => {
  expect(capacityOf(readCodeConfig({ charset: 'ABC', pattern: '##-#' }, project), project)).toBe(27n)
  expect(capacityOf(readCodeConfig({ charset: 'aAbBcC', length: 2 }, project), project)).toBe(36n)
  expect(capacityOf(readCodeConfig({ charset: 'aAbBcC', length: 2 }, folding), folding)).toBe(9n)
  expect(capacityOf(readCodeConfig({ charset: 'AAA', length: 5 }, project), project)).toBe(1n)
  expect(capacityOf(readCodeConfig({ pattern: 'FIXED' }, project), project)).toBe(1n)
})

test('enumeration yields every possible code once, and all match the key pattern', () => {
  for (const place of [project, folding]) {
    const config = readCodeConfig({ charset: 'aB7.', pattern: '#(#', prefix: 'x+', postfix: '$' }, place)
    const codeAt = enumerateCodes(config, place)
    const all = Array.from({ length: Number(capacityOf(config, place)) }, (_, n) => codeAt(n))
    expect(new Set(all).size).toBe(16)
    const { prefix, pattern } = keyPattern(config, place)
    for (const code of all) {
      const key = place.case_sensitive_codes ? code : code.toLowerCase()
      expect(key.startsWith(prefix)).toBe(true)
      expect(key).toMatch(new RegExp(pattern))
    }
    expect('xxa(a$').not.toMatch(new RegExp(pattern))
  }
})

test('a random code is always one of the possible codes', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[!-~]{1,20}$/),
      fc.stringMatching(/^[#A-Z-]{1,12}$/),
      fc.boolean(),
      (charset, pattern, caseSensitiveCodes) => {
        const place = { case_sensitive_codes: caseSensitiveCodes, default_code_config: null }
        const config = readCodeConfig({ charset, pattern }, place)
        const code = codeSource(config)()
        expect(code).toHaveLength(pattern.length)
        const key = caseSensitiveCodes ? code : code.toLowerCase()
        expect(key).toMatch(new RegExp(keyPattern(config, place).pattern))
      },
    ),
  )
})

test('every character is equally frequent', () => {
  const draw = codeSource(readCodeConfig({ charset: 'ABCDEFGHIJK', length: 1 }, project))
  const counts = new Map<string, number>()
  for (let n = 0; n < 110_000; n++) {
    const code = draw()
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  expect(counts.size).toBe(11)
  // About ten thousand each: 6 standard deviations are 570.
  for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(600)
})

test('random numbers have no modulo bias when the limit does not divide 2^32', () => {
  const limit = 3 * 2 ** 30 // without rejection, the first third would be twice as frequent as the others
  let first = 0
  for (let n = 0; n < 30_000; n++) if (randomBelow(limit) < 2 ** 30) first++
  expect(Math.abs(first - 10_000)).toBeLessThan(500)
})

test.each<[code: string, why: RegExp | null]>([
  ['A', null],
  ['Ab/1', null],
  ['Grüße 🎁', null],
  ['x'.repeat(255), null],
  ['🎁'.repeat(255), null],
  ['x'.repeat(256), /255/],
  ['', /at least/],
  ['a\nb', /control/],
  ['a\u007fb', /control/],
])('%j as a code', (code, why) => {
  if (why === null) expect(whyNotCode(code)).toBeNull()
  else expect(whyNotCode(code)).toMatch(why)
})
