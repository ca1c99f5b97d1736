import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../app.ts'
import { testService } from '../testing/app.ts'
import type { Filling } from './filling.ts'

test('while the demo shop is made, every request is told how far it is, and the process is alive but not ready', async () => {
  const { runtime } = await testService()
  let filling: Filling | null = { day: 45, days: 120 }
  const app = buildApp({ runtime, sheds_load: false, filling: () => filling })
  onTestFinished(() => app.close())

  for (const url of ['/health/ready', '/v1/vouchers', '/docs/', '/openapi.json', '/nowhere']) {
    const answer = await app.inject(url)
    expect(answer, url).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } })
    expect(answer.json(), url).toMatchObject({
      key: 'service_unavailable',
      details: 'The demo shop is being made: 45 of 120 days',
    })
  }
  expect((await app.inject('/health/live')).statusCode).toBe(200)

  for (const url of ['/', '/docs/']) {
    const page = await app.inject({ url, headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(page, url).toMatchObject({
      statusCode: 503,
      body: expect.stringContaining('<progress id="progress" max="120" value="45">'),
      headers: { refresh: '2', 'content-type': 'text/html; charset=utf-8' },
    })
  }

  filling = null
  expect((await app.inject('/health/ready')).statusCode).toBe(200)
  expect((await app.inject({ url: '/docs/', headers: { accept: 'text/html' } })).statusCode).toBe(200)
})
