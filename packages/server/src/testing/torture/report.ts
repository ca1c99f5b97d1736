import type { Strike } from '../checkout-load/faults.ts'
import type { Finding } from '../checkout-load/findings.ts'
import type { Answers } from '../checkout-load/shop.ts'
import type { Takeovers } from './takeovers.ts'

/** Everything that was done and observed so far; updated while the run goes on. */
export interface TortureReport {
  seed: number
  seconds: number
  /** Whether a cluster fails over, instead of a PostgreSQL that is killed and restarted. */
  failover: boolean
  started_at: number
  round: number
  doing: string
  answers: Answers
  /** Requests that took effect without a response reaching the client, and were replayed by their idempotency key on retry. */
  replayed: number
  slowest_ms: number
  faults: Map<string, { times: number; requests_hit: number }>
  /** By kind of loss; only in a run with failovers. */
  takeovers: Map<string, Takeovers>
  races: Map<string, number>
  looked_for: Map<string, number>
  violations: Violation[]
  /** The output of the nodes, if there are violations. */
  printed: string[]
}

export interface Violation {
  /** The seed of the round; a run with this seed starts with that round. */
  seed: number
  doing: string
  text: string
}

export const newReport = (seed: number, seconds: number, failover = false): TortureReport => ({
  seed,
  seconds,
  failover,
  started_at: Date.now(),
  round: 0,
  doing: 'starting PostgreSQL',
  answers: new Map(),
  replayed: 0,
  slowest_ms: 0,
  faults: new Map(),
  takeovers: new Map(),
  races: new Map(),
  looked_for: new Map(),
  violations: [],
  printed: [],
})

/** The seed of the current round: that of the run for round 1, then one more for each round. */
export const seedOf = ({ seed, round }: TortureReport): number => seed + Math.max(0, round - 1)

export function recordViolation(report: TortureReport, text: string): void {
  report.violations.push({ seed: seedOf(report), doing: report.doing, text })
}

export function recordFindings(report: TortureReport, findings: readonly Finding[]): void {
  for (const { looked_for, times, violations } of findings) {
    report.looked_for.set(looked_for, (report.looked_for.get(looked_for) ?? 0) + times)
    for (const text of violations) recordViolation(report, text)
  }
}

export function recordStrikes({ faults }: TortureReport, strikes: readonly Strike[]): void {
  for (const { name, requests_hit } of strikes) {
    const before = faults.get(name) ?? { times: 0, requests_hit: 0 }
    faults.set(name, { times: before.times + 1, requests_hit: before.requests_hit + requests_hit })
  }
}
