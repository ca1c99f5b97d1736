import type { Strike } from '../checkout-load/faults.ts'
import type { LoadReport } from '../checkout-load/load.ts'

/** What became of one kind of loss. */
export interface Takeovers {
  strikes: Strike[]
  /** Acknowledged writes that are not stored. */
  lost: number
  /** Limits, budgets and balances that were exceeded. */
  exceeded: number
  /** Everything else that the checks found. */
  other: number
}

export function recordTakeovers(
  takeovers: Map<string, Takeovers>,
  name: string,
  { strikes, findings }: Pick<LoadReport, 'strikes' | 'findings'>,
): void {
  const known = takeovers.get(name) ?? { strikes: [], lost: 0, exceeded: 0, other: 0 }
  takeovers.set(name, known)
  known.strikes.push(...strikes)
  for (const { looked_for, violations } of findings)
    for (const text of violations) {
      const lost = /^acknowledged but not .*?: (\d+)/.exec(text)?.[1]
      if (lost !== undefined) known.lost += Number(lost)
      else if (looked_for.endsWith('were exceeded')) known.exceeded += 1
      else known.other += 1
    }
}

/** Seconds without an acknowledged write, by kind of loss, and what was found afterwards. */
export function takeoverTable(takeovers: ReadonlyMap<string, Takeovers>): string[] {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1)
  const rowOf = (name: string, { strikes, lost, exceeded, other }: Takeovers): string => {
    const outages = strikes.map(({ outage_ms }) => outage_ms).sort((a, b) => a - b)
    const median = outages[Math.floor((outages.length - 1) / 2)] ?? 0
    const cells = [seconds(outages[0] ?? 0), seconds(median), seconds(outages.at(-1) ?? 0), lost, exceeded, other]
    return `| ${[name, strikes.length, ...cells].join(' | ')} |`
  }
  const all = [...takeovers.values()]
  const sum = (count: (each: Takeovers) => number) => all.reduce((total, each) => total + count(each), 0)
  const total: Takeovers = {
    strikes: all.flatMap(({ strikes }) => strikes),
    lost: sum(({ lost }) => lost),
    exceeded: sum(({ exceeded }) => exceeded),
    other: sum(({ other }) => other),
  }
  return [
    '| Loss of the primary | Times | Outage, min | median | max (s) | Acknowledged, lost | Limits exceeded | Other violations |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...[...takeovers].map(([name, each]) => rowOf(name, each)),
    rowOf('all', total),
  ]
}
