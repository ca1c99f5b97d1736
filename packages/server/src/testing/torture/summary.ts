import { seedOf, type TortureReport } from './report.ts'
import { takeoverTable } from './takeovers.ts'

/** One line with the progress of the run. */
export function progressOf(report: TortureReport): string {
  const seconds = Math.round((Date.now() - report.started_at) / 1_000)
  const faults = sumOf([...report.faults.values()].map(({ times }) => times))
  return `${seconds} s${report.failover ? '' : ` of ${report.seconds}`}, round ${report.round}, ${number(requestsOf(report))} requests, ${faults} faults, ${report.violations.length} violations: ${report.doing}`
}

/** The report at the end of the run. */
export function summaryOf(report: TortureReport): string {
  const { seed, seconds, round, answers, faults, races, looked_for, violations, replayed, slowest_ms, takeovers } =
    report
  const took = ((Date.now() - report.started_at) / 1_000).toFixed(1)
  const checks = sumOf([...looked_for.values()]) + sumOf([...races.values()])
  const lines = [
    `seed ${seed}, ${took} s${report.failover ? '' : ` of ${seconds}`}, ${round} rounds (the last with seed ${seedOf(report)})`,
    '',
    `requests sent: ${number(requestsOf(report))}; the slowest request of the load took ${number(slowest_ms)} ms, including retries`,
    ...table([...answers].map(([asked, counts]) => [asked, sumOf([...counts.values()])])),
    '',
    'responses',
    ...table(byStatus(report)),
    `  ${number(replayed)} unanswered requests had taken effect, and were replayed by their idempotency key on retry`,
    '',
    `faults injected: ${number(sumOf([...faults.values()].map(({ times }) => times)))}`,
    ...table([...faults].map(([name, { times, requests_hit }]) => [`${name}, ${requests_hit} requests hit`, times])),
    '',
    ...(takeovers.size === 0 ? ['races run', ...table([...races])] : takeoverTable(takeovers)),
    '',
    'checks, by number of runs',
    ...table([...looked_for]),
    '',
    `invariants checked: ${number(checks)}`,
    `violations: ${number(violations.length)}`,
    ...failuresOf(report),
  ]
  return `${lines.join('\n')}\n`
}

const shownMax = 20

function failuresOf({ violations, seconds, printed, failover }: TortureReport): string[] {
  const shown = violations
    .slice(0, shownMax)
    .map(({ seed, doing, text }) => `  seed ${seed}, ${doing}\n    ${text.slice(0, 3_000)}`)
  if (violations.length > shownMax) shown.push(`  and ${violations.length - shownMax} more`)
  const seeds = [...new Set(violations.map(({ seed }) => seed))]
  const kind = failover ? '--failover' : `--seconds ${seconds}`
  const repeat = seeds.map((seed) => `To reproduce: npm run torture -- ${kind} --seed ${seed}`)
  return [...shown, ...printed.map((line) => `  node output: ${line.slice(0, 1_000)}`), ...repeat]
}

function byStatus({ answers }: TortureReport): Array<[string, number]> {
  const counts = new Map<string, number>()
  for (const each of answers.values())
    for (const [answer, count] of each) counts.set(answer, (counts.get(answer) ?? 0) + count)
  return [...counts]
}

const requestsOf = ({ answers }: TortureReport): number =>
  sumOf([...answers.values()].flatMap((counts) => [...counts.values()]))

/** The most frequent first. */
const table = (rows: Array<[name: string, count: number]>): string[] =>
  rows
    .sort(([aName, a], [bName, b]) => b - a || (aName < bName ? -1 : 1))
    .map(([name, count]) => `${number(count).padStart(9)}  ${name}`)

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)

const number = (value: number): string => value.toLocaleString('en')
