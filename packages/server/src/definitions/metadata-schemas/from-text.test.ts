import { expect, test } from 'vitest'
import type { Definition } from './definition.ts'
import { valueFromText } from './from-text.ts'

test.each<[type: Definition['type'], text: string, value: unknown]>([
  ['string', ' 5 ', ' 5 '],
  ['string', '', ''],
  ['number', ' -1.50 ', -1.5],
  ['number', '1e3', 1000],
  ['number', '', null],
  ['number', '1,5', '1,5'],
  ['number', 'five', 'five'],
  ['number', 'null', 'null'],
  ['number', '0x10', '0x10'],
  ['boolean', 'true', true],
  ['boolean', 'False', false],
  ['boolean', 'null', null],
  ['boolean', '', null],
  ['boolean', 'yes', 'yes'],
  ['boolean', '1', '1'],
  ['date', '2025-02-26', '2025-02-26'],
  ['date', '2025-02-26T10:00:00Z', '2025-02-26'],
  ['date', '26.02.2025', '26.02.2025'],
  ['date', '', null],
  ['datetime', '2025-02-26T10:00+01:00', '2025-02-26T09:00:00.000Z'],
  ['datetime', '2025-02-26', '2025-02-26T00:00:00.000Z'],
  ['datetime', 'soon', 'soon'],
  ['image_url', ' https://shop.test/a.png ', 'https://shop.test/a.png'],
  ['geopoint', 'geo:1,2', 'geo:1,2'],
  ['geopoint', ' ', null],
  ['object', '{"a": 1}', '{"a": 1}'],
])('converts a cell of type %s: %j', (type, text, value) => {
  expect(valueFromText({ type, array: false }, text)).toEqual(value)
})

test.each<[type: Definition['type'], text: string, value: unknown]>([
  ['string', 'a, b,c d', ['a', 'b', 'c d']],
  ['string', 'a', ['a']],
  ['string', ' ', []],
  ['number', '1, 2.5,x', [1, 2.5, 'x']],
  ['boolean', 'true,false', [true, false]],
  ['date', '2025-02-26, 2025-02-27', ['2025-02-26', '2025-02-27']],
])('converts a cell with an array of %s: %j', (type, text, value) => {
  expect(valueFromText({ type, array: true }, text)).toEqual(value)
})
