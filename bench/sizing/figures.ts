/** What one call of a kind costs: CPU time of the service and of PostgreSQL, and what it writes. */
export interface CallCost {
  service_ms: number
  postgres_ms: number
  wal_bytes: number
  /** What stays on the disk for good: orders, redemptions, codes and their indexes. */
  record_bytes: number
  /** Events and their data. */
  event_bytes: number
  /** The audit log, for as long as it is kept. */
  audit_bytes: number
}

export const callKinds = ['redemptions', 'validations', 'qualifications', 'publications', 'reads', 'lists'] as const
export type CallKind = (typeof callKinds)[number]

/** What `npm run bench -- sizing` measures and writes into figures.json. */
export interface Figures {
  machine: {
    processor: string
    cores: number
    memory_gb: number
    system: string
    node: string
    postgres: string
    measured_on: string
  }
  calls: Record<CallKind, CallCost>
  /** Redemptions of one code per second: they run one after another. */
  one_code_per_second: number
  /** The share of PostgreSQL's CPU time of a call that stays with the primary when replicas answer: `npm run bench -- replica`. */
  primary_share: Record<ReplicaKind, number>
}

/** What replicas answer. */
export type ReplicaKind = 'validations' | 'qualifications' | 'lists'
