import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { fastify } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../settings.ts'
import { answerFailures } from './failures.ts'
import { limitTime } from './time-limit.ts'
import { watchRequests } from './watch-requests.ts'

async function listening(): Promise<string> {
  const app = fastify()
  answerFailures(app, readSettings({}))
  limitTime(app, watchRequests(app), { answer_ms: 200, look_ms: 20 })
  app.get('/quick', async () => ({ answered: true }))
  app.get('/slow', async () => setTimeout(1_000, { answered: true }))
  app.get('/endless', async () => {
    const stream = new Readable({ read() {} })
    stream.push('begun')
    return stream
  })
  onTestFinished(() => app.close())
  return app.listen({ host: '127.0.0.1', port: 0 })
}

test('whoever takes too long is refused, and others are not', async () => {
  const address = await listening()
  const [slow, ...quick] = await Promise.all([
    fetch(`${address}/slow`),
    ...Array.from({ length: 20 }, () => fetch(`${address}/quick`)),
  ])
  expect(slow.status).toBe(503)
  expect(slow.headers.get('retry-after')).toBe('5')
  expect(await slow.json()).toMatchObject({ key: 'service_unavailable' })
  for (const answer of quick) expect(await answer.json()).toEqual({ answered: true })
  // A connection that is used again has its whole time again.
  await setTimeout(250)
  expect((await fetch(`${address}/quick`)).status).toBe(200)
})

test('an answer that has begun and does not end is cut off', async () => {
  const answer = await fetch(`${await listening()}/endless`)
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow()
})
