import { expect, test } from 'vitest'
import { listQuery } from './list-query.ts'

test('days of the address are days of the project, both included', () => {
  expect(listQuery({ from: '2026-03-28', to: '2026-03-29' }, 'Europe/Berlin')).toEqual({
    created_at: { after: '2026-03-27T22:59:59.999Z', before: '2026-03-29T22:00:00.000Z' },
  })
})

test('a campaign is meant by its id or by its name', () => {
  expect(listQuery({ campaign: 'camp_1' }, 'UTC')).toEqual({
    filters: { related_object_parent_id: { conditions: { $is: ['camp_1'] } } },
  })
  expect(listQuery({ campaign: 'Summer sale' }, 'UTC')).toEqual({ campaign: 'Summer sale' })
})

test('redeemed means redemptions that succeeded, not rollbacks that did', () => {
  expect(listQuery({ result: 'success', code: ' A1 ' }, 'UTC')).toEqual({
    result: ['SUCCESS'],
    filters: { voucher_code: { conditions: { $is: ['A1'] } }, object: { conditions: { $is: ['redemption'] } } },
  })
  expect(listQuery({ result: 'rollback' }, 'UTC')).toEqual({
    filters: { object: { conditions: { $is: ['redemption_rollback'] } } },
  })
})
