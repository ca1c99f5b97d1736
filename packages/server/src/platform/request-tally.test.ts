import { expect, test } from 'vitest'
import { newRequestTally } from './request-tally.ts'

test('requests are counted by status, and their durations by status class', () => {
  const tally = newRequestTally()
  tally.count('getCategory', 200, 0.002)
  tally.count('getCategory', 404, 0.001)
  tally.count('getCategory', 409, 0.03)
  tally.count('getCategory', 200, 11)
  tally.count('listCategories', 200, 0.5)
  const lines = tally.exposition().split('\n')

  expect(lines.filter((line) => line.startsWith('guerdon_http_requests_total{'))).toEqual([
    'guerdon_http_requests_total{operation="getCategory",status="200"} 2',
    'guerdon_http_requests_total{operation="getCategory",status="404"} 1',
    'guerdon_http_requests_total{operation="getCategory",status="409"} 1',
    'guerdon_http_requests_total{operation="listCategories",status="200"} 1',
  ])
  const durationValue = (part: string) =>
    lines
      .find((line) => line.startsWith(`guerdon_http_request_duration_seconds_${part}`))
      ?.split(' ')
      .at(-1)
  // Buckets are cumulative: 11 s is only in the last one.
  expect(durationValue('bucket{operation="getCategory",status_class="2xx",le="0.001"}')).toBe('0')
  expect(durationValue('bucket{operation="getCategory",status_class="2xx",le="0.0025"}')).toBe('1')
  expect(durationValue('bucket{operation="getCategory",status_class="2xx",le="10"}')).toBe('1')
  expect(durationValue('bucket{operation="getCategory",status_class="2xx",le="+Inf"}')).toBe('2')
  expect(durationValue('sum{operation="getCategory",status_class="2xx"}')).toBe('11.002')
  expect(durationValue('bucket{operation="getCategory",status_class="4xx",le="0.001"}')).toBe('1')
  expect(durationValue('bucket{operation="getCategory",status_class="4xx",le="0.05"}')).toBe('2')
  expect(durationValue('count{operation="getCategory",status_class="4xx"}')).toBe('2')
  expect(durationValue('count{operation="listCategories",status_class="2xx"}')).toBe('1')
})
