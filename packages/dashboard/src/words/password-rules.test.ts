import { expect, test } from 'vitest'
import { rulesOf } from './password-rules.ts'

const met = (password: string) => rulesOf(password, 'ann@shop.example').map(({ isMet }) => isMet)

test('a password and its rules', () => {
  expect(met('')).toEqual([false, false, false])
  expect(met('short and so')).toEqual([true, true, true])
  expect(met('eleven char')).toEqual([false, true, true])
  expect(met('aaaaaaaaaaaaaa')).toEqual([true, false, true])
  expect(met('Ann@Shop.example')).toEqual([true, true, false])
  expect(met('Password2024!')).toEqual([true, true, false])
  expect(met('123456789012')).toEqual([true, true, false])
  expect(met('a lighthouse in Brittany')).toEqual([true, true, true])
})
