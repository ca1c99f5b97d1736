import type { Group, Measured } from './results.ts'
import type { Target } from './targets.ts'
import type { Writes } from './writes.ts'

const titles: Record<Group, string> = {
  limits: 'Limits',
  before: 'Before, on PostgreSQL',
  ours: 'Guerdon on PostgreSQL',
  embedded: 'Guerdon on the embedded database',
}

/** The case that all others are compared with, and the number of connections. */
const compared = { name: 'Fastify and one SELECT', connections: 8 }

/** Rates and latencies as a Markdown table, in the form that the documentation uses. */
export function tableOf(measured: readonly Measured[]): string {
  return markdownOf(measured, ['requests/s', 'p50', 'p99'], `× one SELECT, at ${compared.connections}`, {
    cellsOf: (result) => [rateOf(result), ms(result.p50_ms), ms(result.p99_ms)],
    lastOf: (group, name) => ratioOf(measured, group, name),
  })
}

/** What one request costs: CPU time of the service, of PostgreSQL, and WAL. */
export function costTable(measured: readonly Measured[]): string {
  return markdownOf(measured, ['service', 'PostgreSQL'], `WAL, at ${compared.connections}`, {
    cellsOf: ({ cost }) => [cpu(cost.service_cpu_ms), cpu(cost.postgres_cpu_ms)],
    lastOf: (group, name) => kilobytes(resultOf(measured, group, name)?.cost.wal_bytes ?? Number.NaN),
  })
}

/** One line per case, with some cells for each number of connections. */
function markdownOf(
  measured: readonly Measured[],
  headings: readonly string[],
  lastHeading: string,
  { cellsOf, lastOf }: { cellsOf(result: Measured): string[]; lastOf(group: Group, name: string): string },
): string {
  const connections = [...new Set(measured.map((result) => result.connections))].sort((a, b) => a - b)
  const empty = headings.map(() => '')
  const lineOf = (title: string, cells: readonly string[], last: string) => `| ${[title, ...cells, last].join(' | ')} |`
  const lines = [
    lineOf(
      '',
      connections.flatMap((n) => headings.map((heading, place) => (place === 0 ? `at ${n}: ${heading}` : heading))),
      lastHeading,
    ),
    `|---|${connections.flatMap(() => headings.map(() => '--:')).join('|')}|--:|`,
  ]
  for (const group of Object.keys(titles) as Group[]) {
    const names = [...new Set(measured.filter((result) => result.group === group).map(({ name }) => name))]
    if (names.length === 0) continue
    lines.push(
      lineOf(
        `**${titles[group]}**`,
        connections.flatMap(() => empty),
        '',
      ),
    )
    for (const name of names) {
      const cells = connections.flatMap((n) => {
        const result = resultOf(measured, group, name, n)
        return result === undefined ? empty : cellsOf(result)
      })
      lines.push(lineOf(name, cells, lastOf(group, name)))
    }
  }
  return lines.join('\n')
}

const resultOf = (measured: readonly Measured[], group: Group, name: string, connections = compared.connections) =>
  measured.find((result) => result.group === group && result.name === name && result.connections === connections)

function ratioOf(measured: readonly Measured[], group: Group, name: string): string {
  const rate = (...of: [Group, string]) => resultOf(measured, ...of)?.per_second ?? Number.NaN
  return (rate(group, name) / rate('limits', compared.name)).toFixed(2)
}

/** `4,210 ±3 %`: the median round, and half the range between the slowest and the fastest. */
function rateOf({ per_second, per_second_min, per_second_max }: Measured): string {
  const spread = ((per_second_max - per_second_min) / 2 / per_second) * 100
  return `${grouped(per_second)} ±${spread.toFixed(0)} %`
}

const grouped = (value: number): string => Math.round(value).toLocaleString('en')

const cpu = (value: number): string => (Number.isNaN(value) ? '' : `${value.toFixed(value < 0.1 ? 3 : 2)} ms`)

const kilobytes = (bytes: number): string => (Number.isNaN(bytes) ? '' : `${(bytes / 1_000).toFixed(1)} kB`)

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`

export function writesTable(writes: readonly Writes[]): string {
  const lines = writes.map(
    ({ name, wal_bytes, page_image_bytes, wal_records, index_entries }) =>
      `| ${name} | ${kilobytes(wal_bytes - page_image_bytes)} | ${kilobytes(page_image_bytes)} | ${wal_records.toFixed(0)} | ${index_entries.toFixed(0)} |`,
  )
  return [
    '| Written per call, at 1 | WAL | page images | WAL records | index entries |',
    '|---|--:|--:|--:|--:|',
    ...lines,
  ].join('\n')
}

export function bulkTable(rates: Readonly<Record<'generated' | 'imported', number>>): string {
  const lines = Object.entries(rates).map(([name, rate]) => `| ${name} | ${grouped(rate)} |`)
  return ['| In the background | codes/s |', '|---|--:|', ...lines].join('\n')
}

/** The targets; `before` holds the same for the commit that this one is compared with. */
export function targetTable(targets: readonly Target[], before: readonly Target[] | null): string {
  const lines = targets.map(({ name, ratio, at_least, at_most, is_met }) => {
    const wanted = at_least === undefined ? `at most ${at_most} ×` : `at least ${at_least} ×`
    const earlier = before?.find((target) => target.name === name)
    const cells = [name, wanted, ...(before === null ? [] : [earlier === undefined ? '' : times(earlier.ratio)])]
    return `| ${cells.join(' | ')} | ${times(ratio)} | ${is_met ? 'met' : '**missed**'} |`
  })
  return before === null
    ? ['| Ratio | Wanted | Seen | |', '|---|---|--:|---|', ...lines].join('\n')
    : ['| Ratio | Wanted | Before | Seen | |', '|---|---|--:|--:|---|', ...lines].join('\n')
}

const times = (ratio: number): string => `${ratio.toFixed(2)} ×`
