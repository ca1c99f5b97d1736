import { type CallerCounts, newCallerCounts } from '../../core/http/caller-counts.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Settings } from '../../core/settings.ts'
import type { MetricsPart } from '../../core/siblings.ts'
import { mergeMetrics } from '../../platform/merged-metrics.ts'
import { ownUsage, type WorkerFigures, workerMetrics } from '../../platform/worker-metrics.ts'
import type { ToSupervisor, ToWorker } from './messages.ts'

/** A worker as the relay sees it. */
export interface Correspondent {
  send(message: ToWorker): void
}

/** What the supervisor does for its workers besides keeping them running. */
export interface Relay {
  receive(from: Correspondent, message: ToSupervisor): void
  /** To be called for a worker that serves: it is asked for its metrics. */
  join(worker: Correspondent): void
  /** Keeps what a worker that has ended has counted. */
  leave(worker: Correspondent): void
}

/** Counts callers for all workers, and collects their metrics for the one that is scraped. */
export function newRelay(settings: Settings, figures: () => WorkerFigures): Relay {
  const counts = newCallerCounts(settings)
  /** Workers, and the metrics that each reported last. */
  const members = new Map<Correspondent, string>()
  /** The counters of workers that have ended. Without them the sums would go backwards. */
  let ended = ''
  /** Answers that a scrape waits for. */
  const awaited = new Map<number, () => void>()
  let asked = 0

  async function collect(from: Correspondent, own: string): Promise<MetricsPart[]> {
    members.set(from, own)
    const others = [...members.keys()].filter((member) => member !== from)
    const late = new Set(others)
    await Promise.all(others.map((member) => report(member).then((isDone) => isDone && late.delete(member))))
    return [
      { text: workerMetrics(figures()) },
      ...others.flatMap((member) => {
        // One that ended meanwhile is among the ended ones.
        const text = members.get(member)
        return text === undefined ? [] : [{ text, counters_only: late.has(member) }]
      }),
      { text: ended, counters_only: true },
      { text: ownUsage() },
    ]
  }

  /** Asks a worker for its metrics; false if it does not answer in time, since something keeps its event loop. */
  function report(member: Correspondent): Promise<boolean> {
    asked += 1
    const id = asked
    return new Promise((resolve) => {
      const timer = setTimeout(() => end(false), limits.worker_report_ms)
      const end = (isDone: boolean) => {
        clearTimeout(timer)
        awaited.delete(id)
        resolve(isDone)
      }
      awaited.set(id, () => end(true))
      member.send({ type: 'report', id })
    })
  }

  return {
    join: (worker) => void members.set(worker, ''),
    leave(worker) {
      const last = members.get(worker)
      members.delete(worker)
      if (last === undefined || last === '') return
      const parts = [ended, last].map((text): MetricsPart => ({ text, counters_only: true }))
      ended = mergeMetrics(parts)
    },
    receive(from, message) {
      switch (message.type) {
        case 'count':
          from.send({ type: 'counted', id: message.id, ...countWith(counts, message) })
          break
        case 'collect':
          void collect(from, message.own).then((parts) => from.send({ type: 'collected', id: message.id, parts }))
          break
        case 'reported':
          if (members.has(from)) members.set(from, message.text)
          awaited.get(message.id)?.()
          break
        case 'final':
          if (members.has(from)) members.set(from, message.text)
      }
    },
  }
}

function countWith(
  counts: CallerCounts,
  { table, method, args }: Extract<ToSupervisor, { type: 'count' }>,
): { value?: unknown } {
  const tables = counts as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>
  const known = Object.hasOwn(tables, table) ? tables[table]?.[method] : undefined
  // `null` travels where nothing is returned: `undefined` does not.
  return known === undefined ? {} : { value: known(...args) ?? null }
}
