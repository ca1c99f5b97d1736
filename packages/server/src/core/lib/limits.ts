/**
 * Every bound of the service that is not a setting, in one place. The comment of each is what docs/reference/limits.md says
 * of it (`npm run reference`).
 */
export const limits = {
  /** Items of a page at most; the contract's range is 1..100. */
  page_size_max: 100,
  /** Items of a page when the query names no `limit`. */
  page_size_default: 10,
  /** Number of the last page that can be asked for. */
  page_max: 100,

  /** Fields of one filter. */
  filter_fields_max: 50,
  /** Values in all conditions of one filter: enough for any screen, too few to build a monster query. */
  filter_values_max: 1_000,
  /** Points of all locations that one condition asks for: about 10 MB of parameters. */
  filter_points_max: 100_000,
  /** Brackets in the name of a query parameter. */
  query_nesting_max: 6,
  /** Levels of a JSON body: deeper than anything we know of, and far from where recursion or the database would give up. */
  body_nesting_max: 100,

  /** Characters of a name or a source id. */
  name_length_max: 255,
  /** Characters of a free text (`description`, `additional_info`, `banner`). */
  text_length_max: 5_000,
  /** One metadata object as JSON. */
  metadata_bytes_max: 65_536,
  /** Definitions of a metadata schema, deleted ones included. */
  metadata_definitions_max: 100,
  /** Rules that a new code names at once; each is an assignment and an event. */
  voucher_rules_max: 20,
  /** Values that a metadata definition lists as allowed or forbidden. */
  definition_values_max: 1_000,
  /** Metadata schemas of a project, nested ones included, and likewise its custom event schemas: both are listed whole. */
  schemas_max: 1_000,
  /** Characters of the name of a custom event. */
  event_name_length_max: 300,
  /** Customers of a static segment. */
  static_segment_customers_max: 20_000,
  /** Dynamic segments of a project. */
  dynamic_segments_max: 100,
  /** Elements of a bulk or import body, which the size of a body bounds as well. */
  bulk_items_max: 100_000,
  /** Attributes of a product. */
  product_attributes_max: 1_000,
  /** Lines of an order. */
  order_items_max: 500,
  /** The lines of an order as they are stored, each with what the catalogue knew of it. */
  order_items_bytes_max: 16_777_216,
  /** Orders of one import. */
  order_import_max: 2_000,
  /** Orders that the job of an import writes in one transaction. */
  order_import_step: 20,
  /** SKUs that a product shows of itself; the rest is in its own list. */
  embedded_skus_max: 100,

  /** Product collections of a project, unless it has a limit of its own. */
  product_collections_max: 100,
  /** Products in a static collection, unless the project has a limit of its own. */
  collection_products_max: 20,
  /** The JSON of a stored filter: its values are counted, but not everything in it is a value. */
  filter_bytes_max: 262_144,

  /** Each part of a validation rule as JSON; 500 rules, 4 levels and 1,000 arguments are the engine's own bounds. */
  rule_bytes_max: 524_288,
  /** Rule assignments that are deleted or announced at once: their events may hold 150 MB of the largest rules there can be. */
  unassigned_at_once_max: 100,

  /** Locations of a project. */
  locations_max: 20_000,
  /** Points of the shape of a location. */
  location_points_max: 10_000,
  /** Redeemables that a request may name; stacking rules allow at most 30, and refuse the rest in their own words. */
  redeemables_sent_max: 1_000,
  /** The newest tiers that a question for all promotions looks at (docs/reference/validations.md#promotion-tiers). */
  promotions_validated_max: 150,
  /** How often a checkout decides anew without locks because another request changed a row first. */
  checkout_tries_unlocked: 4,
  /** How often a checkout decides in all, the later times under locks. */
  checkout_tries_max: 12,
  /** Trips to the database under way at a time for calls that only ask for rows. */
  lookup_batches_max: 1,
  /** Calls that only ask for rows and go together on one trip. */
  lookup_batch_size_max: 64,
  /** How long a trip is waited for before another may start. */
  slot_timeout_ms: 250,
  /** Trips to the database under way at a time for redemptions, which are decided one after the other and written together. */
  redemption_batches_max: 2,
  /** Redemptions that go together on one trip. */
  redemption_batch_size_max: 32,
  /** Lines of all orders of the redemptions on one trip. */
  redemption_batch_lines_max: 1_000,
  /** Events of validations that wait in memory to be written. */
  deferred_bytes_max: 33_554_432,
  /** How long a checkout waits for a row that another request holds (docs/reference/concurrency.md). */
  checkout_lock_seconds: 5,
  /** Elements that a qualification may be asked for. */
  qualification_page_max: 50,
  /** Elements of one page of a qualification where many were created in the same moment. */
  qualified_at_once_max: 250,
  /** Codes that one qualification loads; the next page goes on there. */
  qualification_codes_max: 10_000,
  /** Redeemables that one qualification looks at; the next page goes on there. */
  qualification_candidates_max: 50_000,
  /** Projects whose configuration is kept in memory. */
  cached_configurations_max: 200,

  /**
   * Vouchers of a campaign, unless the project has a limit of its own
   * (docs/reference/codes.md#how-many-codes-a-campaign-may-have).
   */
  campaign_vouchers_max: 100_000,
  /** Codes that a job makes in one transaction. */
  codes_at_once: 500,
  /** Of so many possible codes hardly any is taken: they are written without asking first. */
  codes_vast_min: 1_000_000_000,
  /** Possible codes that are gone through when most of them are taken. */
  codes_enumerated_max: 1_000_000,
  /** Codes that one publication gives. */
  published_at_once_max: 50,
  /** Tiers of a promotion, which are numbered and shown together. */
  promotion_tiers_max: 1_000,
  /** Stacks of a promotion, which are listed whole. */
  promotion_stacks_max: 1_000,
  /** Tiers of a promotion stack. */
  stack_tiers_max: 30,
  /** Rules that a promotion tier names. */
  promotion_tier_rules_max: 20,
  /** Referees that a request names at once (docs/reference/holders.md#endpoints). */
  referral_holders_sent_max: 100,
  /** Tiers of a referral program, which each conversion looks at. */
  referral_tiers_max: 100,
  /** Earning rules of a project, unless it has a limit of its own (docs/reference/earning-rules.md#endpoints). */
  earning_rules_max: 100,
  /** Earning rules that a request creates at once. */
  earning_rules_sent_max: 100,
  /** Loyalty tiers that a request creates at once. */
  loyalty_tiers_sent_max: 100,
  /** Tiers of a loyalty program, which are looked at together. */
  loyalty_tiers_max: 1_000,
  /** Rewards that a request assigns (docs/reference/rewards.md#assignments-of-a-program). */
  rewards_assigned_at_once_max: 100,
  /** Rewards of a loyalty program, which its members are shown together. */
  program_rewards_max: 1_000,
  /** What a loyalty tier maps: earning rules, and rewards by either of their ids. */
  tier_mappings_max: 1_000,
  /** Products and SKUs that a campaign template holds copies of. */
  campaign_template_goods_max: 1_000,
  /** A campaign template as JSON. */
  campaign_template_bytes_max: 10_485_760,
  /** Codes to which the job of a campaign update carries the change in one transaction. */
  carried_at_once: 1_000,
  /** Codes of a campaign that its deletion takes away in one transaction. */
  codes_deleted_at_once: 500,
  /** Redemptions of a campaign that its deletion takes away in one transaction. */
  redemptions_deleted_at_once: 2_000,
  /** Redemptions of one code in an answer that is not paged. */
  voucher_redemptions_shown_max: 1_000,

  /** Characters of an `Idempotency-Key`. */
  idempotency_key_length_max: 255,
  /** How long the first reply to an `Idempotency-Key` is kept. */
  idempotency_ttl_hours: 24,

  /** How often a write is tried again after a serialization failure or a deadlock. */
  transaction_attempts_max: 5,

  /** How long a request, and each of its statements, may take. */
  request_timeout_seconds: 180,
  /** How long a statement waits for a row that another one holds. */
  lock_timeout_seconds: 30,
  /** How long a request waits for a connection to the database before it is turned away. */
  connection_wait_seconds: 20,
  /** How long a node that is told to stop goes on with what it has begun. */
  shutdown_seconds: 10,

  /** Requests that wait for the database; more are turned away. At a slow 50 ms each, 8 connections work these off in 6 s. */
  database_waiting_max: 1_000,
  /** An event loop that is later than this, look after look, has more to do than it can. */
  event_loop_late_ms_max: 500,
  /** A database that takes longer to say anything at all counts as away. */
  readiness_timeout_ms: 2_000,

  /**
   * Keys, tokens and projects live this long in memory, and what they proved as long again: a change that is never heard
   * of is in force after a minute. Every change is announced to all nodes at once.
   */
  credential_ttl_seconds: 30,
  /** Keys, tokens and projects in the memory of a node. */
  credential_cache_entries_max: 20_000,

  /** Management keys of an installation. */
  management_keys_max: 5,
  /** Entries of `client_trusted_domains` of a project. */
  trusted_domains_max: 100,
  /** Failures that the result of an async action lists. */
  async_failures_listed_max: 1_000,

  /** Parts of a multipart body: a file and a few fields. */
  multipart_parts_max: 50,
  /** The head of one part of a multipart body. */
  multipart_head_bytes_max: 16_384,
  /** A row of a CSV file: what is longer is no row but a quotation mark that was never closed. */
  csv_record_bytes_max: 1_048_576,
  /** Columns of a CSV file that is imported, and fields that an export names. */
  csv_columns_max: 1_000,
  /** Rows of a CSV file that an import takes in one transaction. */
  csv_step_rows: 500,
  /** Elements that a bulk update takes in one transaction. */
  bulk_step_items: 100,
  /** Rows that an export reads in one transaction. */
  export_step_rows: 500,
  /** The same where no index has the order, so that each step sorts all rows. */
  export_sorted_step_rows: 10_000,
  /** Columns of an exported file. */
  export_columns_max: 10_000,
  /** A stored piece of a file. */
  file_chunk_bytes_max: 262_144,
  /** How long a report can be downloaded, and a file is kept that no job deletes. */
  file_ttl_days: 30,
  /** How long the download of a file may take. */
  download_timeout_seconds: 3_600,
  /** QR codes in memory: at most 17 kB each. */
  qr_patterns_remembered_max: 256,
} as const
