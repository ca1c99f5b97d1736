import { expect, test } from 'vitest'
import { attacksOn, type Expression, expressionsIn } from './testing/regular-expressions.ts'
import { scaled } from './testing/scale.ts'
import { sourceTexts } from './testing/sources.ts'

/*
 * A matcher backtracks: an expression with two ways to read the same characters takes quadratic time or worse, and one request
 * with a long text stops the process. Expressions are found in the source, so a new one is tested without being listed.
 */

/** What ships, and the examples: benches, scripts and generators read our own files only. */
const readsForeignText = /^(?:packages\/\w+\/src|examples)\//

const found = [...sourceTexts()]
  .filter(([path]) => readsForeignText.test(path))
  .flatMap(([path, text]) => expressionsIn(path, text))

/** Each once, however often it is written. */
const expressions = [...Map.groupBy(found, ({ source, flags }) => `/${source}/${flags}`)].map(([written, places]) => ({
  ...(places[0] as Expression),
  where: `${places.map(({ where }) => where).join(', ')} ${written}`,
}))

const longest = scaled(20_000, 5_000)

/**
 * CPU time for the worst text: 100 ms at 20,000 characters. A linear expression takes a few milliseconds at most, a quadratic one half a
 * second, and both at fewer characters as much less as quadratic time allows.
 */
const millisecondsMax = 100 * (longest / 20_000) ** 2

/** Growing, so that even an exponential expression gives an answer. */
const sizes = [25, 400, longest / 8, longest]

test('the search finds literals, arguments of RegExp and patterns of schemas', () => {
  expect(found.length).toBeGreaterThan(100)
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
  String.raw`^[^\s()]+[^\s()]+$`,
  '[^/]+$',
  String.raw`^(?:\w+\s?)*$`,
  '^.*=.*=.*;$',
])('the test itself finds a text on which %s is slow', (source) => {
  expect(slowestOn({ where: '', source, flags: '' })).toMatch(/^\d+ ms for ".+"$/s)
})

/** The first text that takes too long. */
function slowestOn(expression: Expression): string {
  for (const size of sizes)
    for (const text of attacksOn(expression, size)) {
      let milliseconds = timeOf(expression, text)
      // On a busy machine a first try may be slow.
      for (let again = 0; again < 2 && milliseconds > millisecondsMax && milliseconds < 250; again += 1)
        milliseconds = Math.min(milliseconds, timeOf(expression, text))
      if (milliseconds > millisecondsMax)
        return `${Math.round(milliseconds)} ms for ${JSON.stringify(text.slice(0, 20) + text.slice(-20))}`
    }
  return 'no text'
}

/** The CPU time to find all matches, in milliseconds. */
function timeOf({ source, flags }: Expression, text: string): number {
  const expression = new RegExp(source, flags.includes('g') ? flags : `${flags}g`)
  const before = process.threadCpuUsage()
  text.replace(expression, '')
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
