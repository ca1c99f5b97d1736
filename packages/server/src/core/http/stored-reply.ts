import type { Instant } from '../lib/instant.ts'

/** A reply that can be stored under an idempotency key and replayed. */
export interface StoredReply {
  status: number
  body: string
}

/** What an operation with `saves` needs to store its reply. */
export interface ReplyStore {
  /** Null when the request has no idempotency key. */
  key: { key: string; fingerprint: string; expires_at: Instant } | null
  replyOf(result: unknown): Promise<StoredReply>
  /** Registers `work` to run with the body of the reply, unless it is a refusal or a replay; the last registration wins. */
  onReply(work: (body: string) => void): void
}
