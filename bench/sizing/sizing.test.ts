import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parsePlan } from './arguments.ts'
import measured from './figures.json' with { type: 'json' }
import { type CallCost, type CallKind, callKinds, type Figures } from './figures.ts'
import { type Plan, type Sizing, sizeFor } from './model.ts'
import { pageWithFigures } from './page.ts'
import { report } from './report.ts'

/** Round figures, so that the expected numbers can be followed in the head. */
const figures: Figures = {
  machine: {
    processor: 'Test',
    cores: 2,
    memory_gb: 8,
    system: 'linux',
    node: 'v24',
    postgres: '18',
    measured_on: '2026-01-01',
  },
  calls: {
    redemptions: cost({ service_ms: 1, postgres_ms: 2, wal_bytes: 10_000, record_bytes: 4_000, event_bytes: 2_000 }),
    validations: cost({ service_ms: 0.5, postgres_ms: 0.5, audit_bytes: 1_000 }),
    qualifications: cost({ service_ms: 1, postgres_ms: 1 }),
    publications: cost({ service_ms: 1, postgres_ms: 1 }),
    reads: cost({ service_ms: 0.2, postgres_ms: 0.2 }),
    lists: cost({ service_ms: 0.5, postgres_ms: 1 }),
  },
  one_code_per_second: 600,
  primary_share: { validations: 0.5, qualifications: 0.5, lists: 0.2 },
}

function cost(given: Partial<CallCost>): CallCost {
  return { service_ms: 0, postgres_ms: 0, wal_bytes: 0, record_bytes: 0, event_bytes: 0, audit_bytes: 0, ...given }
}

const sized = (line: string): { plan: Plan; sizing: Sizing } => {
  const { plan } = parsePlan(line.split(' ')) as { plan: Plan }
  return { plan, sizing: sizeFor(plan, figures) }
}

test('a small load fits one machine', () => {
  const { sizing } = sized('--redemptions 100/s --validations 400/s')
  expect(sizing).toMatchObject({
    service_cores: 0.3, // 100 × 1 ms + 400 × 0.5 ms
    primary_cores: 0.4, // 100 × 2 ms + 400 × 0.5 ms
    workers: 1,
    service_machines: 1,
    connections: 11,
    wal_mb_per_second: 1,
    replica_load: null,
  })
  expect(sizing.advice[0]).toBe('One machine carries it all: 1 worker (WORKERS) and PostgreSQL.')
})

test('what stays for good is written at the average load, the audit log as long as it is kept', () => {
  const { sizing } = sized('--redemptions 100/s --validations 100/s --average 0.5 --audit-days 10')
  const callsPerYear = 100 * 0.5 * 86_400 * 365
  expect(sizing.records_gb_per_year).toBeCloseTo((callsPerYear * 4_000) / 1e9)
  expect(sizing.events_gb_per_year).toBeCloseTo((callsPerYear * 2_000) / 1e9)
  expect(sizing.audit_gb).toBeCloseTo((100 * 0.5 * 86_400 * 10 * 1_000) / 1e9)
})

test('a replica takes its share of what only reads, and nothing of redemptions', () => {
  const alone = sized('--redemptions 1000/s --validations 4000/s').sizing
  const { sizing } = sized('--redemptions 1000/s --validations 4000/s --replicas 2')
  expect(alone.primary_cores).toBe(4) // 1,000 × 2 ms + 4,000 × 0.5 ms
  expect(sizing).toMatchObject({ primary_cores: 3, replica_cores: 1, replica_load: 1 / 32 })
})

test('each thing is added when it is needed', () => {
  const adviceFor = (line: string) => sized(line).sizing.advice.join('\n')
  const full = '--redemptions 5000/s --validations 10000/s'
  expect(adviceFor('--redemptions 100/s')).not.toMatch(/PgBouncer|Replicas|Citus|cannot be divided|A primary with/)
  expect(adviceFor('--redemptions 25000/s --cores 100')).toContain('PgBouncer') // 36 workers, 396 connections
  expect(adviceFor(full)).toContain('the primary would be at 78 % instead of 94 %')
  expect(adviceFor(full)).toContain('A primary with 18 cores like these; 16 are not enough.')
  expect(adviceFor(full)).toContain('One project needs one primary')
  expect(adviceFor(`${full} --projects 20`)).toContain('Citus')
  expect(adviceFor('--validations 10000/s --replicas 1 --cores 2')).toMatch(
    /1 replica would be busier .*: 2 are enough/,
  )
})

test('the most that one primary reaches is the same load, as many times as fill it', () => {
  const { sizing } = sized('--redemptions 100/s')
  // 16 cores, 70 % busy, 2 ms each.
  expect(sizing.most).toEqual({ kind: 'redemptions', per_second: expect.closeTo((16 * 0.7) / 0.002) })
})

test('rates have a unit of time', () => {
  const peakOf = (text: string) => parsePlan(['--redemptions', text])?.plan.peak.redemptions
  expect([peakOf('7'), peakOf('7/s'), peakOf('120/min'), peakOf('7200/h'), peakOf('86400/day')]).toEqual([
    7, 7, 2, 2, 1,
  ])
})

test.each([
  [['--redemptions', 'many'], '--redemptions must be a number per time'],
  [['--redemptions', '5/week'], '--redemptions must be a number per time'],
  [['--redemptions', '-5'], 'ambiguous'],
  [['--redemptions', '1', '--busy', '2'], '--busy must be a number from 0.01 to 1'],
  [['--redemptions', '1', '--cores', ''], '--cores must be a number from 1'],
  [['--coupons', '1'], '--coupons'],
  [[], 'Name at least one kind of call'],
] as const)('%j is refused', (args, message) => {
  expect(() => parsePlan([...args])).toThrow(message)
})

test('the measured figures are complete, and make a report of every kind of call', () => {
  for (const kind of callKinds) {
    expect(measured.calls[kind].service_ms, kind).toBeGreaterThan(0)
    expect(measured.calls[kind].postgres_ms, kind).toBeGreaterThan(0)
  }
  const line = callKinds.map((kind: CallKind) => `--${kind} 1000/s`).join(' ')
  const { plan } = sized(line)
  const text = report(plan, sizeFor(plan, measured), measured)
  expect(text).not.toMatch(/NaN|undefined|Infinity/)
  expect(text).toContain(measured.machine.processor)
})

test('docs/scaling.md shows the measured figures, and what the calculator prints', () => {
  const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
  expect(page).toBe(pageWithFigures(page, measured))
})
