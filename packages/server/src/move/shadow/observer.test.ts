import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { until } from '../../testing/background.ts'
import { newObserver } from './observer.ts'
import { Tally } from './report.ts'

const copyOf = (value: unknown) => ({ json: async () => value, release() {} })

/** An exchange whose comparison waits until `answer` is called. */
function slowService() {
  let answer = () => {}
  const slow = new Promise<void>((resolve) => {
    answer = resolve
  })
  const ask = async () => {
    await slow
    return { status: 200, answer: { valid: true, redeemables: [], order: {} } }
  }
  return { ask, answer: () => answer() }
}

function newLog() {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-shadow-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const log = join(folder, 'log.jsonl')
  return { log, lines: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0) }
}

const exchange = {
  method: 'POST',
  path: '/v1/validations',
  request: copyOf({ redeemables: [] }),
  status: 200,
  answer: copyOf({ valid: true, redeemables: [], order: {} }),
}

const noError = (text: string) => expect.fail(text)

test('the size of what waits for comparison is bounded, and everything is logged', async () => {
  const { ask, answer } = slowService()
  const tally = new Tally()
  const { log, lines } = newLog()
  const observer = newObserver({ ask, tally, log, redeem: false, onError: noError })
  const text = 'x'.repeat(limits.shadow_body_bytes_max - 200)
  const large = { ...exchange, request: copyOf({ redeemables: [], text }), answer: copyOf({ text }) }
  // 32 MiB hold 16 pairs of bodies of almost 1 MiB. One more is being compared.
  const [sent, fit] = [20, 16]
  for (let n = 0; n < sent; n += 1) observer.observe(large)
  await until(() => tally.dropped === sent - fit - 1 || undefined)
  expect(lines()).toBe(sent)
  answer()
  await observer.drain()
  expect(tally.report()).toMatchObject({ compared: fit + 1, dropped: sent - fit - 1 })
})

test('while our service is slow, the proxy keeps a bounded number of requests, drops the others, and logs them all', async () => {
  const { ask, answer } = slowService()
  const tally = new Tally()
  const { log, lines } = newLog()
  const observer = newObserver({ ask, tally, log, redeem: false, onError: noError })
  // One is being compared, the others wait.
  const fit = limits.shadow_waiting_max + 1
  for (let sent = 0; sent < limits.shadow_waiting_max; sent += 1) observer.observe(exchange)
  await until(() => lines() === limits.shadow_waiting_max || undefined)
  for (let sent = 0; sent < 6; sent += 1) observer.observe(exchange)
  await until(() => tally.dropped === 5 || undefined)
  expect(lines()).toBe(fit + 5)
  answer()
  await observer.drain()
  expect(tally.report()).toMatchObject({ compared: fit, equal: fit, dropped: 5 })
})

test('copies that wait to be read are bounded too; those that are dropped are given back unread', async () => {
  let read = () => {}
  const slow = new Promise<undefined>((resolve) => {
    read = () => resolve(undefined)
  })
  const released: number[] = []
  const told: string[] = []
  const waiting = { json: () => slow, release: () => void released.push(1) }
  const tally = new Tally()
  const { log } = newLog()
  const { ask } = slowService()
  const observer = newObserver({ ask, tally, log, redeem: false, onError: (text) => void told.push(text) })
  const held = limits.shadow_waiting_max + 1
  for (let sent = 0; sent < held + 5; sent += 1) observer.observe({ ...exchange, request: waiting, answer: waiting })
  expect([tally.dropped, told.length, released.length]).toEqual([5, 5, 10])
  read()
  await observer.drain()
  expect([tally.skipped, released.length]).toEqual([held, 2 * (held + 5)])
})

test('a log that cannot be written costs no comparison', async () => {
  const told: string[] = []
  const tally = new Tally()
  const ask = async () => ({ status: 200, answer: { valid: true, redeemables: [], order: {} } })
  const log = join(tmpdir(), 'guerdon-nowhere', 'log.jsonl')
  const observer = newObserver({ ask, tally, log, redeem: false, onError: (text) => void told.push(text) })
  observer.observe(exchange)
  await observer.drain()
  expect(tally.report()).toMatchObject({ compared: 1, equal: 1 })
  expect(told).toEqual([expect.stringMatching(/^Could not write the log: ENOENT/)])
})

test('bodies that no program can handle are skipped, and the next one is compared', async () => {
  const tally = new Tally()
  const ask = async () => ({ status: 200, answer: { valid: true, redeemables: [], order: {} } })
  const observer = newObserver({ ask, tally, log: null, redeem: false, onError: noError })
  const deep = JSON.parse(`${'['.repeat(400_000)}${']'.repeat(400_000)}`)
  observer.observe({ ...exchange, request: copyOf({ redeemables: [{ id: deep }] }) })
  observer.observe({ ...exchange, request: copyOf({ redeemables: [{ id: { toString: 1 } }] }) })
  observer.observe(exchange)
  await observer.drain()
  expect(tally.report()).toMatchObject({ compared: 2, skipped: 1 })
})
