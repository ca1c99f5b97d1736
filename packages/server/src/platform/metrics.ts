import { performance } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Runtime } from '../core/context.ts'
import { limits } from '../core/lib/limits.ts'
import { version } from '../core/lib/version.ts'
import { within } from '../core/lib/within.ts'
import type { Load } from './load-shedding.ts'
import type { RequestTally } from './request-tally.ts'

export interface MetricSources {
  tally: RequestTally
  load: Load
  in_flight(): number
}

/** All metrics in the text format of Prometheus. No label identifies a project or a customer. */
export function newMetrics(
  { database, jobs, credentials }: Runtime,
  { tally, load, in_flight }: MetricSources,
): () => Promise<string> {
  const registry = new Registry()
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  /** A counter whose total is kept elsewhere and copied at each scrape. */
  const counter = <L extends string>(
    name: string,
    help: string,
    label: L[],
    read: () => Array<[labels: Record<L, string>, total: number]>,
  ) =>
    new Counter({
      name,
      help,
      labelNames: label,
      registers,
      collect() {
        this.reset()
        for (const [labels, total] of read()) this.inc(labels, total)
      },
    })

  new Gauge({ name: 'guerdon_info', help: 'Always 1.', labelNames: ['version', 'node', 'database'], registers }).set(
    { version, node: process.version, database: database.kind },
    1,
  )
  gauge('guerdon_http_requests_in_flight', 'Requests in flight.', in_flight)
  counter('guerdon_http_requests_shed_total', 'Requests rejected with 503, by reason.', ['reason'], () =>
    Object.entries(load.shed).map(([reason, total]) => [{ reason }, total]),
  )
  gauge('guerdon_database_connections', 'Open connections to the database.', () => database.load().connections)
  gauge('guerdon_database_connections_idle', 'Idle connections to the database.', () => database.load().idle)
  gauge('guerdon_database_waiting', 'Requests that wait for a connection.', () => database.load().waiting)
  gauge(
    'guerdon_credentials_remembered',
    'Keys, tokens and projects in memory.',
    () => credentials.remembered().entries,
  )
  counter(
    'guerdon_credentials_lookups_total',
    'Lookups of keys, tokens and projects, by where they were found.',
    ['found'],
    () => {
      const { hits, misses } = credentials.remembered()
      return [
        [{ found: 'memory' }, hits],
        [{ found: 'database' }, misses],
      ]
    },
  )
  gauge(
    'guerdon_event_loop_late_seconds',
    'How late the event loop was at the last check.',
    () => load.late_ms() / 1_000,
  )
  gauge(
    'guerdon_event_loop_utilization',
    'Share of the time since the last reading that the event loop was busy.',
    newUtilization(),
  )
  new Gauge({
    name: 'guerdon_jobs',
    help: 'Jobs by queue and state; absent while the database does not answer.',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      this.reset()
      const counts = await within(limits.readiness_timeout_ms, jobs.counts()).catch(() => [])
      for (const { queue, ...states } of counts)
        for (const [state, count] of Object.entries(states)) this.set({ queue, state }, count)
    },
  })
  return async () => [await registry.metrics(), tally.exposition(), await processMetrics().metrics()].join('\n')
}

function newUtilization(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const current = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(current, last)
    last = current
    return utilization
  }
}

let processRegistry: Registry | undefined

/** Memory, CPU, garbage collection, event loop: once per process, and only from the first scrape on, since collecting costs time. */
function processMetrics(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return processRegistry
}
