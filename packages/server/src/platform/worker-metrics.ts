/** The workers of a node now, and how often one took the place of another. */
export interface WorkerFigures {
  serving: number
  starting: number
  /** Replaced, and finishing their last requests. */
  retiring: number
  died: number
  replaced: number
}

/** A process that serves alone. */
export const alone: WorkerFigures = { serving: 1, starting: 0, retiring: 0, died: 0, replaced: 0 }

/** In the text format of Prometheus. */
export function workerMetrics({ died, replaced, ...states }: WorkerFigures): string {
  return [
    '# HELP guerdon_workers Processes of this node that serve requests, by state.',
    '# TYPE guerdon_workers gauge',
    ...Object.entries(states).map(([state, count]) => `guerdon_workers{state="${state}"} ${count}`),
    '',
    '# HELP guerdon_worker_restarts_total Workers that took the place of another, by what became of that: died, or replaced on SIGHUP.',
    '# TYPE guerdon_worker_restarts_total counter',
    `guerdon_worker_restarts_total{reason="died"} ${died}`,
    `guerdon_worker_restarts_total{reason="replaced"} ${replaced}`,
    '',
  ].join('\n')
}

/** What the supervisor itself uses, added to what its workers use. */
export function ownUsage(): string {
  const { user, system } = process.cpuUsage()
  const counters = {
    process_cpu_user_seconds_total: user / 1e6,
    process_cpu_system_seconds_total: system / 1e6,
    process_cpu_seconds_total: (user + system) / 1e6,
  }
  return [
    ...Object.entries(counters).flatMap(([name, value]) => [`# TYPE ${name} counter`, `${name} ${value}`, '']),
    '# TYPE process_resident_memory_bytes gauge',
    `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
    '',
  ].join('\n')
}
