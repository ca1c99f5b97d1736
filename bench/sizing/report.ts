import { callKinds, type Figures } from './figures.ts'
import { type Plan, percent, type Sizing } from './model.ts'

/** The sizing as text. */
export function report(plan: Plan, sizing: Sizing, { machine }: Figures): string {
  const asked = callKinds.filter((kind) => plan.peak[kind] > 0).map((kind) => `${perSecond(plan.peak[kind])} ${kind}/s`)
  const rows: Array<[string, string]> = [
    [
      'service',
      `${cores(sizing.service_cores)} busy: ${sizing.workers} workers on ${sizing.service_machines} × ${plan.cores} cores`,
    ],
    ['primary', `${cores(sizing.primary_cores)} busy: ${percent(sizing.primary_load)} of ${plan.cores}`],
    ...(sizing.replica_load === null
      ? []
      : [
          [
            'replicas',
            `${cores(sizing.replica_cores)} busy: ${percent(sizing.replica_load)} of ${plan.replicas} × ${plan.cores}`,
          ] as [string, string],
        ]),
    ['connections', `${sizing.connections}, ${plan.connections} and 3 for each worker`],
    ['WAL', `${decimal(sizing.wal_mb_per_second)} MB/s at the peak, ${bytes(sizing.wal_gb_per_day)} a day`],
    ['records', `${bytes(sizing.records_gb_per_year)} a year`],
    ['events', `${bytes(sizing.events_gb_per_year)} a year, unless archived`],
    ['audit log', `${bytes(sizing.audit_gb)} for ${plan.audit_days} days`],
    [
      'this mix',
      `at most ${perSecond(sizing.most.per_second)} ${sizing.most.kind}/s on one primary, ${percent(plan.utilisation)} busy`,
    ],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    `${asked.join(', ')} at the peak, ${percent(plan.average_share)} of it on average`,
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
    '',
    ...sizing.advice.map((line) => `- ${line}`),
    '',
    `Figures of ${machine.measured_on}: ${machine.processor}, ${machine.cores} cores, Node ${machine.node}, PostgreSQL ${machine.postgres}.`,
    '',
  ].join('\n')
}

const bytes = (gigabytes: number): string =>
  gigabytes >= 1_000 ? `${decimal(gigabytes / 1_000)} TB` : `${decimal(gigabytes)} GB`

const cores = (count: number): string => `${decimal(count)} cores`

/** Three digits that count, no exponent. */
const decimal = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)))

const perSecond = (rate: number): string => (rate >= 10 ? Math.round(rate).toLocaleString('en') : decimal(rate))
