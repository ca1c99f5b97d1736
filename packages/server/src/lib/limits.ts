/** Every bound of the service that is not a setting, in one place. */
export const limits = {
  /** Items of a page; the contract's range is 1..100. */
  page_size_max: 100,
  page_size_default: 10,
  page_max: 100,

  /** Operators and values a single list filter may hold: enough for any screen, too few to build a monster query. */
  filter_fields_max: 50,
  filter_values_max: 1_000,
  query_nesting_max: 6,
  /** Deeper than anything we know of, and far from where recursion or the database would give up. */
  body_nesting_max: 100,

  name_length_max: 255,
  text_length_max: 5_000,
  metadata_bytes_max: 65_536,

  idempotency_key_length_max: 255,
  idempotency_ttl_hours: 24,

  /** How often a write is tried again after a serialization failure or a deadlock. */
  transaction_attempts_max: 5,

  request_timeout_seconds: 180,
  /** A statement waits this long for a row another one holds. */
  lock_timeout_seconds: 30,
  shutdown_seconds: 10,

  /** Requests that wait for the database; more are turned away. At a slow 50 ms each, 8 connections work these off in 6 s. */
  database_waiting_max: 1_000,
  /** An event loop that is later than this, look after look, has more to do than it can. */
  event_loop_late_ms_max: 500,
  /** A database that takes longer to say anything at all counts as away. */
  readiness_timeout_ms: 2_000,

  /**
   * Keys, tokens and projects live this long in memory, and what they proved as long again: a change that is never heard
   * of is in force after a minute. Every change is announced to all nodes at once (http/credentials.ts).
   */
  credential_ttl_seconds: 30,
  credential_cache_entries_max: 20_000,

  management_keys_max: 5,
  trusted_domains_max: 100,
  async_failures_listed_max: 1_000,
} as const
