import { median, quantile, type Stretch } from '../measure.ts'
import type { Case } from './cases.ts'

/** One case at one number of connections, over all rounds. */
export interface Measured {
  /** Baseline servers, the service on PostgreSQL, and the service on the embedded database. */
  group: 'limits' | 'ours' | 'embedded'
  name: string
  connections: number
  per_second: number
  /** The slowest and the fastest round. */
  per_second_min: number
  per_second_max: number
  p50_ms: number
  p99_ms: number
}

export interface Plan {
  connections: readonly number[]
  rounds: number
  seconds: number
}

export type Grouped = Case & Pick<Measured, 'group'>

/** Measures every case once per round, in turn, so that a slow minute of the machine affects all of them. */
export async function measureAll(
  cases: readonly Grouped[],
  plan: Plan,
  measure: (each: Grouped, connections: number, round: number) => Promise<Stretch>,
): Promise<Measured[]> {
  const results: Measured[] = []
  for (const connections of plan.connections) {
    const stretches = new Map<Grouped, Stretch[]>(cases.map((each) => [each, []]))
    for (let round = 1; round <= plan.rounds; round += 1)
      for (const each of cases) stretches.get(each)?.push(await measure(each, connections, round))
    for (const [{ group, name }, all] of stretches) results.push({ group, name, connections, ...summaryOf(all) })
  }
  return results
}

function summaryOf(stretches: readonly Stretch[]) {
  const rates = stretches.map(({ per_second }) => per_second)
  const waits = stretches.flatMap(({ waits }) => waits)
  return {
    per_second: median(rates),
    per_second_min: Math.min(...rates),
    per_second_max: Math.max(...rates),
    p50_ms: quantile(waits, 0.5),
    p99_ms: quantile(waits, 0.99),
  }
}
