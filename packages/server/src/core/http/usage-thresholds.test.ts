import { expect, test } from 'vitest'
import type { Project } from '../db/project-row.ts'
import { parseCallLimits } from '../lib/call-limits.ts'
import { alignedWindow, type Window } from './call-windows.ts'
import { thresholdsOf } from './usage-thresholds.ts'

const at = Date.UTC(2026, 0, 1, 10, 20, 30)

const projectWith = (value: number, change: object = {}) => {
  const setting = { enabled: true, value, in_app: true, emails: [], ...change }
  return {
    api_usage_notifications: { api_calls: setting, bulk_api_calls: setting, cycle_calls: setting },
  } as unknown as Project
}

const windowsOf = (limits: string): Window[] =>
  parseCallLimits(limits).map(({ calls, seconds }) => alignedWindow('api_calls', seconds, calls, at))

test.each([
  ['2000/PT1H', 80, [{ seconds: 3_600, limit: 2_000, calls: 1_600 }]],
  ['333/PT1H', 85, [{ seconds: 3_600, limit: 333, calls: 284 }]], // 283.05
  ['100/PT1H', 55, [{ seconds: 3_600, limit: 100, calls: 55 }]], // 100 × 0.55 is 55.00000000000001 as a floating-point number
  ['1/PT1H', 10, [{ seconds: 3_600, limit: 1, calls: 1 }]],
  ['2000/PT1M', 80, [{ seconds: 3_600, limit: 120_000, calls: 96_000 }]],
  ['1/PT7M', 50, [{ seconds: 3_600, limit: 8, calls: 5 }]], // 3600 / 420 × 50 % = 4.28…
  ['2000/PT1M,50000/PT1H', 80, [{ seconds: 3_600, limit: 50_000, calls: 40_000 }]],
  ['2000/PT1H,10/PT1M', 80, [{ seconds: 3_600, limit: 600, calls: 480 }]],
  [
    '2000/PT1H,10000/P1D',
    80,
    [
      { seconds: 3_600, limit: 2_000, calls: 1_600 },
      { seconds: 86_400, limit: 10_000, calls: 8_000 },
    ],
  ],
  ['9007199254740/PT1S', 90, [{ seconds: 3_600, limit: 32_425_917_317_064_000, calls: 29_183_325_585_357_600 }]],
] as const)('%s at %i %%', (limits, value, expected) => {
  const found = thresholdsOf(projectWith(value), windowsOf(limits), at)
  expect(found.map(({ window: { seconds }, calls_allowed: limit, calls }) => ({ seconds, limit, calls }))).toEqual(
    expected,
  )
})

test('the hour of shorter limits is a window without a limit, aligned to the clock', () => {
  const [threshold] = thresholdsOf(projectWith(80), windowsOf('2000/PT1M'), at)
  expect(threshold?.window).toEqual({
    kind: 'api_calls_hour',
    seconds: 3_600,
    starts_at: Date.UTC(2026, 0, 1, 10),
    ends_at: Date.UTC(2026, 0, 1, 11),
    calls_max: Number.MAX_SAFE_INTEGER,
  })
})

test.each([
  ['enabled: false', { enabled: false, emails: ['ann@shop.test'] }],
  ['neither in_app nor addresses', { in_app: false }],
])('%s: nothing is compared, nor counted for it', (_, change) => {
  expect(thresholdsOf(projectWith(80, change), windowsOf('2000/PT1M'), at)).toEqual([])
})
