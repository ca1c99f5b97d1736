import { expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { longestStretch } from '../../testing/longest-stretch.ts'
import { isJson } from './is-json.ts'

const pieces = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"a"',
  '"\\u00e9\\n"',
  '"\\x"',
  '1',
  '-0.5e+3',
  '01',
  'true',
  'nul',
  ' ',
  '\n',
  '\u00a0',
]

/** Whether the parser takes it for an object or array. */
function parses(text: string): boolean {
  try {
    return typeof (JSON.parse(text) ?? 0) === 'object'
  } catch {
    return false
  }
}

test('it decides as the parser does', () => {
  let state = 1
  const next = (count: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % count
  }
  const value = (levels: number): string => {
    const kind = levels === 0 ? 2 : next(4)
    const items = Array.from({ length: next(4) }, () => (kind < 2 ? value(levels - 1) : ''))
    if (kind === 0) return `[${items.join(' ,')}]`
    if (kind === 1) return `{${items.map((item) => `"a" :\t${item}`).join(',\n')}}`
    return ['1', '-0.5e+3', 'true', 'null', '"x\\"y\\u00e9"'][next(5)] as string
  }
  let valid = 0
  for (let n = 0; n < 4_000; n += 1) {
    let text = value(4)
    // Every other one with a piece that may not belong there.
    if (n % 2 === 0) {
      const at = next(text.length + 1)
      text = text.slice(0, at) + pieces[next(pieces.length)] + text.slice(at + next(2))
    }
    if (parses(text)) valid += 1
    expect({ text, is_json: isJson(text) }).toEqual({ text, is_json: parses(text) })
  }
  expect(valid).toBeGreaterThan(1_000)
})

test.each([
  '',
  ' ',
  '1',
  '"a"',
  '{"a":"\u0001"}',
  '{"a":1}x',
  '[1,]',
  '{"a":1,}',
  '["',
  '{"a"',
  '[1 2]',
  '[}',
  '{"a":"\\',
  '[-]',
  '[1.]',
])('no object or array: %s', (text) => {
  expect(isJson(text)).toBe(false)
})

test('what is nested too deeply is shown as text', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(isJson(nested(limits.body_nesting_max + 20))).toBe(true)
  expect(isJson(nested(limits.body_nesting_max + 21))).toBe(false)
  expect(isJson(nested(30_000))).toBe(false)
})

test.each([
  ['many objects', `[${'{},'.repeat(21_000)}{}]`],
  ['escapes', `["${'\\n'.repeat(32_000)}"]`],
  ['digits', `[${'1'.repeat(65_000)}x]`],
  ['spaces', `[${' '.repeat(65_000)}x]`],
])('the time is proportional to the length: %s', async (_, text) => {
  const { milliseconds } = await longestStretch(async () => isJson(text))
  expect(milliseconds).toBeLessThan(500) // some 2 ms
})
