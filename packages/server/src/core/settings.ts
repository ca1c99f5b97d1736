import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkDatabaseUrl, readUrls } from './db/database-url.ts'
import { type CallWindow, parseCallLimits } from './lib/call-limits.ts'
import { limits } from './lib/limits.ts'
import { isMailAddress, parseSender, type Sender } from './mail/address.ts'
import { parseSmtpUrl, type SmtpServer } from './mail/smtp-url.ts'

/** Everything an operator can set, read once at start from the environment (docs/reference/settings.md). */
export interface Settings {
  port: number
  host: string
  /** Public URL of the service without a trailing slash, for the URLs of reports and exports. */
  base_url: string
  database_url: string | null
  /** The server itself, where `database_url` leads to a transaction pooler. */
  database_session_url: string | null
  database_prepared: 'on' | 'off'
  data_dir: string
  database_connections: number
  /** Of replicas of the database; empty: there are none. */
  database_read_urls: readonly string[]
  database_read_lag_ms: number
  /** Processes of this node that share its port; null: as the command decides. */
  workers: number | 'auto' | null
  log_level: string
  log_requests: boolean
  /** Null: the metrics are served with the API. */
  metrics_port: number | null
  metrics_host: string
  dashboard: 'on' | 'off'
  guides: 'on' | 'off'
  auth_mode: 'strict' | 'either'
  cluster_id: string
  oauth_token_ttl_seconds: number
  oauth_max_tokens_per_project: number
  rate_limit_api_calls: CallWindow[]
  rate_limit_bulk_api_calls: CallWindow[]
  rate_limit_api_calls_cycle: number | null
  client_rate_limit: CallWindow | null
  wrong_codes_limit: CallWindow | null
  wrong_credentials_limit: CallWindow | null
  tracking_id_hours_max: number
  client_order_days_max: number
  client_session_minutes_max: number
  client_sessions_max: number
  trust_proxy_hops: number
  max_body_bytes: number
  max_ordinary_body_bytes: number
  max_client_body_bytes: number
  max_query_bytes: number
  /** What becomes of fields and query parameters that an operation does not know. */
  unknown_fields: 'ignore' | 'refuse'
  drain_seconds: number
  webhook_timeout_ms: number
  webhook_allow_private_targets: boolean
  audit_log: 'on' | 'without_bodies' | 'off'
  audit_retention_days: number
  /** Null: events are kept for ever. */
  event_retention_days: number | null
  /** Parsed, so that the password it contains is not logged with a URL. */
  smtp: SmtpServer | null
  mail_from: Sender | null
  /** Null: nobody signs in with an OpenID provider. */
  oidc: OidcSettings | null
  /** Error key → message added as `error.message`. */
  error_messages: ReadonlyMap<string, string>
  bootstrap: BootstrapSettings
}

export interface OidcSettings {
  issuer: string
  client_id: string
  client_secret: string
  /** Domains of e-mail addresses, in lower case; empty: all. */
  allowed_domains: readonly string[]
}

export interface BootstrapSettings {
  app_id: string | null
  app_token: string | null
  client_id: string | null
  client_token: string | null
  management_id: string | null
  management_token: string | null
  owner_email: string | null
  project: Record<string, unknown>
}

export type Environment = Readonly<Record<string, string | undefined>>

interface Setting {
  meaning: string
  /** The default, as an operator would write it. */
  standard?: string
  /** The behaviour when unset, in words, if there is no default value. */
  unset?: string
}

/** The meaning of each environment variable; docs/reference/settings.md prints this table (`npm run reference`). */
export const environment = {
  PORT: { standard: '8010', meaning: 'port to listen on' },
  HOST: { standard: '127.0.0.1', meaning: 'address to listen on' },
  BASE_URL: {
    unset: '`http://HOST:PORT`',
    meaning: 'public URL of the service; the URLs of reports, exports and code images begin with it',
  },
  DATABASE_URL: {
    unset: 'the embedded database',
    meaning:
      'URL of the PostgreSQL database ([its parameters](../operate/database.md)); with `NODE_ENV=production`, required unless `GUERDON_DATA_DIR` is set',
  },
  DATABASE_SESSION_URL: {
    unset: '`DATABASE_URL`',
    meaning:
      'direct URL of the same database, where `DATABASE_URL` leads to a transaction pooler such as PgBouncer: for what needs a session ([a pooler](../operate/database.md#a-pooler))',
  },
  DATABASE_PREPARED: {
    standard: 'on',
    meaning:
      '`on`: frequent statements are prepared under names; `off`: none are, for a pooler that does not keep them, such as PgBouncer before 1.21 ([a pooler](../operate/database.md#a-pooler))',
  },
  GUERDON_DATA_DIR: {
    standard: '.guerdon',
    meaning: 'folder of the embedded database; only one process at a time can use it',
  },
  DATABASE_CONNECTIONS: { standard: '8', meaning: 'size of the PostgreSQL connection pool of each worker' },
  DATABASE_READ_URL: {
    unset: 'no replicas',
    meaning:
      'URLs of [streaming replicas](../operate/replicas.md) of `DATABASE_URL`, separated by commas: lists, exports, statistics and validations read from them; each has a connection pool of `DATABASE_CONNECTIONS`',
  },
  DATABASE_READ_LAG_MS: {
    standard: '1000',
    meaning: 'milliseconds by which a replica may lag behind; beyond, the primary answers',
  },
  WORKERS: {
    unset: '`auto` on PostgreSQL, with the installed command and the image; otherwise `1`',
    meaning:
      'processes of this node that share its port ([workers](../operate/nodes.md#workers)); `auto`: as many as its cores, its memory and the connections of the database allow',
  },
  LOG_LEVEL: { standard: 'info', meaning: 'minimum level of log messages' },
  LOG_REQUESTS: {
    standard: 'false',
    meaning: '`true` logs every request of the API at level `info`; otherwise successful ones are logged at `debug`',
  },
  METRICS_PORT: {
    unset: 'with the API on `PORT`',
    meaning: 'port that serves `/metrics`, which `PORT` then does not ([metrics](#metrics))',
  },
  METRICS_HOST: { unset: '`HOST`', meaning: 'address of `METRICS_PORT` to listen on' },
  DASHBOARD: {
    standard: 'on',
    meaning: '`on`: the [dashboard](../operate/dashboard.md) is served under `/dashboard/`; `off`: it is not',
  },
  GUIDES: {
    standard: 'on',
    meaning: '`on`: the guides, which this page belongs to, are served under `/guides/`; `off`: they are not',
  },
  AUTH_MODE: {
    standard: 'strict',
    meaning:
      '`strict`: key pair and token required; `either`: key pair or token ([authentication modes](authentication.md#authentication-modes))',
  },
  CLUSTER_ID: { standard: 'eu1', meaning: '`cluster_id` of all projects' },
  OAUTH_TOKEN_TTL_SECONDS: {
    standard: '900',
    meaning: 'lifetime of an [OAuth access token](authentication.md#oauth-tokens) in seconds',
  },
  OAUTH_MAX_TOKENS_PER_PROJECT: {
    standard: '1000',
    meaning: 'maximum number of unexpired access tokens of the server-side keys of a project',
  },
  RATE_LIMIT_API_CALLS: {
    unset: 'no limit',
    meaning: 'limits for the calls of a project ([rate limits](limits.md#rate-limits))',
  },
  RATE_LIMIT_BULK_API_CALLS: { unset: 'no limit', meaning: 'limits for the bulk calls of a project' },
  RATE_LIMIT_API_CALLS_CYCLE: {
    unset: 'no limit',
    meaning: 'maximum number of calls of a project per calendar month (UTC)',
  },
  CLIENT_RATE_LIMIT: {
    standard: '100/PT10S',
    meaning:
      'rate limit for client-side calls per [network](limits.md#rate-limits), or per customer that they prove, and node; set to an empty value to disable',
  },
  WRONG_CODES_LIMIT: {
    standard: '20/PT1M',
    meaning:
      'different codes that a client-side caller may have [refused](limits.md#rate-limits) before further codes are answered with 429; set to an empty value to disable',
  },
  WRONG_CREDENTIALS_LIMIT: {
    standard: '10/PT1M',
    meaning:
      'wrong credentials that a [network](limits.md#rate-limits) may send before its refusals are [delayed](authentication.md#wrong-credentials); set to an empty value to disable',
  },
  TRACKING_ID_HOURS_MAX: {
    standard: '24',
    meaning:
      'hours for which a tracking id issued by the server side [proves](client-side.md#identity) a customer to the client side',
  },
  CLIENT_ORDER_DAYS_MAX: {
    standard: '30',
    meaning:
      'days for which the shop can confirm an [order of a page](client-side.md#orders); referral codes that a page redeemed earlier no longer convert',
  },
  CLIENT_SESSION_MINUTES_MAX: {
    standard: '60',
    meaning: 'longest time to live of a [session](sessions.md#client-side) that the client side opens, in minutes',
  },
  CLIENT_SESSIONS_MAX: {
    standard: '200',
    meaning: 'open [sessions](sessions.md#client-side) of a client-side caller, counted by each node',
  },
  TRUST_PROXY_HOPS: {
    standard: '0',
    meaning:
      'number of trusted proxies in front of the service: hops of `X-Forwarded-For` used for the IP address of a caller',
  },
  MAX_BODY_BYTES: {
    standard: '10485760',
    meaning:
      'maximum size of any request body: of bulk updates, imports and files ([request size](limits.md#request-size))',
  },
  MAX_ORDINARY_BODY_BYTES: {
    standard: '1048576',
    meaning: 'maximum size of the body of all other server-side and management requests',
  },
  MAX_CLIENT_BODY_BYTES: { standard: '65536', meaning: 'maximum size of the body of client-side requests' },
  MAX_QUERY_BYTES: { standard: '16384', meaning: 'maximum size of the request URL (path and query)' },
  UNKNOWN_FIELDS: {
    standard: 'ignore',
    meaning:
      '`refuse`: [unknown fields](http.md#unknown-fields) and query parameters are answered with 400 in every project; `ignore`: as the project says',
  },
  DRAIN_SECONDS: {
    standard: '0',
    meaning:
      'seconds for which a node that was told to stop still serves requests, while `/health/ready` is 503: longer than a proxy takes to notice ([containers](../operate/containers.md#rolling-restarts))',
  },
  WEBHOOK_TIMEOUT_MS: { standard: '10000', meaning: 'timeout of one delivery attempt of a [webhook](webhooks.md)' },
  WEBHOOK_ALLOW_PRIVATE_TARGETS: {
    standard: 'false',
    meaning: '`true` allows webhooks to loopback, link-local and private addresses, for local development',
  },
  AUDIT_LOG: {
    standard: 'on',
    meaning:
      '`on`: requests are logged in the [audit log](audit-log.md) with their bodies; `without_bodies`: without them; `off`: not at all',
  },
  AUDIT_RETENTION_DAYS: {
    standard: '180',
    meaning:
      'days for which the [audit log](audit-log.md), the send-out log and [notifications](notifications.md) are kept',
  },
  EVENT_RETENTION_DAYS: {
    unset: 'for ever',
    meaning:
      'days for which [events](events.md) are kept, and up to a month longer; at least `AUDIT_RETENTION_DAYS`, since the send-out log shows them ([growth](../operate/growth.md))',
  },
  SMTP_URL: {
    unset: 'mails are only logged',
    meaning:
      'SMTP server for [notifications](notifications.md) and invitations: `smtps://user:password@host` or `smtp://host` ([mail](../operate/mail.md))',
  },
  MAIL_FROM: {
    unset: 'none',
    meaning: 'sender of mails, `name <address>` or only the address; required with `SMTP_URL`',
  },
  OIDC_ISSUER: {
    unset: 'sign-in by password only',
    meaning:
      'issuer URL of the OpenID provider to [sign in](sign-in.md#openid) with; then `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET` must be set',
  },
  OIDC_CLIENT_ID: { unset: 'none', meaning: 'id of this service at the OpenID provider' },
  OIDC_CLIENT_SECRET: { unset: 'none', meaning: 'secret of this service at the OpenID provider' },
  OIDC_ALLOWED_DOMAINS: {
    unset: 'all domains',
    meaning: 'domains of e-mail addresses that may sign in with the OpenID provider, separated by commas',
  },
  ERROR_MESSAGES_FILE: {
    unset: 'none',
    meaning: 'JSON file that maps error keys to [custom messages](errors.md#custom-messages)',
  },
  BOOTSTRAP_APP_ID: { unset: 'generated', meaning: 'id of the server key created at the [first start](#first-start)' },
  BOOTSTRAP_APP_TOKEN: { unset: 'generated', meaning: 'secret of that server key, 16 characters or more' },
  BOOTSTRAP_CLIENT_ID: { unset: 'generated', meaning: 'id of the client key created at the first start' },
  BOOTSTRAP_CLIENT_TOKEN: { unset: 'generated', meaning: 'secret of that client key, 16 characters or more' },
  BOOTSTRAP_MANAGEMENT_ID: { unset: 'generated', meaning: 'id of the management key created at the first start' },
  BOOTSTRAP_MANAGEMENT_TOKEN: { unset: 'generated', meaning: 'secret of that management key, 16 characters or more' },
  BOOTSTRAP_OWNER_EMAIL: {
    unset: '`owner@localhost`',
    meaning: 'e-mail address of the owner user created at the first start',
  },
  BOOTSTRAP_PROJECT_JSON: {
    standard: '{}',
    meaning: 'the project created at the first start: a body of [POST /projects](projects.md#operations-on-projects)',
  },
} as const satisfies Record<string, Setting>

type SettingName = keyof typeof environment
/** Settings with a default. */
type WithStandard = {
  [Name in SettingName]: (typeof environment)[Name] extends { standard: string } ? Name : never
}[SettingName]

/** Reads all settings; throws one error that lists every invalid one. */
export function readSettings(given: Environment): Settings {
  const problems: string[] = []
  const env = withSecretFiles(given, problems)

  /** Reads one setting; null if unset or empty. A parser reports an invalid value by throwing. */
  function optional<T>(name: SettingName, parse: (text: string) => T): T | null {
    const text = env[name]?.trim()
    if (text === undefined || text === '') return null
    try {
      return parse(text)
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`)
      return null
    }
  }
  const read = <T>(name: WithStandard, parse: (text: string) => T): T =>
    optional(name, parse) ?? parse(environment[name].standard)
  const text = (name: SettingName) => optional(name, asIs)
  const integer = (name: WithStandard, min: number, max: number) => read(name, integerBetween(min, max))

  const port = integer('PORT', 0, 65_535)
  const host = read('HOST', asIs)
  const settings: Settings = {
    port,
    host,
    base_url: optional('BASE_URL', webAddress) ?? localAddress(host, port),
    database_url: optional('DATABASE_URL', checkDatabaseUrl),
    database_session_url: optional('DATABASE_SESSION_URL', checkDatabaseUrl),
    database_prepared: read('DATABASE_PREPARED', oneOf('on', 'off')),
    data_dir: read('GUERDON_DATA_DIR', (value) => resolve(value)),
    database_connections: integer('DATABASE_CONNECTIONS', 1, 1_000),
    database_read_urls: optional('DATABASE_READ_URL', readUrls) ?? [],
    database_read_lag_ms: integer('DATABASE_READ_LAG_MS', 100, 60_000),
    workers: optional('WORKERS', workers),
    log_level: read('LOG_LEVEL', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')),
    log_requests: read('LOG_REQUESTS', boolean),
    metrics_port: optional('METRICS_PORT', integerBetween(0, 65_535)),
    metrics_host: text('METRICS_HOST') ?? host,
    dashboard: read('DASHBOARD', oneOf('on', 'off')),
    guides: read('GUIDES', oneOf('on', 'off')),
    auth_mode: read('AUTH_MODE', oneOf('strict', 'either')),
    cluster_id: read('CLUSTER_ID', asIs),
    oauth_token_ttl_seconds: integer('OAUTH_TOKEN_TTL_SECONDS', 1, 31_536_000),
    oauth_max_tokens_per_project: integer('OAUTH_MAX_TOKENS_PER_PROJECT', 1, 1_000_000),
    rate_limit_api_calls: optional('RATE_LIMIT_API_CALLS', parseCallLimits) ?? [],
    rate_limit_bulk_api_calls: optional('RATE_LIMIT_BULK_API_CALLS', parseCallLimits) ?? [],
    rate_limit_api_calls_cycle: optional('RATE_LIMIT_API_CALLS_CYCLE', integerBetween(1, Number.MAX_SAFE_INTEGER)),
    client_rate_limit: env.CLIENT_RATE_LIMIT?.trim() === '' ? null : read('CLIENT_RATE_LIMIT', oneCallLimit),
    wrong_codes_limit: env.WRONG_CODES_LIMIT?.trim() === '' ? null : read('WRONG_CODES_LIMIT', oneCallLimit),
    wrong_credentials_limit:
      env.WRONG_CREDENTIALS_LIMIT?.trim() === '' ? null : read('WRONG_CREDENTIALS_LIMIT', oneCallLimit),
    tracking_id_hours_max: integer('TRACKING_ID_HOURS_MAX', 1, 87_600),
    client_order_days_max: integer('CLIENT_ORDER_DAYS_MAX', 1, 3_650),
    client_session_minutes_max: integer('CLIENT_SESSION_MINUTES_MAX', 1, 525_600),
    client_sessions_max: integer('CLIENT_SESSIONS_MAX', 1, 1_000_000),
    trust_proxy_hops: integer('TRUST_PROXY_HOPS', 0, 100),
    max_body_bytes: integer('MAX_BODY_BYTES', 1_024, 1_073_741_824),
    max_ordinary_body_bytes: integer('MAX_ORDINARY_BODY_BYTES', 1_024, 1_073_741_824),
    max_client_body_bytes: integer('MAX_CLIENT_BODY_BYTES', 1_024, 1_073_741_824),
    max_query_bytes: integer('MAX_QUERY_BYTES', 256, 1_048_576),
    unknown_fields: read('UNKNOWN_FIELDS', oneOf('ignore', 'refuse')),
    drain_seconds: integer('DRAIN_SECONDS', 0, 300),
    webhook_timeout_ms: integer('WEBHOOK_TIMEOUT_MS', 1, 600_000),
    webhook_allow_private_targets: read('WEBHOOK_ALLOW_PRIVATE_TARGETS', boolean),
    audit_log: read('AUDIT_LOG', oneOf('on', 'without_bodies', 'off')),
    audit_retention_days: integer('AUDIT_RETENTION_DAYS', 1, 36_500),
    event_retention_days: optional('EVENT_RETENTION_DAYS', integerBetween(1, 36_500)),
    smtp: optional('SMTP_URL', parseSmtpUrl),
    mail_from: optional('MAIL_FROM', parseSender),
    oidc: null,
    error_messages: optional('ERROR_MESSAGES_FILE', messagesFile) ?? new Map(),
    bootstrap: {
      app_id: text('BOOTSTRAP_APP_ID'),
      app_token: optional('BOOTSTRAP_APP_TOKEN', secret),
      client_id: text('BOOTSTRAP_CLIENT_ID'),
      client_token: optional('BOOTSTRAP_CLIENT_TOKEN', secret),
      management_id: text('BOOTSTRAP_MANAGEMENT_ID'),
      management_token: optional('BOOTSTRAP_MANAGEMENT_TOKEN', secret),
      owner_email: optional('BOOTSTRAP_OWNER_EMAIL', email),
      project: read('BOOTSTRAP_PROJECT_JSON', jsonObject),
    },
  }
  const issuer = optional('OIDC_ISSUER', issuerAddress)
  const allowedDomains = optional('OIDC_ALLOWED_DOMAINS', domains) ?? []
  const [clientId, clientSecret] = [text('OIDC_CLIENT_ID'), text('OIDC_CLIENT_SECRET')]
  if (issuer !== null && clientId !== null && clientSecret !== null)
    settings.oidc = { issuer, client_id: clientId, client_secret: clientSecret, allowed_domains: allowedDomains }
  else
    for (const name of ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const)
      if (text(name) === null && oidcNames.some((other) => text(other) !== null))
        problems.push(`${name}: must be set, since other settings of the OpenID provider are`)
  const { cluster_id = settings.cluster_id } = settings.bootstrap.project
  if (cluster_id !== settings.cluster_id) problems.push('BOOTSTRAP_PROJECT_JSON: its cluster_id must equal CLUSTER_ID')
  if (env.NODE_ENV === 'production' && text('DATABASE_URL') === null && text('GUERDON_DATA_DIR') === null)
    problems.push(
      'DATABASE_URL: must be set, since NODE_ENV is production; to use the embedded database there, set GUERDON_DATA_DIR to its folder',
    )
  if (text('DATABASE_SESSION_URL') !== null && text('DATABASE_URL') === null)
    problems.push('DATABASE_SESSION_URL: has no effect without DATABASE_URL')
  if (settings.database_url === null && settings.database_read_urls.length > 0)
    problems.push('DATABASE_READ_URL: has no effect without DATABASE_URL')
  if (typeof settings.workers === 'number' && settings.workers > 1 && text('DATABASE_URL') === null)
    problems.push('WORKERS: must be 1, since the embedded database is one process; set DATABASE_URL for more')
  if (settings.metrics_port === port && port !== 0) problems.push('METRICS_PORT: must differ from PORT')
  if (text('METRICS_PORT') === null && text('METRICS_HOST') !== null)
    problems.push('METRICS_HOST: has no effect without METRICS_PORT')
  if (text('SMTP_URL') !== null && text('MAIL_FROM') === null)
    problems.push('MAIL_FROM: must be set, since SMTP_URL is set')
  if (settings.event_retention_days !== null && settings.event_retention_days < settings.audit_retention_days)
    problems.push('EVENT_RETENTION_DAYS: must be at least AUDIT_RETENTION_DAYS, since the send-out log shows events')
  if (problems.length > 0) throw new BadSettings(problems)
  return settings
}

/**
 * The settings of a command that serves no requests. It goes past the pooler: its transactions may take hours, and it ends before its
 * connections become too many.
 */
export const pastThePooler = (settings: Settings): Settings =>
  settings.database_session_url === null ? settings : { ...settings, database_url: settings.database_session_url }

/** Each may be in a file instead, which `NAME_FILE` names: orchestrators mount secrets as files, and a file is in no list of environments. */
const secretNames = [
  'DATABASE_URL',
  'DATABASE_SESSION_URL',
  'DATABASE_READ_URL',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'BOOTSTRAP_APP_TOKEN',
  'BOOTSTRAP_CLIENT_TOKEN',
  'BOOTSTRAP_MANAGEMENT_TOKEN',
] as const satisfies SettingName[]

function withSecretFiles(env: Environment, problems: string[]): Environment {
  const secrets: Record<string, string> = {}
  for (const name of secretNames) {
    const file = env[`${name}_FILE`]?.trim()
    if (file === undefined || file === '') continue
    if ((env[name]?.trim() ?? '') !== '') problems.push(`${name}_FILE: ${name} is set too; set one of them`)
    try {
      secrets[name] = readFileSync(file, 'utf8').trim()
      if (secrets[name] === '') problems.push(`${name}_FILE: the file is empty`)
    } catch (error) {
      problems.push(`${name}_FILE: cannot be read: ${(error as Error).message}`)
    }
  }
  return { ...env, ...secrets }
}

export class BadSettings extends Error {
  constructor(problems: string[]) {
    super(`Guerdon cannot start, bad settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

const asIs = (text: string): string => text

const integerBetween = (min: number, max: number) => (text: string) => {
  const value = Number(text)
  if (!/^-?\d+$/.test(text) || value < min || value > max)
    throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`)
  return value
}

function oneOf<const T extends string>(...allowed: T[]): (text: string) => T {
  return (text) => {
    if (!allowed.includes(text as T)) throw new Error(`must be one of ${allowed.join(', ')}, not "${text}"`)
    return text as T
  }
}

function workers(text: string): number | 'auto' {
  if (text === 'auto') return text
  if (!/^\d+$/.test(text) || Number(text) < 1 || Number(text) > limits.workers_max)
    throw new Error(`must be auto or a whole number from 1 to ${limits.workers_max}, not "${text}"`)
  return Number(text)
}

function boolean(text: string): boolean {
  return oneOf('true', 'false')(text) === 'true'
}

function webAddress(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text) || /[?#]/.test(text))
    throw new Error(`must be a URL that begins with http:// or https://, without a query, not "${text}"`)
  let end = text.length
  while (text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}

const oidcNames = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ALLOWED_DOMAINS'] as const

/** Without TLS anybody in between could sign in as anybody. */
function issuerAddress(text: string): string {
  const address = webAddress(text)
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new Error(`must begin with https://, not "${text}"`)
  return text
}

function domains(text: string): string[] {
  const names = text.split(',').map((name) => name.trim().toLowerCase())
  if (!names.every((name) => /^[^@\s/]+$/.test(name)))
    throw new Error(`must be domains separated by commas, such as shop.example, not "${text}"`)
  return names
}

/** The URL of the service on this machine. */
function localAddress(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

function oneCallLimit(text: string): CallWindow {
  const [window, ...more] = parseCallLimits(text)
  if (window === undefined || more.length > 0) throw new Error(`must be one <value>/<ISO 8601 duration>, not "${text}"`)
  return window
}

function email(text: string): string {
  if (!isMailAddress(text)) throw new Error(`must be an e-mail address, not "${text}"`)
  return text
}

function secret(text: string): string {
  if (text.length < limits.bootstrap_secret_length_min)
    throw new Error(`must have at least ${limits.bootstrap_secret_length_min} characters`) // the value is not repeated
  return text
}

function jsonObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('must be a JSON object')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('must be a JSON object')
  return value as Record<string, unknown>
}

function messagesFile(path: string): ReadonlyMap<string, string> {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`cannot be read: ${(error as Error).message}`)
  }
  const entries = Object.entries(jsonObject(content))
  if (entries.some(([, message]) => typeof message !== 'string'))
    throw new Error('must map error keys to messages, both text')
  return new Map(entries as Array<[string, string]>)
}
