import type { Instant } from '../lib/instant.ts'

/** An answer that can be kept and given again. */
export interface StoredReply {
  status: number
  body: string
}

/** What an operation that saves by itself needs to keep its reply. */
export interface ReplyStore {
  /** Null when the caller sent none. */
  key: { key: string; fingerprint: string; expires_at: Instant } | null
  replyOf(result: unknown): StoredReply
  /** Called with the text that is answered, unless that is a refusal or was answered before; of several the last one counts. */
  onReply(work: (body: string) => void): void
}
