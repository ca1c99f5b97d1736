import { expect, test } from 'vitest'
import { isInTheClear } from './in-the-clear.ts'

test.each<[string, boolean]>([
  ['http://guerdon.example', true],
  ['http://10.0.0.1:8080/', true],
  ['http://127.example', true],
  ['http://localhost.example', true],
  ['https://guerdon.example', false],
  ['http://localhost:8080', false],
  ['http://shop.localhost', false],
  ['http://127.0.0.2', false],
  ['http://[::1]:8080', false],
])('%s is in the clear: %s', (address, expected) => {
  expect(isInTheClear(address)).toBe(expected)
})
