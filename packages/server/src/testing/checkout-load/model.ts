import type { Thing } from './goods.ts'

/** The model: the requests and their responses. */
export interface Ledger {
  checkouts: Checkout[]
  refusals: Refusal[]
  holds: Hold[]
  /** Failed redemptions and rollbacks, which are stored too. */
  failed: Set<string>
  /** Requests with an idempotency key, and their responses. */
  kept: Array<{ path: string; body: unknown; key: string; status: number; text: string }>
  violations: string[]
  /** When writes were acknowledged for the first time, in Unix milliseconds. */
  acknowledged: number[]
  /** Number of answered requests. */
  requests: number
  unanswered: number
  replayed: number
  slowest_ms: number
}

export const newLedger = (): Ledger => ({
  checkouts: [],
  refusals: [],
  holds: [],
  failed: new Set(),
  kept: [],
  violations: [],
  acknowledged: [],
  requests: 0,
  unanswered: 0,
  replayed: 0,
  slowest_ms: 0,
})

export interface Checkout {
  /** The id of the redemption, or of the parent of a stack. */
  id: string
  children: Array<Use & { id: string }>
  order: OrderRecord | null
  span: Span
  undone: (Span & { id: string; children: string[] }) | null
}

export interface Refusal {
  uses: Use[]
  key: string
  span: Span
}

export interface Hold {
  uses: Use[]
  span: Span
  ttl_ms: number
  ended: Span | null
}

/** The use of a redeemable in a request. */
export interface Use {
  thing: Thing
  customer: string
  discount: number
  credits: number
  units: number
}

export interface OrderRecord {
  id: string | null
  source_id: string | null
  amount: number
}

/** When a request was sent and when it was answered: its effect happened in between. */
export interface Span {
  started_at: number
  ended_at: number
}
