import { median, quantile, type Stretch } from '../measure.ts'
import type { Meter, Usage } from '../meter.ts'
import type { Case } from './cases.ts'

/** Baseline servers; the service, and the commit that it is compared with, on PostgreSQL; the service on the embedded database. */
export type Group = 'limits' | 'before' | 'ours' | 'embedded'

/** One case at one number of connections, over all rounds. */
export interface Measured {
  group: Group
  name: string
  connections: number
  per_second: number
  /** The slowest and the fastest round. */
  per_second_min: number
  per_second_max: number
  p50_ms: number
  p99_ms: number
  /** What one request used, NaN where it is unknown. */
  cost: Usage
}

export interface Plan {
  connections: readonly number[]
  rounds: number
  seconds: number
}

export type Grouped = Case & { group: Group; meter: Meter }

interface MeasuredStretch extends Stretch {
  cost: Usage
}

/** Measures every case once per round, in turn, so that a slow minute of the machine affects all of them. */
export async function measureAll(
  cases: readonly Grouped[],
  plan: Plan,
  measure: (each: Grouped, connections: number, round: number) => Promise<Stretch>,
): Promise<Measured[]> {
  const results: Measured[] = []
  for (const connections of plan.connections) {
    const stretches = new Map<Grouped, MeasuredStretch[]>(cases.map((each) => [each, []]))
    for (let round = 1; round <= plan.rounds; round += 1)
      for (const each of cases)
        stretches.get(each)?.push(await withCost(each.meter, () => measure(each, connections, round)))
    for (const [{ group, name }, all] of stretches) results.push({ group, name, connections, ...summaryOf(all) })
  }
  return results
}

async function withCost(meter: Meter, measure: () => Promise<Stretch>): Promise<MeasuredStretch> {
  const before = await meter.read()
  const stretch = await measure()
  const after = await meter.read()
  const perRequest = (of: keyof Usage) => (after[of] - before[of]) / stretch.waits.length
  return { ...stretch, cost: usageOf(perRequest) }
}

const usageOf = (amountOf: (of: keyof Usage) => number): Usage => ({
  service_cpu_ms: amountOf('service_cpu_ms'),
  postgres_cpu_ms: amountOf('postgres_cpu_ms'),
  wal_bytes: amountOf('wal_bytes'),
})

function summaryOf(stretches: readonly MeasuredStretch[]) {
  const rates = stretches.map(({ per_second }) => per_second)
  const waits = stretches.flatMap(({ waits }) => waits)
  return {
    per_second: median(rates),
    per_second_min: Math.min(...rates),
    per_second_max: Math.max(...rates),
    p50_ms: quantile(waits, 0.5),
    p99_ms: quantile(waits, 0.99),
    cost: usageOf((of) => median(stretches.map(({ cost }) => cost[of]))),
  }
}
