/**
 * Every fixed limit of the service, in one place. docs/reference/limits.md prints the comments (`npm run reference`).
 */
export const limits = {
  /** Maximum `limit` of a list; the contract's range is 1..100. */
  page_size_max: 100,
  /** Items of a page when the query has no `limit`. */
  page_size_default: 10,
  /** Highest page number that a request may ask for. */
  page_max: 100,

  /** Hours, days, weeks or months in one answer of the statistics. */
  statistics_points_max: 200,
  /** Days of the statistics when the query has no `from`. */
  statistics_days_default: 30,
  /** Rows of a table that statistics read in addition to the sums; if more wait, the answer is as old as the sums. */
  statistics_tail_rows_max: 200,
  /** Members of a loyalty program that its statistics count. */
  statistics_members_max: 50_000,
  /** Entries of the list of what needs attention. */
  attention_entries_max: 50,
  /** Objects of a kind that a search finds. */
  search_results_max: 5,
  /** Characters of a searched text. */
  search_length_max: 255,

  /** Requests to another service that an import of an account has open at once. */
  account_requests_at_once: 4,
  /** Attempts of such a request that fails; those refused with 429 do not count. */
  account_attempts_max: 8,
  /** The same before the account has answered anything. */
  account_first_attempts_max: 3,
  /** Seconds before such a request is answered completely. */
  account_request_seconds: 120,
  /** Longest pause between two attempts, in seconds. */
  account_wait_seconds_max: 300,
  /** Seconds that an import waits for a file that the other service writes. */
  account_export_seconds: 3_600,
  /** Bytes of one answer of the other service. */
  account_reply_bytes_max: 67_108_864,
  /** Bytes of its answers that an import holds at once, before it writes their rows to a file. */
  account_held_bytes_max: 268_435_456,
  /** Bytes of one object that is carried over. */
  account_row_bytes_max: 1_048_576,

  /** Fields of one filter. */
  filter_fields_max: 50,
  /** Values in all conditions of one filter together: enough for any screen, too few for an excessively large query. */
  filter_values_max: 1_000,
  /** Points of all locations in one condition together: about 10 MB of parameters. */
  filter_points_max: 100_000,
  /** Nesting levels (brackets) in the name of a query parameter. */
  query_nesting_max: 6,
  /** Nesting levels of a JSON body: more than any real body has, far fewer than would overflow the stack or exceed limits of the database. */
  body_nesting_max: 100,
  /** Faults of a body or query that an error lists; more are not looked for. */
  listed_faults_max: 50,
  /** Characters of the header `Guerdon-Ignored`. */
  ignored_header_length_max: 1_024,
  /**
   * Values in a JSON body, or in each element of a bulk body: more than any real body has, far fewer than would take long to parse and
   * to check.
   */
  body_values_max: 50_000,
  /** Size of a form, which only `/v1/oauth` takes: a token and its scopes have some hundred bytes. */
  form_bytes_max: 16_384,
  /** Fields of a form. */
  form_fields_max: 100,
  /** Size of all headers of a request. */
  header_bytes_max: 16_384,
  /** How long work on one request may keep the event loop; then other requests have their turn. */
  slice_ms: 15,

  /** Characters of a name or a source id. */
  name_length_max: 255,
  /** Characters of a free text (`description`, `additional_info`, `banner`). */
  text_length_max: 5_000,
  /** Size of one metadata object as JSON. */
  metadata_bytes_max: 65_536,
  /** Definitions of a metadata schema, including deleted ones. */
  metadata_definitions_max: 100,
  /** Validation rules in the request that creates a voucher; each creates an assignment and an event. */
  voucher_rules_max: 20,
  /** Allowed or forbidden values of a metadata definition. */
  definition_values_max: 1_000,
  /** Metadata schemas of a project, including nested ones, and likewise its custom event schemas: both lists are not paged. */
  schemas_max: 1_000,
  /** Characters of the name of a custom event. */
  event_name_length_max: 300,
  /** Consents of a project, whose list is not paged. */
  consents_max: 100,
  /** Groups of consents of a project, whose list is not paged. */
  consent_groups_max: 100,
  /** Decisions of a customer that are kept for each consent, the first and the newest: as proof, bounded because a page may change its mind at will. */
  consent_decisions_max: 20,
  /** Customers of a static segment. */
  static_segment_customers_max: 20_000,
  /** Dynamic segments of a project. */
  dynamic_segments_max: 100,
  /** Elements of a bulk or import body, which `MAX_BODY_BYTES` limits as well. */
  bulk_items_max: 100_000,
  /** Attributes of a product. */
  product_attributes_max: 1_000,
  /** Lines of an order. */
  order_items_max: 500,
  /** Size of the stored lines of an order as JSON, each with its product data from the catalogue. */
  order_items_bytes_max: 16_777_216,
  /** Orders of one import. */
  order_import_max: 2_000,
  /** Orders that an import job writes per transaction. */
  order_import_step: 20,
  /** SKUs embedded in a product; the list of SKUs returns the rest. */
  embedded_skus_max: 100,

  /** Product collections of a project, unless its `limits` say otherwise. */
  product_collections_max: 100,
  /** Products in a static collection, unless the `limits` of the project say otherwise. */
  collection_products_max: 20,
  /** Size of a stored filter as JSON; limits the parts that `filter_values_max` does not count. */
  filter_bytes_max: 262_144,

  /** Size of each part of a validation rule as JSON; the engine itself limits a rule to 500 rules, 4 levels and 1,000 arguments. */
  rule_bytes_max: 524_288,
  /** Rule assignments that are deleted, or whose events are emitted, per batch: with rules of maximum size the events hold 150 MB. */
  unassigned_at_once_max: 100,

  /** Locations of a project. */
  locations_max: 20_000,
  /** Points in the shape of a location. */
  location_points_max: 10_000,
  /** Redeemables in one request; stacking rules allow at most 30 and refuse more with their own error. */
  redeemables_sent_max: 1_000,
  /** Newest tiers that a validation of all promotions evaluates (docs/reference/validations.md#promotion-tiers). */
  promotions_validated_max: 150,
  /** Attempts of a checkout without locks; each conflict with another request causes a retry. */
  checkout_tries_unlocked: 4,
  /** Attempts of a checkout in total; those after `checkout_tries_unlocked` lock the rows first. */
  checkout_tries_max: 12,
  /** Concurrent lookup batches: queries that load rows for several requests at once. */
  lookup_batches_max: 1,
  /** Requests per lookup batch. */
  lookup_batch_size_max: 64,
  /** Time after which a slow batch no longer counts as in flight, so that another batch may start. */
  slot_timeout_ms: 250,
  /** Concurrent redemption batches; the redemptions of a batch are evaluated one after another and saved together. */
  redemption_batches_max: 2,
  /** Redemptions per batch. */
  redemption_batch_size_max: 32,
  /** Order lines of all redemptions of a batch together. */
  redemption_batch_lines_max: 1_000,
  /** Concurrent publication batches; the publications of a batch share a transaction. */
  publication_batches_max: 2,
  /** Publications per batch. */
  publication_batch_size_max: 32,
  /** Size of the validation events in memory that wait to be written. */
  deferred_bytes_max: 33_554_432,
  /** Size of a validation in its event, and of the lines and metadata of an order in the events of redemptions and rollbacks; what exceeds it is left out. */
  event_evaluation_bytes_max: 65_536,
  /** Events that one statement of the list of events compares with its filters; a page ends there if it has found one. */
  events_examined_max: 5_000,
  /** Events that one request for the list of events compares in vain before it answers an empty page. */
  events_searched_max: 1_000_000,
  /** Size of the data on a page of the list of events; the page ends before the event that would exceed it, unless it is the first. */
  events_page_bytes_max: 2_097_152,
  /** Time between the moment at which a request or a job step reads its clock and the moment at which its transaction writes events. */
  event_delay_minutes_max: 60,
  /** Lock timeout of a checkout: how long it waits for a row that another request has locked (docs/reference/concurrency.md). */
  checkout_lock_seconds: 5,
  /** Elements of a qualification page; a larger `limit` counts as this one. */
  qualification_page_max: 50,
  /** Elements of one qualification page if many were created at the same moment: up to this number they stay on one page. */
  qualified_at_once_max: 250,
  /** Size of the elements of a qualification page, each of which shows the order; the page ends before the element that would exceed it, unless it is the first. */
  qualification_page_bytes_max: 2_097_152,
  /** Size of the orders that an answer repeats for each of its redeemables or promotions; beyond it, they have no lines and no metadata. */
  repeated_orders_bytes_max: 2_097_152,
  /** Vouchers that one qualification request loads; the next page continues there. */
  qualification_codes_max: 10_000,
  /** Redeemables that one qualification request evaluates; the next page continues there. */
  qualification_candidates_max: 50_000,
  /** Vouchers, or other redeemables, that one qualification request looks at, times lines of the order; the next page continues there. */
  qualification_lines_max: 2_000_000,
  /** Projects whose configuration a node caches. */
  cached_configurations_max: 200,

  /**
   * Vouchers of a campaign, unless the `limits` of the project say otherwise
   * (docs/reference/codes.md#how-many-codes-a-campaign-may-have).
   */
  campaign_vouchers_max: 100_000,
  /** Codes that a job creates per transaction. */
  codes_at_once: 500,
  /** If a pattern has at least this many possible codes, random codes are inserted without checking first whether they exist. */
  codes_vast_min: 1_000_000_000,
  /** Possible codes that are enumerated to find unused ones, after random draws hit too many existing codes. */
  codes_enumerated_max: 1_000_000,
  /** Vouchers of one publication. */
  published_at_once_max: 50,
  /** Tiers of a promotion, which are numbered together and whose list is not paged. */
  promotion_tiers_max: 1_000,
  /** Stacks of a promotion, whose list is not paged. */
  promotion_stacks_max: 1_000,
  /** Tiers of a promotion stack. */
  stack_tiers_max: 30,
  /** Validation rules of a promotion tier in a request. */
  promotion_tier_rules_max: 20,
  /** Referees in one request (docs/reference/holders.md#endpoints). */
  referral_holders_sent_max: 100,
  /** Tiers of a referral program; each conversion evaluates all of them. */
  referral_tiers_max: 100,
  /** Earning rules of a project, unless its `limits` say otherwise (docs/reference/earning-rules.md#endpoints). */
  earning_rules_max: 100,
  /** Earning rules created in one request. */
  earning_rules_sent_max: 100,
  /** Loyalty tiers created in one request. */
  loyalty_tiers_sent_max: 100,
  /** Tiers of a loyalty program, which are evaluated together. */
  loyalty_tiers_max: 1_000,
  /** Rewards assigned in one request (docs/reference/rewards.md#assignments-of-a-program). */
  rewards_assigned_at_once_max: 100,
  /** Rewards of a loyalty program; members get all of them in one list. */
  program_rewards_max: 1_000,
  /** Mappings of a loyalty tier: earning rules, and rewards by reward id or assignment id. */
  tier_mappings_max: 1_000,
  /** Products and SKUs copied into a campaign template. */
  campaign_template_goods_max: 1_000,
  /** Size of a campaign template as JSON. */
  campaign_template_bytes_max: 10_485_760,
  /** Vouchers per transaction to which a job propagates a campaign update. */
  propagated_at_once: 1_000,
  /** Vouchers that the deletion of a campaign deletes per transaction. */
  codes_deleted_at_once: 500,
  /** Redemptions that the deletion of a campaign deletes per transaction. */
  redemptions_deleted_at_once: 2_000,
  /** Redemptions of a voucher in a reply without pages. */
  voucher_redemptions_shown_max: 1_000,

  /** Characters of an `Idempotency-Key`. */
  idempotency_key_length_max: 255,
  /** How long the reply to a request with an `Idempotency-Key` is stored. */
  idempotency_ttl_hours: 24,

  /** Attempts of a write in total; it is retried after a serialization failure or a deadlock. */
  transaction_attempts_max: 5,

  /** Timeout of a request, and of each of its statements. */
  request_timeout_seconds: 180,
  /** Time within which the body of a request to the client side or to `/v1/oauth` must arrive. */
  client_body_seconds: 15,
  /** Size of such bodies under way from one network, on each worker; a single one may be as large as `MAX_CLIENT_BODY_BYTES`. */
  client_bodies_bytes_max: 4_194_304,
  /** When the events of an erased customer are deleted once more: no request that had read the customer can write one any more. */
  late_events_minutes: 10,
  /** On a distributed database: how long work of a node that has died, or that becomes due, may wait until another node looks for it. */
  distributed_look_seconds: 30,
  /** Lock timeout: how long a statement waits for a row that another transaction has locked. */
  lock_timeout_seconds: 30,
  /** How long a request waits for a database connection before it is rejected. */
  connection_wait_seconds: 8,
  /** Time after which the server is asked whether it still works on a statement that it has not answered (docs/operate/database.md). */
  statement_answer_seconds: 3,
  /** Timeout of that question; after two in vain the database counts as unreachable. */
  database_probe_ms: 2_500,
  /** Behind a transaction pooler, time after which a statement without an answer counts as lost (docs/operate/database.md#a-pooler). */
  pooled_answer_seconds: 360,
  /** Heartbeat of a connection that only listens, and time within which it must be answered. */
  heartbeat_seconds: 4,
  /** Idle time of a database connection after which the operating system checks whether the other side still exists. */
  keep_alive_seconds: 5,
  /** Space on the disk of the embedded database below which it only reads: four segments of its log (docs/operate/database.md#a-full-disk). */
  embedded_reserve_bytes: 67_108_864,
  /** Memory in which the embedded database keeps pages, in MiB. */
  embedded_buffers_mb: 32,

  /** How long a start retries a database that cannot be reached yet. */
  start_retry_seconds: 30,
  /** Pause between two attempts of a start. */
  start_retry_ms: 500,
  /** How long a migration waits for a table that others use, and requests behind it (docs/operate/upgrade.md). */
  migration_lock_seconds: 2,
  /** Pause after that, in which requests are served, before the migration is tried again. */
  migration_pause_seconds: 5,
  /** How long a migration is tried again, before the start fails. */
  migration_wait_seconds: 600,
  /** How long a stopping node waits for running requests and jobs. */
  shutdown_seconds: 10,

  /** The largest number of `WORKERS`. */
  workers_max: 128,
  /** Memory that `WORKERS=auto` counts for each worker. */
  worker_memory_bytes: 402_653_184,
  /** Share of the connections of the database that the workers of one node may use with `WORKERS=auto`: another node finds room. */
  worker_connections_share: 0.5,
  /** Connections of a worker besides its pool: one that listens, one while it starts, one that asks about lost connections. */
  connections_besides_pool: 3,
  /** How long a worker that was replaced waits for its last connections: longer than they may be idle, and than a request may take. */
  retirement_seconds: 190,
  /** Age at which a connection to one of several workers is ended after its next answer, so that connections spread over new workers too; up to twice as long. */
  connection_age_seconds: 60,
  /** Longest pause before a worker that died is started again, in seconds; the first one is started at once. */
  worker_pause_seconds_max: 30,
  /** How long a scrape waits for the metrics of the other workers. */
  worker_report_ms: 1_000,
  /** How long a stopping node waits for scrapes on `METRICS_PORT`. */
  scrape_stop_ms: 3_000,

  /** Retries of a mail that was not sent: three in 15 minutes. */
  mail_retries: 3,
  /** Pause before each of them. */
  mail_retry_seconds: 300,
  /** How long an SMTP server may take to accept a connection, to greet, and to answer a command. */
  mail_silence_ms: 10_000,
  /** Timeout of an attempt to send a mail. */
  mail_attempt_ms: 60_000,
  /** What is left of it when the node stops; less than `shutdown_seconds`. */
  mail_stop_ms: 5_000,
  /** Recipients of a mail. */
  mail_recipients_max: 100,
  /** Length of the subject of a mail; a longer one is cut. */
  mail_subject_length_max: 250,
  /** Length of the text of a mail; a longer one is cut. */
  mail_text_length_max: 50_000,
  /** Days after which a mail is deleted whose job was lost. */
  mail_ttl_days: 7,

  /** Requests that wait for a database connection; more are rejected. At a slow 50 ms each, 8 connections process this many in 6 s. */
  database_waiting_max: 1_000,
  /** Delay of the event loop; a node that exceeds it in several consecutive measurements is overloaded and rejects part of the requests. */
  event_loop_late_ms_max: 500,
  /** Time within which the database must answer the readiness check; a slower database counts as unavailable. */
  readiness_timeout_ms: 2_000,

  /**
   * Lifetime of cached keys, tokens and projects, and again of the identities verified with them. Every change is announced to
   * all nodes at once; a node that misses the announcement applies it after a minute at most.
   */
  credential_ttl_seconds: 30,
  /** Cached keys, tokens and projects of a node. */
  credential_cache_entries_max: 20_000,

  /** Users of an installation. */
  users_max: 10_000,
  /** Users that the list of users of a project has without `limit` and `page`, which the contract does not know. */
  users_listed_max: 1_000,
  /** Projects that an invitation names. */
  invited_projects_max: 1_000,
  /** Projects that the mail of an invitation lists; it counts the others. */
  invited_projects_listed_max: 20,
  /** Projects that the command line names where it asks for one; it says that there are others. */
  projects_named_max: 20,
  /** Lifetime of the one-time link of a user. */
  user_link_hours: 24,
  /** Seconds between two mails with a link to one user. */
  user_link_mail_seconds: 60,
  /** A session that is not used ends after this time. */
  session_idle_hours: 12,
  /** A session ends after this time, used or not. */
  session_days: 14,
  /** How often the last use of a session is written at most. */
  session_use_seconds: 60,
  /** Sessions of a user; the one that was used least recently ends when another begins. */
  user_sessions_max: 20,
  /** Characters of the `User-Agent` that is kept with a session; the rest is cut off. */
  session_user_agent_length_max: 255,
  /** Characters of a password at least. */
  password_length_min: 12,
  /** Characters of a password at most. */
  password_length_max: 256,
  /** Passwords that a node checks at once, one less than its cores at most: each takes 32 MiB and a thread for a tenth of a second. Of several workers each checks one. */
  passwords_checked_at_once: 2,
  /** Passwords that wait to be checked, on each node; one more is answered 429. */
  passwords_waiting_max: 50,
  /** Attempts to sign in to one account from one network, or with the second factor of one user, before the next has to wait; the delay doubles each time. */
  sign_in_free: 5,
  /** The same for attempts from one network, at whatever accounts. */
  sign_in_address_free: 20,
  /** The same for attempts at one account, from wherever. */
  sign_in_account_free: 20,
  /** Longest delay of these attempts, in seconds. */
  sign_in_delay_max: 900,
  /** The same for attempts at one account from wherever, in seconds. */
  sign_in_account_delay_max: 60,
  /** Time after which wrong attempts are forgotten. */
  sign_in_memory_hours: 24,
  /** How long the OpenID provider may take to answer. */
  oidc_timeout_seconds: 10,
  /** How long a person may take at the OpenID provider. */
  oidc_request_seconds: 600,
  /** Characters of the path that a sign-in with the OpenID provider returns to. */
  return_path_length_max: 1_024,
  /** Recovery codes of a second factor. */
  recovery_codes: 10,
  /** Characters of an e-mail address. */
  email_length_max: 254,
  /** Characters of a URL in a branding. */
  branding_url_length_max: 2_048,
  /** Size of each body in an entry of the audit log; the rest is cut off. */
  audit_body_bytes_max: 65_536,
  /** The same for requests that were answered with a status from 400 to 499. */
  audit_refusal_bytes_max: 8_192,
  /** The same for requests to the client side and to `/v1/oauth`, and the characters of their URL: anybody can read the key of a page. */
  audit_public_bytes_max: 4_096,
  /** Characters of the URL in an entry of the audit log; the rest is cut off. */
  audit_url_length_max: 8_192,
  /** Memory of the entries of the audit log that wait to be written; further ones are dropped, and counted. */
  audit_bytes_max: 33_554_432,
  /**
   * The part of it for entries of requests with wrong credentials, above a rate limit, or that the client side refused before their operation: nobody
   * without the secret of a server can displace other entries.
   */
  audit_refused_bytes_max: 4_194_304,
  /** Entries per second, project and node of requests above a rate limit, or that the client side refused before their operation, and of each id or token that wrong credentials name; further ones are counted only. */
  audit_refused_per_second_max: 5,
  /** How long a stopping node tries to write the audit log. */
  audit_close_ms: 5_000,
  /** How long a new or an old partition of events, send-outs or the audit log waits for a lock: others wait behind it as long. */
  partition_lock_ms: 250,
  /** Size of the bodies and URLs on a page of the audit log; the page ends before the entry that would exceed it, unless it is the first. */
  audit_page_bytes_max: 2_097_152,
  /** Time within which a search of the audit log must be answered. */
  audit_search_seconds: 10,
  /** Searches of the audit log that a node makes at once: each holds a database connection, which checkouts need too. */
  audit_searches_at_once_max: 2,
  /** Searches of the audit log that wait for their turn, on each node; one more is answered 429. */
  audit_searches_waiting_max: 30,
  /** Days of the audit log in one export of it. */
  audit_export_days_max: 31,

  /** Management keys of an installation. */
  management_keys_max: 5,
  /** Entries in `client_trusted_domains` of a project. */
  trusted_domains_max: 100,
  /** Entries in `client_publish_campaigns`, in `client_public_campaigns` and in `client_public_codes` of a project. */
  public_codes_max: 100,
  /** Lifetime of the download link of an export. */
  export_link_hours: 24,
  /** Characters of a secret that an operator chooses for the first start. */
  bootstrap_secret_length_min: 16,
  /** Failures listed in the result of an async action. */
  async_failures_listed_max: 1_000,

  /** Parts of a multipart body: a file and a few fields. */
  multipart_parts_max: 50,
  /** Size of the headers of one part of a multipart body. */
  multipart_head_bytes_max: 16_384,
  /** Size of a row of a CSV file: a longer one is usually an unclosed quotation mark. */
  csv_record_bytes_max: 1_048_576,
  /** Columns of an imported CSV file, and `fields` of an export. */
  csv_columns_max: 1_000,
  /** For how long an async action keeps its worker while others wait. */
  job_turn_seconds: 3,
  /** Rows that a CSV import processes per transaction. */
  csv_step_rows: 500,
  /** Elements that a bulk update processes per transaction. */
  bulk_step_items: 100,
  /** Rows that an export reads per transaction. */
  export_step_rows: 500,
  /** Rows that an export reads per transaction if no index provides the order, because each step sorts all rows. */
  export_sorted_step_rows: 10_000,
  /** Columns of an exported file. */
  export_columns_max: 10_000,
  /** Size of a stored chunk of a file. */
  file_chunk_bytes_max: 262_144,
  /** How long a report can be downloaded, and how long a file is kept that no job deletes. */
  file_ttl_days: 30,
  /** Timeout of a file download. */
  download_timeout_seconds: 3_600,

  /** Webhooks of a project. */
  webhooks_max: 50,
  /** Attempts at once to deliver to one webhook, on all nodes together. */
  webhook_attempts_max: 10,
  /** Attempts at once of one node, to all webhooks. */
  node_attempts_max: 100,
  /** Of these, attempts to webhooks that have not just answered well within a second: others never wait for them. */
  slow_attempts_max: 50,
  /** Of these, attempts to webhooks that were not tried yet, one to each. */
  untried_attempts_reserved: 10,
  /** A webhook whose attempt takes longer counts as slow. */
  slow_attempt_ms: 1_000,
  /** Webhooks of which a node remembers how they answered, besides those that it delivers to. */
  webhooks_remembered_max: 5_000,
  /** Attempts per second that a node starts while its event loop is busy with requests. */
  busy_attempts_per_second: 200,
  /** Manual retries and tests of one project that wait for their attempt at once, on each node. */
  project_attempt_waits_max: 100,
  /** The same of all projects together. */
  node_attempt_waits_max: 400,
  /** Webhooks for which something waits that a node looks at twice a second; with more, it goes on after them the next time. */
  webhooks_looked_at_once: 1_000,
  /** Send-outs of one webhook that a node reads at once. */
  sendouts_read_at_once: 50,
  /** Size of the data of all send-outs that a node has read and not sent yet; one is read whatever its size is. */
  sendouts_read_bytes_max: 4_194_304,
  /** Attempts that the log keeps per send-out, the latest; the schedule makes 13, manual retries any number. */
  sendout_attempts_kept: 50,
  /** Size of the data and attempts on a page of the send-out log; the page ends before the send-out that would exceed it, unless it is the first. */
  sendouts_page_bytes_max: 2_097_152,
  /** Webhooks of which a node still has to tell that a delivery failed; of others the next failure tells. */
  webhook_notifications_waiting_max: 1_000,
  /** Characters of `target_url` of a webhook. */
  target_url_length_max: 2_048,
  /** How long the connection to the target of a webhook may take, with the lookup of its name and its TLS handshake. */
  target_connect_ms: 5_000,
  /** Bytes that are read and kept of the response of a webhook's target. */
  target_response_bytes_max: 10_240,
  /** Size of the headers of the response of a webhook's target. */
  target_response_header_bytes_max: 16_384,
  /** Idle connections to targets of webhooks that a node keeps for the next attempt. */
  target_idle_connections_max: 64,

  /** Size of a line in a file that `guerdon import` or `guerdon shadow` reads: more than the largest row has. */
  moved_line_bytes_max: 67_108_864,
  /** How long `guerdon shadow` waits for an answer of the service it asks. */
  shadow_answer_ms: 10_000,
  /** Size of a request or answer that the proxy of `guerdon shadow` compares; larger ones only pass through. */
  shadow_body_bytes_max: 1_048_576,
  /** Requests that wait in the proxy of `guerdon shadow` to be compared; further ones only pass through. */
  shadow_waiting_max: 200,
  /** Size of the requests and answers that wait in the proxy of `guerdon shadow` to be compared, and of those that wait to be logged. */
  shadow_waiting_bytes_max: 33_554_432,

  /** Bytes of a code as UTF-8 that has a QR code: to draw a longer one takes the event loop for up to a tenth of a second. */
  qr_code_bytes_max: 255,
  /** Cached QR codes: at most 6 kB each. */
  qr_patterns_remembered_max: 256,
} as const
