import { expect, test } from 'vitest'
import { attacksOn, type Expression, expressionsIn } from './testing/regular-expressions.ts'
import { sourceTexts } from './testing/sources.ts'

/*
 * A matcher backtracks: an expression with two ways to read the same characters takes quadratic time or worse, and one request
 * with a long text stops the process. Expressions are found in the source, so a new one is tested without being listed.
 */

const expressions = [...sourceTexts()].flatMap(([path, text]) => expressionsIn(path, text))

/** CPU time for the worst text of 100 kB. A linear expression takes a few milliseconds at most, a quadratic one seconds. */
const millisecondsMax = 40

test('the search finds literals, arguments of RegExp and patterns of schemas', () => {
  expect(expressions.length).toBeGreaterThan(100)
  const text =
    'const a: number = b / 2 / c; const f = /x\\/y+/gi; new RegExp("^" + a + "-$", "u"); S({ pattern: \'^\\\\d$\' })'
  expect(expressionsIn('a.ts', text).map(({ source, flags }) => `/${source}/${flags}`)).toEqual([
    '/x\\/y+/gi',
    '/^x-$/u',
    '/^\\d$/u',
  ])
})

test.each(expressions)('$where takes time linear in the length of the text', (expression) => {
  expect(slowestOn(expression)).toBe('no text')
})

test.each([
  String.raw`\s*;\s*`,
  String.raw`^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$`,
  String.raw`\d{3000}`,
  String.raw`([A-Z_]+)_METADATA\s*\(`,
  String.raw`\/+$`,
  '^(a+)+$',
  String.raw`^(?:\w+\s?)*$`,
  '^.*=.*=.*;$',
])('the test itself finds a text on which %s is slow', (source) => {
  expect(slowestOn({ where: '', source, flags: '' })).toMatch(/^\d+ ms for ".+"$/s)
})

/** The first text that takes too long, tried with growing sizes, so that even an exponential expression gives an answer. */
function slowestOn(expression: Expression): string {
  for (const size of [25, 400, 2_000, 10_000, 100_000])
    for (const text of attacksOn(expression, size)) {
      const milliseconds = timeOf(expression, text)
      if (milliseconds > millisecondsMax && timeOf(expression, text) > millisecondsMax)
        return `${Math.round(milliseconds)} ms for ${JSON.stringify(text.slice(0, 20) + text.slice(-20))}`
    }
  return 'no text'
}

/** The CPU time to find all matches, in milliseconds. */
function timeOf({ source, flags }: Expression, text: string): number {
  const expression = new RegExp(source, flags.includes('g') ? flags : `${flags}g`)
  const before = process.cpuUsage()
  text.replace(expression, '')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
