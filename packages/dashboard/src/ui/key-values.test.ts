import { expect, test } from 'vitest'
import { keyAndValue } from './filter.tsx'
import { rowsOf, valuesOf } from './key-value-editor.tsx'
import { valueText } from './key-values.tsx'

test('values survive the editor with their types', () => {
  const values = { text: 'plain', digits: '42', number: 42, yes: true, none: null, list: ['a', 1], inner: { a: 'b' } }
  expect(valuesOf(rowsOf(values))).toEqual(values)
  expect(rowsOf(values).slice(0, 3)).toEqual([
    { key: 'text', text: 'plain' },
    { key: 'digits', text: '"42"' },
    { key: 'number', text: '42' },
  ])
})

test('rows without a key are left out', () => {
  expect(valuesOf([{ key: ' ', text: 'x' }])).toEqual({})
})

test.each([
  ['a = b', { key: 'a', value: 'b' }],
  ['a:b=c', { key: 'a', value: 'b=c' }],
  ['a=', undefined],
  ['=b', undefined],
  ['a', undefined],
  [undefined, undefined],
])('%j is read as a key and a value', (text, found) => {
  expect(keyAndValue(text)).toEqual(found)
})

test.each([
  [true, 'yes'],
  [['green', 'blue'], 'green, blue'],
  [{ frequency: 'weekly', on: false }, 'frequency: weekly, on: no'],
  [null, '–'],
  [0, '0'],
])('%j is written %s', (value, text) => {
  expect(valueText(value)).toBe(text)
})
