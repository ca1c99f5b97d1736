import { expect, test } from 'vitest'
import { durationText, kindOf, stateOf } from './async-actions.ts'

test('async actions in words', () => {
  expect(kindOf('VOUCHERS.IMPORT_CSV')).toBe('Import codes from a file')
  expect(stateOf({ status: 'DONE', operation_status: 'FAILED' }).text).toBe('Done, with errors')
  expect([120, 1200, 200_000, 7_260_000].map(durationText)).toEqual(['120 ms', '1.2 s', '3 min 20 s', '2 h 1 min'])
})
