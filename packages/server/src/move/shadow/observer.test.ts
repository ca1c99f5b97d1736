import { expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newObserver } from './observer.ts'
import { Tally } from './report.ts'

test('while our service is slow, the proxy keeps a bounded number of requests and drops the others', async () => {
  let answer = () => {}
  const slow = new Promise<void>((resolve) => {
    answer = resolve
  })
  const ask = async () => {
    await slow
    return { status: 200, answer: { valid: true, redeemables: [], order: {} } }
  }
  const tally = new Tally()
  const observer = newObserver({ ask, tally, log: null, redeem: false, onError: () => {} })
  const exchange = {
    method: 'POST',
    path: '/v1/validations',
    request: { redeemables: [] },
    status: 200,
    answer: { valid: true, redeemables: [], order: {} },
  }
  // One is being compared, the others wait.
  for (let sent = 0; sent < limits.shadow_waiting_max + 6; sent += 1) observer.observe(exchange)
  expect(tally.dropped).toBe(5)
  answer()
  await observer.drain()
  expect(tally.report()).toMatchObject({
    compared: limits.shadow_waiting_max + 1,
    equal: limits.shadow_waiting_max + 1,
  })
})
