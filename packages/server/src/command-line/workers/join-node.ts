import cluster from 'node:cluster'
import { type CallerCounts, newCallerCounts } from '../../core/http/caller-counts.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Settings } from '../../core/settings.ts'
import type { MetricsPart, Siblings } from '../../core/siblings.ts'
import { identityVariable, type ToSupervisor, type ToWorker, type WorkerIdentity } from './messages.ts'

/** The connection of a worker to its supervisor. */
export interface Membership extends Siblings {
  is_first: boolean
  /** Tells the supervisor that this worker serves. */
  serves(maxConnections: number | null): void
  /** Calls back when the supervisor wants this worker to end, or has itself ended; and again when the whole node stops after that. */
  onStop(stop: (reason: StopReason) => void): void
  /** Reports the last metrics; resolves when they are sent. */
  leave(): Promise<void>
}

export type StopReason = 'node_stops' | 'replaced' | 'supervisor_ended'

/** To be called in a worker before anything else. */
export function joinNode(settings: Settings): Membership {
  const { number, count, is_first }: WorkerIdentity = JSON.parse(process.env[identityVariable] ?? '')
  // Node would end this process at once when the supervisor has ended; it shall finish its requests instead.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
  const nodeStops = new AbortController()
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let asked = 0
  let isReplaced = false
  let read: () => Promise<string> = async () => ''
  let stop: (reason: StopReason) => void = () => process.exit(0)

  const send = (message: ToSupervisor, done: () => void = () => {}) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => done())
    else done()
  }

  /** The answer of the supervisor; undefined if it has none, has ended, or does not answer in time. */
  function ask(question: (id: number) => ToSupervisor): Promise<unknown> {
    if (!process.connected) return Promise.resolve()
    asked += 1
    const waited = Promise.withResolvers<unknown>()
    waiting.set(asked, waited)
    const id = asked
    send(question(id))
    const timer = setTimeout(() => answer(id, undefined), answerMsMax)
    return waited.promise.finally(() => clearTimeout(timer))
  }

  function answer(id: number, value: unknown): void {
    waiting.get(id)?.resolve(value)
    waiting.delete(id)
  }

  process.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'counted':
        answer(message.id, message.value)
        break
      case 'collected':
        answer(message.id, message.parts)
        break
      case 'report':
        void read()
          .catch(() => '')
          .then((text) => send({ type: 'reported', id: message.id, text }))
        break
      case 'stop':
        if (!message.is_replaced) nodeStops.abort()
        isReplaced ||= message.is_replaced
        stop(message.is_replaced ? 'replaced' : 'node_stops')
    }
  })
  process.on('disconnect', () => {
    for (const id of [...waiting.keys()]) answer(id, undefined)
    nodeStops.abort()
    stop('supervisor_ended')
  })
  // In a terminal, and from some supervisors, every process of the node gets the signal. Here the first one is as good as a message, and
  // a second one means nothing: that is for the supervisor to decide.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      nodeStops.abort()
      stop('node_stops')
    })
  process.on('SIGHUP', () => {})

  return {
    number,
    count,
    is_first,
    callers: countedBySupervisor(settings, ask),
    async collectMetrics(own) {
      const parts = await ask((id) => ({ type: 'collect', id, own }))
      if (parts === undefined) throw new Error('The supervisor of this worker does not answer')
      return parts as MetricsPart[]
    },
    reportMetrics: (reader) => {
      read = reader
    },
    isReplaced: () => isReplaced,
    node_stops: nodeStops.signal,
    serves: (maxConnections) => send({ type: 'ready', max_connections: maxConnections }),
    onStop: (stopper) => {
      stop = stopper
    },
    async leave() {
      const text = await read()
      await new Promise<void>((resolve) => send({ type: 'final', text }, resolve))
    },
  }
}

/** How long the supervisor may take: it waits for the metrics of the other workers. */
const answerMsMax = 2 * limits.worker_report_ms

/**
 * The tables of `CallerCounts`, kept by the supervisor. When it does not answer, or does not know what is asked, every call is let
 * through: it protects less than it would harm to refuse all callers.
 */
function countedBySupervisor(
  settings: Settings,
  ask: (question: (id: number) => ToSupervisor) => Promise<unknown>,
): CallerCounts {
  const unlimited = newCallerCounts({
    client_rate_limit: null,
    wrong_codes_limit: null,
    wrong_credentials_limit: null,
    client_sessions_max: Number.POSITIVE_INFINITY,
  })
  const remote = <Table extends object>(table: string, fallback: Table): Table => {
    const methods = Object.entries(fallback).map(([method, allow]) => [
      method,
      async (...args: unknown[]) =>
        (await ask((id) => ({ type: 'count', id, table, method, args }))) ?? (await allow(...args)),
    ])
    return Object.fromEntries(methods)
  }
  return {
    calls: settings.client_rate_limit === null ? unlimited.calls : remote('calls', unlimited.calls),
    codes: settings.wrong_codes_limit === null ? unlimited.codes : remote('codes', unlimited.codes),
    suspects: settings.wrong_credentials_limit === null ? unlimited.suspects : remote('suspects', unlimited.suspects),
    sessions: remote('sessions', unlimited.sessions),
  }
}
