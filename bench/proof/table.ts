import type { Measured } from './results.ts'
import type { Target } from './targets.ts'

const titles: Record<Measured['group'], string> = {
  limits: 'Limits',
  ours: 'Guerdon on PostgreSQL',
  embedded: 'Guerdon on the embedded database',
}

/** The case that all others are compared with, and the number of connections. */
const compared = { name: 'Fastify and one SELECT', connections: 8 }

/** The results as a Markdown table, in the form that the documentation uses. */
export function tableOf(measured: readonly Measured[]): string {
  const connections = [...new Set(measured.map((result) => result.connections))]
  const lines = [
    `| | ${connections.map((n) => `at ${n}: requests/s | p50 | p99`).join(' | ')} | × one SELECT, at ${compared.connections} |`,
    `|---|${connections.map(() => '--:|--:|--:').join('|')}|--:|`,
  ]
  for (const group of ['limits', 'ours', 'embedded'] as const) {
    const names = [...new Set(measured.filter((result) => result.group === group).map(({ name }) => name))]
    if (names.length === 0) continue
    lines.push(`| **${titles[group]}** |${connections.map(() => ' | | |').join('')} |`)
    for (const name of names) {
      const cells = connections.map((n) => {
        const result = measured.find((each) => each.group === group && each.name === name && each.connections === n)
        return result === undefined ? ' | | ' : `${rateOf(result)} | ${ms(result.p50_ms)} | ${ms(result.p99_ms)}`
      })
      lines.push(`| ${name} | ${cells.join(' | ')} | ${ratioOf(measured, group, name)} |`)
    }
  }
  return lines.join('\n')
}

function ratioOf(measured: readonly Measured[], group: Measured['group'], name: string): string {
  const rate = (of: Pick<Measured, 'group' | 'name'>) =>
    measured.find(
      (result) => result.group === of.group && result.name === of.name && result.connections === compared.connections,
    )?.per_second ?? Number.NaN
  return (rate({ group, name }) / rate({ group: 'limits', name: compared.name })).toFixed(2)
}

/** `4,210 ±3 %`: the median round, and half the range between the slowest and the fastest. */
function rateOf({ per_second, per_second_min, per_second_max }: Measured): string {
  const spread = ((per_second_max - per_second_min) / 2 / per_second) * 100
  return `${grouped(per_second)} ±${spread.toFixed(0)} %`
}

const grouped = (value: number): string => Math.round(value).toLocaleString('en')

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`

export function bulkTable(rates: Readonly<Record<'generated' | 'imported', number>>): string {
  const lines = Object.entries(rates).map(([name, rate]) => `| ${name} | ${grouped(rate)} |`)
  return ['| In the background | codes/s |', '|---|--:|', ...lines].join('\n')
}

export function targetTable(targets: readonly Target[]): string {
  const lines = targets.map(({ name, ratio, at_least, at_most, is_met }) => {
    const wanted = at_least === undefined ? `at most ${at_most} ×` : `at least ${at_least} ×`
    return `| ${name} | ${wanted} | ${ratio.toFixed(2)} × | ${is_met ? 'met' : '**missed**'} |`
  })
  return ['| Ratio | Wanted | Seen | |', '|---|---|--:|---|', ...lines].join('\n')
}
