import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { fastify } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readSettings } from '../settings.ts'
import { answerFailures } from './failures.ts'
import { limitTime } from './time-limit.ts'
import { watchRequests } from './watch-requests.ts'

const answerMs = 60_000

/** A service whose clock stands still until the test moves it; its handlers wait for nothing else. */
async function listening() {
  // A whole number: sums of fractions could fall short of the limit by rounding, and the request would never be refused.
  let now = Math.ceil(performance.now())
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const app = fastify()
  answerFailures(app, readSettings({}), { execute: async () => ({ rows: [] }) })
  const watch = watchRequests(app)
  limitTime(app, watch, { answer_ms: answerMs, look_ms: 20 })
  app.get('/quick', async () => ({ answered: true }))
  app.get('/slow', () => new Promise(() => {}))
  for (const path of ['/client/v1/probes', '/auth/probes', '/v1/probes'])
    app.post(
      path,
      { config: { operation: { method: 'POST', path, errors: ['invalid_payload'] } as never } },
      async () => ({
        answered: true,
      }),
    )
  app.get('/endless', async () => {
    const stream = new Readable({ read() {} })
    stream.push('begun')
    return stream
  })
  onTestFinished(() => app.close())
  return {
    address: await app.listen({ host: '127.0.0.1', port: 0 }),
    under_way: () => watch.in_flight().length,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

test('a request that exceeds the time limit is refused, others are not', async () => {
  const { address, under_way, pass } = await listening()
  const quick = () => Promise.all(Array.from({ length: 20 }, () => fetch(`${address}/quick`)))
  let isAnswered = false
  const asked = fetch(`${address}/slow`).finally(() => {
    isAnswered = true
  })
  await expect.poll(under_way).toBe(1)
  pass(answerMs - 1)
  for (const answer of await quick()) expect(await answer.json()).toEqual({ answered: true })
  await twoLooks()
  expect(isAnswered).toBe(false)

  pass(1)
  const slow = await asked
  expect(slow.status).toBe(503)
  expect(slow.headers.get('retry-after')).toBe('5')
  expect(await slow.json()).toMatchObject({ key: 'service_unavailable' })
  // Each request on a reused connection has the full time limit.
  pass(answerMs + 1)
  for (const answer of await quick()) expect(await answer.json()).toEqual({ answered: true })
})

test('a body that anybody may send must arrive within 15 s; then its connection is closed', async () => {
  const { address, under_way, pass } = await listening()
  const send = (path: string) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const state = { text: '', isClosed: false }
    socket.on('data', (bytes) => {
      state.text += bytes
    })
    socket.on('close', () => {
      state.isClosed = true
    })
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf`)
    return state
  }
  const [page, signIn, server] = [send('/client/v1/probes'), send('/auth/probes'), send('/v1/probes')]
  await expect.poll(under_way).toBe(3)
  pass(14_999)
  await twoLooks()
  expect([page.text, signIn.text]).toEqual(['', ''])
  pass(1)
  for (const sent of [page, signIn]) {
    await expect.poll(() => sent.isClosed).toBe(true)
    expect(sent.text).toMatch(/^HTTP\/1.1 503 /)
    expect(sent.text).toContain('The body did not arrive in time')
  }
  expect(server).toEqual({ text: '', isClosed: false })
})

test('a response that has begun and does not end is aborted', async () => {
  const { address, pass } = await listening()
  const answer = await fetch(`${address}/endless`)
  expect(answer.status).toBe(200)
  pass(answerMs)
  await expect(answer.text()).rejects.toThrow()
})

/** Timers of the same length fire in the order in which they started: after two of them, the check has run at least once. */
async function twoLooks(): Promise<void> {
  for (let look = 0; look < 2; look += 1) await new Promise((resolve) => setTimeout(resolve, 20))
}
