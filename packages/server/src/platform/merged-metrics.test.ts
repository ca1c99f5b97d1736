import { expect, test } from 'vitest'
import { send, testService } from '../testing/app.ts'
import { gaugeMerges, mergeMetrics } from './merged-metrics.ts'
import { ownUsage } from './worker-metrics.ts'

const worker = (requests: number, late: number, memory: number) =>
  [
    '# HELP guerdon_http_requests_total Requests.',
    '# TYPE guerdon_http_requests_total counter',
    `guerdon_http_requests_total{operation="a b",status="200"} ${requests}`,
    '',
    '# HELP guerdon_http_request_duration_seconds Durations.',
    '# TYPE guerdon_http_request_duration_seconds histogram',
    `guerdon_http_request_duration_seconds_bucket{le="0.1"} ${requests - 1}`,
    `guerdon_http_request_duration_seconds_bucket{le="+Inf"} ${requests}`,
    `guerdon_http_request_duration_seconds_count ${requests}`,
    '# HELP guerdon_event_loop_late_seconds Late.',
    '# TYPE guerdon_event_loop_late_seconds gauge',
    `guerdon_event_loop_late_seconds ${late}`,
    '# TYPE process_resident_memory_bytes gauge',
    `process_resident_memory_bytes ${memory}`,
    '',
  ].join('\n')

const valuesOf = (text: string) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )

test('counters and histograms of workers add up, and a gauge is their sum or that of the busiest', () => {
  const text = mergeMetrics([{ text: worker(10, 0.2, 100) }, { text: worker(5, 0.7, 50) }])
  expect(valuesOf(text)).toEqual({
    'guerdon_http_requests_total{operation="a b",status="200"}': 15,
    'guerdon_http_request_duration_seconds_bucket{le="0.1"}': 13,
    'guerdon_http_request_duration_seconds_bucket{le="+Inf"}': 15,
    guerdon_http_request_duration_seconds_count: 15,
    guerdon_event_loop_late_seconds: 0.7,
    process_resident_memory_bytes: 150,
  })
  expect(text.match(/^# TYPE guerdon_http_requests_total counter$/gm)).toHaveLength(1)
})

test('of a worker that has ended the counters are kept, and no gauge', () => {
  const ended = mergeMetrics([{ text: worker(10, 0.9, 100), counters_only: true }])
  expect(ended).not.toContain('gauge')
  const text = mergeMetrics([{ text: worker(5, 0.2, 50) }, { text: ended, counters_only: true }])
  expect(valuesOf(text)).toMatchObject({
    'guerdon_http_requests_total{operation="a b",status="200"}': 15,
    guerdon_event_loop_late_seconds: 0.2,
    process_resident_memory_bytes: 50,
  })
})

test('what a worker has not measured yet does not hide what others have', () => {
  const name = 'nodejs_eventloop_lag_p99_seconds'
  const lag = (value: string) => ({ text: `# TYPE ${name} gauge\n${name} ${value}\n` })
  expect(valuesOf(mergeMetrics([lag('NaN'), lag('0.5'), lag('Nan')]))).toEqual({ [name]: 0.5 })
})

test('merging the metrics of one process changes no number, and every gauge has a rule', async () => {
  const { app } = await testService()
  await send(app, 'GET', '/health/live')
  const text = String((await send(app, 'GET', '/metrics')).body)
  expect(valuesOf(mergeMetrics([{ text }]))).toEqual(valuesOf(text))
  const gauges = [...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name as string)
  expect(gauges.length).toBeGreaterThan(20)
  expect(gauges.filter((name) => !(name in gaugeMerges))).toEqual([])
})

test('the supervisor adds what it uses itself to metrics that its workers have', async () => {
  const { app } = await testService()
  const text = String((await send(app, 'GET', '/metrics')).body)
  for (const name of Object.keys(valuesOf(ownUsage()))) expect(text).toMatch(new RegExp(`^${name} `, 'm'))
})
