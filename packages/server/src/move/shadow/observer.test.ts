import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { until } from '../../testing/background.ts'
import { newObserver } from './observer.ts'
import { Tally } from './report.ts'

test('the size of what waits is bounded too, for comparison and for the log', async () => {
  let answer = () => {}
  const slow = new Promise<{ status: number; answer: object }>((resolve) => {
    answer = () => resolve({ status: 200, answer: {} })
  })
  const tally = new Tally()
  const missing: string[] = []
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-shadow-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const onError = ({ message }: Error) => void missing.push(message)
  const observer = newObserver({ ask: () => slow, tally, log: join(folder, 'log.jsonl'), redeem: false, onError })
  const text = 'x'.repeat(limits.shadow_body_bytes_max - 200)
  const exchange = {
    method: 'POST',
    path: '/v1/validations',
    request: { redeemables: [], text },
    status: 200,
    answer: { text },
  }
  // 32 MiB hold 16 pairs of bodies of almost 1 MiB. One more is being compared; of the log none is written before the next turn.
  const [sent, fit] = [40, 16]
  for (let n = 0; n < sent; n += 1) observer.observe(exchange)
  expect(tally.dropped).toBe(sent - fit - 1)
  expect(missing).toEqual(Array(sent - fit).fill('the log is written too slowly, a line is left out'))
  answer()
  await observer.drain()
  expect(tally.report()).toMatchObject({ compared: fit + 1, dropped: sent - fit - 1 })
})

test('while our service is slow, the proxy keeps a bounded number of requests, drops the others, and logs them all', async () => {
  let answer = () => {}
  const slow = new Promise<void>((resolve) => {
    answer = resolve
  })
  const ask = async () => {
    await slow
    return { status: 200, answer: { valid: true, redeemables: [], order: {} } }
  }
  const tally = new Tally()
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-shadow-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const log = join(folder, 'log.jsonl')
  const observer = newObserver({ ask, tally, log, redeem: false, onError: () => {} })
  const exchange = {
    method: 'POST',
    path: '/v1/validations',
    request: { redeemables: [] },
    status: 200,
    answer: { valid: true, redeemables: [], order: {} },
  }
  // One is being compared, the others wait.
  for (let sent = 0; sent < limits.shadow_waiting_max; sent += 1) observer.observe(exchange)
  const lines = () => readFileSync(log, 'utf8').split('\n').length - 1
  await until(() => (existsSync(log) && lines() === limits.shadow_waiting_max) || undefined)
  for (let sent = 0; sent < 6; sent += 1) observer.observe(exchange)
  expect(tally.dropped).toBe(5)
  answer()
  await observer.drain()
  expect(tally.report()).toMatchObject({
    compared: limits.shadow_waiting_max + 1,
    equal: limits.shadow_waiting_max + 1,
  })
  expect(lines()).toBe(limits.shadow_waiting_max + 6)
})
