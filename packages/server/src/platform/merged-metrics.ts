import type { MetricsPart } from '../core/siblings.ts'

/** How one number is made of those of several workers. */
type Merge = 'sum' | 'max' | 'min'

/**
 * Of gauges; counters and histograms are added up. What is missing here is added up too, and metrics.test.ts finds it: each gauge needs a
 * decision.
 */
export const gaugeMerges: Readonly<Record<string, Merge>> = {
  guerdon_build_info: 'max',
  guerdon_workers: 'sum',
  guerdon_http_requests_in_flight: 'sum',
  guerdon_database_connections: 'sum',
  guerdon_database_connections_idle: 'sum',
  guerdon_database_connections_max: 'sum',
  guerdon_database_waiting: 'sum',
  guerdon_credentials_remembered: 'sum',
  guerdon_audit_waiting_bytes: 'sum',
  // A replica answers the node's reads if it does so for every worker.
  guerdon_replica_up: 'min',
  guerdon_replica_lag_seconds: 'max',
  // Of the busiest worker: requests that reach it wait, however idle the others are.
  guerdon_event_loop_late_seconds: 'max',
  guerdon_event_loop_utilization: 'max',
  // Counted in the database, by the worker that is asked alone.
  guerdon_jobs: 'max',
  guerdon_job_lag_seconds: 'max',
  guerdon_webhook_sendouts_waiting: 'max',
  guerdon_webhook_lag_seconds: 'max',
  guerdon_webhook_attempts_in_flight: 'sum',
  process_start_time_seconds: 'min',
  process_resident_memory_bytes: 'sum',
  process_virtual_memory_bytes: 'sum',
  process_heap_bytes: 'sum',
  // Each process has a limit of its own: the one nearest to it counts.
  process_open_fds: 'max',
  process_max_fds: 'max',
  nodejs_version_info: 'max',
  nodejs_eventloop_lag_seconds: 'max',
  nodejs_eventloop_lag_min_seconds: 'min',
  nodejs_eventloop_lag_max_seconds: 'max',
  nodejs_eventloop_lag_mean_seconds: 'max',
  nodejs_eventloop_lag_stddev_seconds: 'max',
  nodejs_eventloop_lag_p50_seconds: 'max',
  nodejs_eventloop_lag_p90_seconds: 'max',
  nodejs_eventloop_lag_p99_seconds: 'max',
  nodejs_active_resources: 'sum',
  nodejs_active_resources_total: 'sum',
  nodejs_active_handles: 'sum',
  nodejs_active_handles_total: 'sum',
  nodejs_active_requests: 'sum',
  nodejs_active_requests_total: 'sum',
  nodejs_heap_size_total_bytes: 'sum',
  nodejs_heap_size_used_bytes: 'sum',
  nodejs_external_memory_bytes: 'sum',
  nodejs_heap_space_size_total_bytes: 'sum',
  nodejs_heap_space_size_used_bytes: 'sum',
  nodejs_heap_space_size_available_bytes: 'sum',
}

interface Family {
  help: string
  type: string
  /** By name and labels, as they are printed. */
  samples: Map<string, number>
}

/** The metrics of a node: those of its processes as one. All texts are of this service, so none is checked. */
export function mergeMetrics(parts: readonly MetricsPart[]): string {
  const families = new Map<string, Family>()
  for (const { text, counters_only = false } of parts) add(families, text, counters_only)
  return textOf(families)
}

function add(families: Map<string, Family>, text: string, countersOnly: boolean): void {
  let help = ''
  let family: Family | null = null
  let merge: Merge = 'sum'
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) help = line
    else if (line.startsWith('# TYPE ')) {
      const [, , name = '', type = ''] = line.split(' ')
      const isGauge = type === 'gauge'
      family = countersOnly && isGauge ? null : familyOf(families, name, { help, type })
      help = ''
      merge = isGauge ? (gaugeMerges[name] ?? 'sum') : 'sum'
    } else if (line !== '' && family !== null) {
      const end = line.lastIndexOf(' ')
      const [series, value] = [line.slice(0, end), numberOf(line.slice(end + 1))]
      const known = family.samples.get(series)
      family.samples.set(series, known === undefined ? value : merged(merge, known, value))
    }
  }
}

function familyOf(families: Map<string, Family>, name: string, { help, type }: Omit<Family, 'samples'>): Family {
  const known = families.get(name)
  if (known !== undefined) return known
  const family = { help, type, samples: new Map<string, number>() }
  families.set(name, family)
  return family
}

/** NaN is the event loop lag of a worker that has not measured any yet. */
function merged(merge: Merge, one: number, other: number): number {
  if (Number.isNaN(one)) return other
  if (Number.isNaN(other)) return one
  return merge === 'sum' ? one + other : Math[merge](one, other)
}

function textOf(families: ReadonlyMap<string, Family>): string {
  const lines = [...families].flatMap(([name, { help, type, samples }]) => [
    ...(help === '' ? [] : [help]),
    `# TYPE ${name} ${type}`,
    ...[...samples].map(([series, value]) => `${series} ${printed(value)}`),
    '',
  ])
  return lines.join('\n')
}

const numberOf = (text: string): number => (text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text))

const printed = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value))
