import { performance } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Runtime } from '../core/context.ts'
import type { QueueCounts } from '../core/jobs/jobs.ts'
import { toInstant } from '../core/lib/instant.ts'
import { limits } from '../core/lib/limits.ts'
import { version } from '../core/lib/version.ts'
import { within } from '../core/lib/within.ts'
import { measureWaiting } from '../webhooks/delivery/waiting.ts'
import type { Load } from './load-shedding.ts'
import { mergeMetrics } from './merged-metrics.ts'
import type { RefusalTally } from './refusal-tally.ts'
import type { RequestTally } from './request-tally.ts'
import { alone, workerMetrics } from './worker-metrics.ts'

export interface MetricSources {
  tally: RequestTally
  refusals: RefusalTally
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

/**
 * All metrics of the node in the text format of Prometheus. No label identifies a project or a customer. Of several workers the one
 * that is scraped answers for all.
 */
export function newMetrics(runtime: Runtime, sources: MetricSources): () => Promise<string> {
  const ofProcess = new Registry()
  for (const metric of metricsOf(runtime, sources)) register(ofProcess, metric)
  const ofDatabase = new Registry()
  for (const metric of storedMetrics(runtime)) register(ofDatabase, metric)
  const own = async () =>
    [await ofProcess.metrics(), sources.tally.exposition(), await processMetrics().metrics()].join('\n')
  const { siblings } = runtime
  siblings?.reportMetrics(own)
  return async () => {
    const [text, stored] = await Promise.all([own(), ofDatabase.metrics()])
    if (siblings === null) return [text, stored, workerMetrics(alone)].join('\n')
    return mergeMetrics([{ text }, { text: stored }, ...(await siblings.collectMetrics(text))])
  }
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

function metricsOf(runtime: Runtime, { load, refusals, in_flight }: MetricSources): Metric[] {
  const { database } = runtime
  return [
    {
      type: 'gauge',
      name: 'guerdon_build_info',
      help: 'Always 1; the labels tell the release.',
      labels: ['version', 'node', 'database'],
      read: () => [[1, { version, node: process.version, database: database.kind }]],
    },
    gauge('guerdon_http_requests_in_flight', 'Requests in flight.', in_flight),
    counter('guerdon_http_requests_shed_total', 'Requests rejected with 503, by reason.', 'reason', () => load.shed),
    counter(
      'guerdon_rate_limited_total',
      'Requests rejected with 429, by the limit they reached.',
      'limit',
      () => refusals.limited,
    ),
    {
      type: 'counter',
      name: 'guerdon_redemptions_total',
      help: 'Requests to redeem, by result; those refused also by error key. Repeated replies are not counted.',
      labels: ['result', 'key'],
      read: () => refusals.redemptions().map(({ total, ...labels }): Sample => [total, labels]),
    },
    ...databaseMetrics(runtime),
    ...replicaMetrics(runtime),
    ...credentialMetrics(runtime),
    ...auditMetrics(runtime),
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
    counter(
      'guerdon_job_failures_total',
      'Runs of background work that failed in this process; most are retried.',
      'work',
      () => runtime.jobs.failures(),
    ),
    ...attemptMetrics(runtime),
    counter(
      'guerdon_mails_total',
      'Mails by result: sent, only logged because SMTP_URL is not set, failed and to be retried, dropped.',
      'result',
      () => runtime.mails,
    ),
  ]
}

/** What the database tells: the same on every node and worker, so that it is asked once for each scrape. */
const storedMetrics = (runtime: Runtime): Metric[] => [...jobMetrics(runtime), ...waitingMetrics(runtime)]

const databaseMetrics = ({ database, settings }: Runtime): Metric[] => [
  gauge('guerdon_database_connections', 'Open connections to the database.', () => database.load().connections),
  gauge('guerdon_database_connections_idle', 'Idle connections to the database.', () => database.load().idle),
  gauge('guerdon_database_connections_max', 'Size of the connection pool.', () =>
    database.kind === 'postgres' ? settings.database_connections : 1,
  ),
  gauge('guerdon_database_waiting', 'Requests that wait for a connection.', () => database.load().waiting),
]

const replicaMetrics = ({ replicas }: Runtime): Metric[] => [
  {
    type: 'gauge',
    name: 'guerdon_replica_up',
    help: '1 if the replica answers reads; 0 if it lags too much, does not answer or is no replica of the database.',
    labels: ['replica'],
    read: () =>
      (replicas?.list() ?? []).map((replica): Sample => [replica.whyNot() === null ? 1 : 0, labelOf(replica)]),
  },
  {
    type: 'gauge',
    name: 'guerdon_replica_lag_seconds',
    help: 'How far the replica lags behind the primary at most; absent while nothing is known of it.',
    labels: ['replica'],
    read: () =>
      (replicas?.list() ?? []).flatMap((replica): Sample[] =>
        replica.lagMs === null ? [] : [[replica.lagMs / 1_000, labelOf(replica)]],
      ),
  },
  {
    type: 'counter',
    name: 'guerdon_replica_reads_total',
    help: 'Reads that a replica may answer, by where they were answered, and on the primary by why: no replica was up, the caller had written what no replica has yet, the replica did not know something, or it failed.',
    labels: ['where', 'reason'],
    read: () =>
      Object.entries(replicas?.reads() ?? {}).map(
        ([outcome, total]): Sample => [
          total,
          outcome === 'replica' ? { where: 'replica', reason: '' } : { where: 'primary', reason: outcome },
        ],
      ),
  },
]

const labelOf = ({ name }: { name: string }) => ({ replica: name })

const credentialMetrics = ({ credentials }: Runtime): Metric[] => [
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
]

const auditMetrics = ({ auditLog }: Runtime): Metric[] => [
  counter(
    'guerdon_audit_entries_total',
    'Entries of the audit log, by what became of them: written, or dropped for lack of memory, because the database refused them, or as one of many refused requests.',
    'result',
    () => {
      const { written, dropped_overload, dropped_failure, dropped_refused } = auditLog.counts()
      return { written, dropped_overload, dropped_failure, dropped_refused }
    },
  ),
  gauge(
    'guerdon_audit_waiting_bytes',
    'Memory of the entries of the audit log that wait to be written.',
    () => auditLog.counts().waiting_bytes,
  ),
]

function jobMetrics({ jobs }: Runtime): Metric[] {
  let reading: Promise<QueueCounts[]> | null = null
  /** All metrics of a scrape are read at once, so that they share one query. */
  const counts = () => {
    reading ??= within(limits.readiness_timeout_ms, jobs.counts())
      .catch(() => [])
      .finally(() => {
        reading = null
      })
    return reading
  }
  return [
    {
      type: 'gauge',
      name: 'guerdon_jobs',
      help: 'Jobs by queue and state; absent while the database does not answer.',
      labels: ['queue', 'state'],
      read: async () =>
        (await counts()).flatMap(({ queue, queued, active, failed }) =>
          Object.entries({ queued, active, failed }).map(([state, count]): Sample => [count, { queue, state }]),
        ),
    },
    {
      type: 'gauge',
      name: 'guerdon_job_lag_seconds',
      help: 'For how long the oldest due job of the queue waits for a worker; absent while the database does not answer.',
      labels: ['queue'],
      read: async () => (await counts()).map(({ queue, lag_seconds }): Sample => [lag_seconds, { queue }]),
    },
  ]
}

const attemptMetrics = ({ webhook_attempts: attempts }: Runtime): Metric[] => [
  counter('guerdon_webhook_attempts_total', 'Attempts to deliver to webhooks, by result.', 'result', () => {
    return { succeeded: attempts.succeeded, failed: attempts.failed }
  }),
  gauge('guerdon_webhook_attempts_in_flight', 'Attempts that run now.', () => attempts.in_flight),
]

function waitingMetrics({ database, now }: Runtime): Metric[] {
  let reading: Promise<Waiting | null> | null = null
  const waiting = () => {
    reading ??= within(limits.readiness_timeout_ms, measureWaiting(database.db, toInstant(now())))
      .catch(() => null)
      .finally(() => {
        reading = null
      })
    return reading
  }
  const measured = (name: string, help: string, value: (waiting: Waiting) => number): Metric => ({
    type: 'gauge',
    name,
    help: `${help}; absent while the database does not answer.`,
    read: async () => {
      const found = await waiting()
      return found === null ? [] : [[value(found)]]
    },
  })
  return [
    measured(
      'guerdon_webhook_sendouts_waiting',
      'Send-outs that wait for an attempt, at most 100,000',
      (found) => found.waiting,
    ),
    measured(
      'guerdon_webhook_lag_seconds',
      'For how long the oldest due send-out of an active webhook has waited',
      (found) => found.lag_seconds,
    ),
  ]
}

type Waiting = Awaited<ReturnType<typeof measureWaiting>>

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
