import { expect, test } from 'vitest'
import { failed, isShown, readOutput, refused } from './output.ts'

test.each([
  { shown: '1700', printed: '1700\n', is: true },
  { shown: '1700', printed: '1701', is: false },
  { shown: '1700', printed: '1700\n1700', is: false },
  { shown: 'a  b', printed: 'a\nb', is: true },
  { shown: 'ab', printed: 'a b', is: false },
  { shown: 'total … 5', printed: 'total 1 2 3 5', is: true },
  { shown: 'total …', printed: 'sum 1', is: false },
  { shown: '… b … a', printed: 'x a b a', is: true },
  { shown: '… b … a', printed: 'x a b', is: false },
  { shown: 'aba … ba', printed: 'aba', is: false },
  { shown: 'v_0VbCWtQn1234 r_0VbCWtQn1234', printed: 'v_1VbKXTUTlhF9QdXR r_0VbKXTUTlhF9QdXR', is: true },
  { shown: 'v_0VbCWtQn1234', printed: 'r_0VbCWtQn1234', is: false },
  { shown: 'quantity_exceeded', printed: 'voucher_expired', is: false },
  { shown: '2026-11-18T13:15:23.158Z', printed: '2027-01-01T00:00:00Z', is: true },
  { shown: 'v-1a1eecbeec1379d757', printed: 'v-1a1eed10d322541c5f', is: true },
])('a page that shows "$shown" is right about "$printed": $is', ({ shown, printed, is }) => {
  expect(isShown(shown, printed, 'text')).toBe(is)
})

test('white space does not matter in JSON', () => {
  expect(isShown('{\n  "a": [1, 2]\n}', '{"a":[1,2]}', 'json')).toBe(true)
  expect(isShown('{\n  "a": [1, 2]\n}', '{"a":[12]}', 'json')).toBe(false)
})

test('commands that failed, and refusals that the page does not show, are faults and no output', () => {
  const output = `one\n${failed}curl -f\n${refused}not_found\n${refused}voucher_expired\ntwo\n`
  expect(readOutput(output, 'voucher_expired')).toEqual({
    printed: 'one\ntwo\n',
    faults: ['a command failed: curl -f', 'a call was answered with not_found, which the page does not show'],
  })
})

test('an error that a shell printed is a refusal, the reason of a redeemable is not', () => {
  const error = '{"code":404,"key":"not_found","message":"Resource not found"}'
  expect(readOutput(`{"id":"v_1"}${error}`, '').faults).toHaveLength(1)
  expect(readOutput(error, '"key":"not_found"').faults).toEqual([])
  expect(readOutput(`{"valid":false,"redeemables":[{"result":{"error":${error}}}]}`, '').faults).toEqual([])
})
