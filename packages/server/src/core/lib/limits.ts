/** Every bound of the service that is not a setting, in one place. */
export const limits = {
  /** Items of a page; the contract's range is 1..100. */
  page_size_max: 100,
  page_size_default: 10,
  page_max: 100,

  /** Operators and values a single list filter may hold: enough for any screen, too few to build a monster query. */
  filter_fields_max: 50,
  filter_values_max: 1_000,
  /** Points of all locations that one condition asks for: about 10 MB of parameters. */
  filter_points_max: 100_000,
  query_nesting_max: 6,
  /** Deeper than anything we know of, and far from where recursion or the database would give up. */
  body_nesting_max: 100,

  name_length_max: 255,
  text_length_max: 5_000,
  metadata_bytes_max: 65_536,
  metadata_definitions_max: 100,
  /** Rules that a new code names at once; each is an assignment and an event. */
  voucher_rules_max: 20,
  /** Values that a metadata definition lists as allowed or forbidden. */
  definition_values_max: 1_000,
  /** Metadata schemas of a project, nested ones included, and likewise its custom event schemas: both are listed whole. */
  schemas_max: 1_000,
  event_name_length_max: 300,
  static_segment_customers_max: 20_000,
  dynamic_segments_max: 100,
  /** Elements of a bulk or import body, which the size of a body bounds as well. */
  bulk_items_max: 100_000,
  product_attributes_max: 1_000,
  order_items_max: 500,
  /** The lines of an order as they are stored, each with what the catalogue knew of it. */
  order_items_bytes_max: 16_777_216,
  order_import_max: 2_000,
  order_import_step: 20,
  /** SKUs that a product shows of itself; the rest is in its own list. */
  embedded_skus_max: 100,

  product_collections_max: 100,
  collection_products_max: 20,
  /** The JSON of a stored filter: its values are counted, but not everything in it is a value. */
  filter_bytes_max: 262_144,

  /** Each part of a validation rule as JSON; 500 rules, 4 levels and 1,000 arguments are the engine's own bounds. */
  rule_bytes_max: 524_288,
  /** Each of their events carries its rule, so that these may hold 150 MB of the largest rules there can be. */
  unassigned_at_once_max: 100,

  locations_max: 20_000,
  location_points_max: 10_000,
  /** Redeemables that a request may name; stacking rules allow at most 30, and refuse the rest in their own words. */
  redeemables_sent_max: 1_000,
  /**
   * The newest tiers that are looked at when somebody asks which promotions there are
   * (docs/reference/validations.md#promotion-tiers).
   */
  promotions_validated_max: 150,
  /** How often a decision is made anew because somebody was faster, before it is made under locks, and in all. */
  checkout_tries_unlocked: 4,
  checkout_tries_max: 12,
  /** Trips to the database under way at a time for calls that only ask for rows, and calls that go together on one. */
  gathering_trips_max: 1,
  gathering_calls_max: 64,
  /** How long a trip is waited for before another may start. */
  trip_patience_ms: 250,
  /** The same of redemptions, which are decided one after the other and written together. */
  company_trips_max: 2,
  company_calls_max: 32,
  /** Lines of all their orders. */
  company_lines_max: 1_000,
  /** What is noted of validations and not written down yet. */
  noted_bytes_max: 33_554_432,
  /** How long a checkout waits for a row that somebody else holds (docs/reference/concurrency.md). */
  checkout_lock_seconds: 5,
  /** Elements that a qualification is asked for, and those of one page where many were created in the same moment. */
  qualification_page_max: 50,
  qualified_at_once_max: 250,
  /** What one qualification looks at: codes that have to be loaded, and everything together. The next page goes on there. */
  qualification_codes_max: 10_000,
  qualification_candidates_max: 50_000,
  /** Projects whose configuration is kept in memory. */
  cached_configurations_max: 200,

  /**
   * Vouchers of a campaign, unless the project has a limit of its own
   * (docs/reference/codes.md#how-many-codes-a-campaign-may-have).
   */
  campaign_vouchers_max: 100_000,
  /** Codes that are made in one transaction of a job. */
  codes_at_once: 500,
  /** Of so many possible codes hardly any is taken: they are written without asking first. */
  codes_vast_min: 1_000_000_000,
  /** Possible codes that are gone through when most of them are taken. */
  codes_enumerated_max: 1_000_000,
  published_at_once_max: 50,
  /** Tiers of a promotion, which are numbered and shown together, and its stacks, which are listed whole. */
  promotion_tiers_max: 1_000,
  promotion_stacks_max: 1_000,
  stack_tiers_max: 30,
  promotion_tier_rules_max: 20,
  /**
   * Referees that a request names at once (docs/reference/holders.md#endpoints), and tiers of a referral program, which each
   * conversion looks at.
   */
  referral_holders_sent_max: 100,
  referral_tiers_max: 100,
  /** Of a project, unless it has a limit of its own (docs/reference/earning-rules.md#endpoints). */
  earning_rules_max: 100,
  earning_rules_sent_max: 100,
  loyalty_tiers_sent_max: 100,
  /** Tiers of a program, which are looked at together. */
  loyalty_tiers_max: 1_000,
  /**
   * Rewards that a request assigns, and all those of a program, which its members are shown together
   * (docs/reference/rewards.md#assignments-of-a-program).
   */
  rewards_assigned_at_once_max: 100,
  program_rewards_max: 1_000,
  /** What a tier maps: earning rules, and rewards by either of their ids. */
  tier_mappings_max: 1_000,
  /** What a campaign template holds copies of: products and SKUs, and all of it as JSON. */
  campaign_template_goods_max: 1_000,
  campaign_template_bytes_max: 10_485_760,
  carried_at_once: 1_000,
  codes_deleted_at_once: 500,
  redemptions_deleted_at_once: 2_000,
  /** Of one code, where the caller does not page. */
  voucher_redemptions_shown_max: 1_000,

  idempotency_key_length_max: 255,
  idempotency_ttl_hours: 24,

  /** How often a write is tried again after a serialization failure or a deadlock. */
  transaction_attempts_max: 5,

  request_timeout_seconds: 180,
  /** A statement waits this long for a row another one holds. */
  lock_timeout_seconds: 30,
  /** A request that gets no connection to the database in this time is turned away. */
  connection_wait_seconds: 20,
  shutdown_seconds: 10,

  /** Requests that wait for the database; more are turned away. At a slow 50 ms each, 8 connections work these off in 6 s. */
  database_waiting_max: 1_000,
  /** An event loop that is later than this, look after look, has more to do than it can. */
  event_loop_late_ms_max: 500,
  /** A database that takes longer to say anything at all counts as away. */
  readiness_timeout_ms: 2_000,

  /**
   * Keys, tokens and projects live this long in memory, and what they proved as long again: a change that is never heard
   * of is in force after a minute. Every change is announced to all nodes at once (core/http/credentials.ts).
   */
  credential_ttl_seconds: 30,
  credential_cache_entries_max: 20_000,

  management_keys_max: 5,
  trusted_domains_max: 100,
  async_failures_listed_max: 1_000,

  /** Parts of a multipart body and bytes of the head of each: a file and a few fields. */
  multipart_parts_max: 50,
  multipart_head_bytes_max: 16_384,
  /** What is longer is no row of data but a quotation mark that was never closed. */
  csv_record_bytes_max: 1_048_576,
  csv_columns_max: 1_000,
  /** Rows or elements that a job takes in one transaction. */
  csv_step_rows: 500,
  bulk_step_items: 100,
  export_step_rows: 500,
  export_sorted_step_rows: 10_000,
  export_columns_max: 10_000,
  file_chunk_bytes_max: 262_144,
  /** How long a report can be downloaded, and a file is kept that nobody came back to delete. */
  file_ttl_days: 30,
  download_timeout_seconds: 3_600,
  /** QR codes in memory: at most 17 kB each. */
  qr_patterns_remembered_max: 256,
} as const
