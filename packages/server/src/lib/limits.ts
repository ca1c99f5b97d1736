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

  /** Keys, tokens and projects live this long in memory; a change is announced to all nodes at once (see http/credentials.ts). */
  credential_ttl_seconds: 30,
  credential_cache_entries_max: 20_000,

  management_keys_max: 5,
  trusted_domains_max: 100,
  async_failures_listed_max: 1_000,
} as const
