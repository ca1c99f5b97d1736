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

interface Metric {
  type: 'gauge' | 'counter'
  name: string
  help: string
  labels?: string[]
  read(): Sample[] | Promise<Sample[]>
}

type Sample = [value: number, labels?: Record<string, string>]

/** All metrics in the text format of Prometheus. No label identifies a project or a customer. */
export function newMetrics(runtime: Runtime, sources: MetricSources): () => Promise<string> {
  const registry = new Registry()
  for (const metric of metricsOf(runtime, sources)) register(registry, metric)
  return async () => [await registry.metrics(), sources.tally.exposition(), await processMetrics().metrics()].join('\n')
}

/** Replaces the samples in one go at each scrape: concurrent scrapes must not add up. */
function register(registry: Registry, { name, help, type, labels: labelNames = [], read }: Metric): void {
  const options = { name, help, labelNames, registers: [registry] }
  if (type === 'gauge')
    new Gauge({
      ...options,
      async collect() {
        const samples = await read()
        this.reset()
        for (const [value, labels = {}] of samples) this.set(labels, value)
      },
    })
  else
    new Counter({
      ...options,
      async collect() {
        const samples = await read()
        this.reset()
        for (const [total, labels = {}] of samples) this.inc(labels, total)
      },
    })
}

const metricsOf = ({ database, jobs, credentials }: Runtime, { load, in_flight }: MetricSources): Metric[] => [
  {
    type: 'gauge',
    name: 'guerdon_info',
    help: 'Always 1.',
    labels: ['version', 'node', 'database'],
    read: () => [[1, { version, node: process.version, database: database.kind }]],
  },
  gauge('guerdon_http_requests_in_flight', 'Requests in flight.', in_flight),
  counter('guerdon_http_requests_shed_total', 'Requests rejected with 503, by reason.', 'reason', () => load.shed),
  gauge('guerdon_database_connections', 'Open connections to the database.', () => database.load().connections),
  gauge('guerdon_database_connections_idle', 'Idle connections to the database.', () => database.load().idle),
  gauge('guerdon_database_waiting', 'Requests that wait for a connection.', () => database.load().waiting),
  gauge(
    'guerdon_credentials_remembered',
    'Keys, tokens and projects in memory.',
    () => credentials.cacheStats().entries,
  ),
  counter(
    'guerdon_credentials_lookups_total',
    'Lookups of keys, tokens and projects, by where they were found.',
    'found',
    () => {
      const { hits, misses } = credentials.cacheStats()
      return { memory: hits, database: misses }
    },
  ),
  gauge(
    'guerdon_event_loop_late_seconds',
    'How late the event loop was at the last check.',
    () => load.late_ms() / 1_000,
  ),
  gauge(
    'guerdon_event_loop_utilization',
    'Share of the time since the last reading that the event loop was busy.',
    newUtilization(),
  ),
  {
    type: 'gauge',
    name: 'guerdon_jobs',
    help: 'Jobs by queue and state; absent while the database does not answer.',
    labels: ['queue', 'state'],
    async read() {
      const counts = await within(limits.readiness_timeout_ms, jobs.counts()).catch(() => [])
      return counts.flatMap(({ queue, ...states }) =>
        Object.entries(states).map(([state, count]): Sample => [count, { queue, state }]),
      )
    },
  },
]

const gauge = (name: string, help: string, read: () => number): Metric => {
  return { type: 'gauge', name, help, read: () => [[read()]] }
}

/** A counter whose totals, by the value of its label, are kept elsewhere and copied at each scrape. */
const counter = (name: string, help: string, label: string, read: () => Record<string, number>): Metric => {
  const samples = () => Object.entries(read()).map(([value, total]): Sample => [total, { [label]: value }])
  return { type: 'counter', name, help, labels: [label], read: samples }
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
