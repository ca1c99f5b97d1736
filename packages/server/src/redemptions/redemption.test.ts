import { expect, test } from 'vitest'
import { type StoredRedemption, toRedemption, toRollback, toSimpleRedemption } from './redemption.ts'

const row: StoredRedemption = {
  project_id: 'proj_1',
  id: 'r_1',
  object: 'redemption',
  result: 'SUCCESS',
  status: 'SUCCEEDED',
  related_object_type: 'redemption',
  related_object_id: 'r_1',
  campaign_id: null,
  stack_id: null,
  voucher_code: null,
  parent_id: null,
  redemption_id: null,
  customer_id: null,
  tracking_id: null,
  order_id: null,
  amount: null,
  metadata: null,
  session_key: null,
  channel_type: 'API',
  channel_id: 'app',
  failure_code: null,
  failure_message: null,
  reason: null,
  reward: null,
  order: null,
  undo: { goods: ['prod_1'] },
  rollback: null,
  created_at: '2026-01-01T00:00:00.000Z',
}
const noParts = { customer: null, voucher: null, promotion_tier: null }

const always = {
  id: 'r_1',
  object: 'redemption',
  date: row.created_at,
  customer_id: null,
  tracking_id: null,
  metadata: null,
  result: 'SUCCESS',
  status: 'SUCCEEDED',
  order: null,
  channel: { channel_id: 'app', channel_type: 'API' },
  customer: null,
  related_object_type: 'redemption',
  related_object_id: 'r_1',
  voucher: null,
}

test('a redemption omits properties without a value, and never shows undo', () => {
  expect(toRedemption(row, noParts)).toEqual(always)
})

test('only read operations show how the order was rolled back', () => {
  const rollback = { id: 'rr_1', date: '2026-01-02T00:00:00.000Z', rollback_order_mode: 'WITHOUT_ORDER' } as const
  const { rollback_order_mode, ...mention } = rollback
  const rolledBack = { ...row, status: 'ROLLED_BACK', rollback } as const
  const redemptions = [{ id: 'r_1', date: row.created_at }]
  expect(toRedemption(rolledBack, noParts).related_redemptions).toEqual({ rollbacks: [mention], redemptions })
  expect(toRedemption(rolledBack, noParts, { in_get: true }).related_redemptions).toEqual({
    rollbacks: [{ ...mention, rollback_order_mode }],
    redemptions,
  })
})

test('the rollback of one of several redemptions refers to that redemption, not to the parent rollback', () => {
  const undone = { id: 'r_1', date: row.created_at }
  const rollback = {
    ...row,
    id: 'rr_1',
    object: 'redemption_rollback',
    parent_id: 'rr_0',
    redemption_id: 'r_1',
    reason: 'broken',
  } as const
  expect(toRollback(rollback, { ...noParts, undone })).toEqual({
    ...always,
    id: 'rr_1',
    object: 'redemption_rollback',
    redemption: 'r_1',
    reason: 'broken',
    related_redemptions: { redemptions: [undone] },
  })
  const failed = { ...rollback, result: 'FAILURE', status: 'FAILED', failure_code: 'already_rolled_back' } as const
  expect(toRollback(failed, { ...noParts, undone: null })).toMatchObject({ status: 'FAILED', redemption: 'r_1' })
  expect(toSimpleRedemption(rollback, { ...noParts, order: null })).toMatchObject({
    redemption: 'r_1',
    reason: 'broken',
  })
})

test('an event shows the previous order, which may be null, and the parent redemption', () => {
  const simple = toSimpleRedemption(
    { ...row, parent_id: 'r_0', tracking_id: 't', amount: 5, failure_code: 'no', failure_message: 'No' },
    { ...noParts, order: null, previous_order: null },
  )
  expect(simple).toEqual({
    id: 'r_1',
    object: 'redemption',
    customer_id: null,
    tracking_id: 't',
    date: row.created_at,
    amount: 5,
    order: null,
    previous_order: null,
    customer: null,
    result: 'SUCCESS',
    status: 'SUCCEEDED',
    redemption: 'r_0',
    metadata: null,
    failure_code: 'no',
    failure_message: 'No',
    channel: { channel_id: 'app', channel_type: 'API' },
  })
  expect(toSimpleRedemption(row, { ...noParts, order: null })).not.toHaveProperty('previous_order')
})
