import type { AuditLogRow } from '../db/tables.ts'

/**
 * Writes an entry for each request, after the response and in batches (docs/reference/audit-log.md). No request waits for it: what
 * does not fit into its memory is dropped and counted.
 */
export interface AuditLog {
  record(entry: AuditEntry): void
  /** Tries to write everything recorded so far. */
  flush(): Promise<void>
  /** Since the start of the process. */
  counts(): AuditCounts
  /** Writes what is left, for a limited time. */
  close(): Promise<void>
}

export interface AuditCounts {
  /** Also those of a project that was deleted meanwhile, which has no log any more. */
  written: number
  /** There was no memory left: the database is slower than the entries arrive, or away. */
  dropped_overload: number
  /** Requests above a rate limit, with wrong credentials, or that the client side refused before their operation, of which few per second are logged. */
  dropped_refused: number
  /** The database refused the entry, or could not be written until the node stopped. */
  dropped_failure: number
  waiting_bytes: number
}

/** A request as it is kept until it is written: bodies are cut, but not masked yet. */
export interface AuditEntry
  extends Pick<
    AuditLogRow,
    | 'request_duration'
    | 'status_code'
    | 'channel'
    | 'method'
    | 'endpoint'
    | 'url'
    | 'user_email'
    | 'app_id'
    | 'client_app_id'
    | 'client_request_id'
    | 'request_body'
    | 'response_body'
  > {
  /** Null if the credentials were refused: then `claimed` may name the project. */
  project_id: string | null
  claimed: ClaimedCredentials | null
  /** Whether anybody can send such requests without being counted by a limit: their entries have little memory. */
  is_refused: boolean
  request_id: string
  /** Whether `request_body` is a form (`a=1&b=2`). */
  is_form: boolean
}

/** What a request with wrong or missing credentials says about its sender. */
export interface ClaimedCredentials {
  app_id: string | null
  client_app_id: string | null
  /** As it was sent. */
  token: string | null
}
