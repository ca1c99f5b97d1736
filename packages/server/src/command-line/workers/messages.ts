import type { MetricsPart } from '../../core/siblings.ts'

/*
 * What a worker and its supervisor tell each other, as JSON. During an upgrade by SIGHUP the supervisor is of the old release and the
 * worker of the new one: each ignores what it does not know, and the meaning of a message never changes.
 */

export type ToSupervisor =
  /** It serves. The first worker also says how many connections its database allows; null: it cannot be told. */
  | { type: 'ready'; max_connections: number | null }
  | { type: 'count'; id: number; table: string; method: string; args: unknown[] }
  | { type: 'collect'; id: number; own: string }
  | { type: 'reported'; id: number; text: string }
  /** The last metrics of a worker that ends. */
  | { type: 'final'; text: string }

export type ToWorker =
  | { type: 'stop'; is_replaced: boolean }
  /** Without a value: the supervisor does not know the table or the method. */
  | { type: 'counted'; id: number; value?: unknown }
  | { type: 'collected'; id: number; parts: MetricsPart[] }
  | { type: 'report'; id: number }

/** The environment variable that tells a worker who it is. */
export const identityVariable = 'GUERDON_WORKER'

export interface WorkerIdentity {
  number: number
  count: number
  /** The first worker of a node migrates, makes the keys of the first start, and says where the service is. */
  is_first: boolean
}
