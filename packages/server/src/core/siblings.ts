import type { CallerCounts } from './http/caller-counts.ts'

/** Metrics in the text format of Prometheus, of one process. */
export interface MetricsPart {
  text: string
  /** The process has ended or did not answer in time: its gauges tell nothing any more, its counters still count. */
  counters_only?: boolean
}

/** What a worker of a node has of the others, through their supervisor (command-line/workers). */
export interface Siblings {
  /** The number of this worker, from 1. A worker that replaces another has its number. */
  number: number
  /** Workers of the node at most. */
  count: number
  /** Counts callers for all workers together. */
  callers: CallerCounts
  /** The metrics of the supervisor and of all other workers, those included that have ended. */
  collectMetrics(own: string): Promise<MetricsPart[]>
  /** What to report when another worker collects, and before this one ends. */
  reportMetrics(read: () => Promise<string>): void
  /** Whether another worker has taken the place of this one. Then it accepts no connections, and has time. */
  isReplaced(): boolean
  /** Aborted when the whole node stops, also while this worker takes its time. */
  node_stops: AbortSignal
}
