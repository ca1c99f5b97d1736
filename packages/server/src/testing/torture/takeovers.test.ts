import { expect, test } from 'vitest'
import { recordTakeovers, type Takeovers, takeoverTable } from './takeovers.ts'

const strike = (outageMs: number) => ({ name: 'a kill', requests_hit: 1, outage_ms: outageMs })
const found = (lookedFor: string, ...violations: string[]) => ({ looked_for: lookedFor, times: 1, violations })

test('the table has a row for each kind of loss, and tells what was lost from what was exceeded', () => {
  const takeovers = new Map<string, Takeovers>()
  recordTakeovers(takeovers, 'a kill', {
    strikes: [strike(3_000), strike(1_000)],
    findings: [
      found(
        'stored redemptions',
        'acknowledged but not stored: 2, such as r_1; r_2',
        'stored but never acknowledged: 1',
      ),
      found('limits, budgets and balances that were exceeded', 'one was exceeded: 4 of 3'),
    ],
  })
  recordTakeovers(takeovers, 'a kill', { strikes: [strike(2_040)], findings: [found('events')] })
  recordTakeovers(takeovers, 'a switchover', { strikes: [strike(500)], findings: [] })
  expect(takeoverTable(takeovers).slice(2)).toEqual([
    '| a kill | 3 | 1.0 | 2.0 | 3.0 | 2 | 1 | 1 |',
    '| a switchover | 1 | 0.5 | 0.5 | 0.5 | 0 | 0 | 0 |',
    '| all | 4 | 0.5 | 1.0 | 3.0 | 2 | 1 | 1 |',
  ])
})
