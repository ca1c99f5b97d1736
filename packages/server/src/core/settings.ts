import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CallWindow, parseCallLimits } from './lib/call-limits.ts'

/** Everything an operator can set, read once at start from the environment (README, "Settings"). */
export interface Settings {
  port: number
  host: string
  /** Where callers find the service, without a slash at the end: for the addresses of reports and exports. */
  base_url: string
  database_url: string | null
  data_dir: string
  database_connections: number
  log_level: string
  auth_mode: 'strict' | 'either'
  cluster_id: string
  oauth_token_ttl_seconds: number
  oauth_max_tokens_per_project: number
  rate_limit_api_calls: CallWindow[]
  rate_limit_bulk_api_calls: CallWindow[]
  rate_limit_api_calls_cycle: number | null
  client_rate_limit: CallWindow | null
  trust_proxy_hops: number
  max_body_bytes: number
  max_query_bytes: number
  webhook_timeout_ms: number
  webhook_allow_private_targets: boolean
  audit_retention_days: number
  smtp_url: string | null
  mail_from: string | null
  /** Error key → message added as `error.message`. */
  error_messages: ReadonlyMap<string, string>
  bootstrap: BootstrapSettings
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

/** Reads all settings; throws one error that names every bad one. */
export function readSettings(env: Environment): Settings {
  const problems: string[] = []

  /** One setting: empty counts as absent, and a parser says what is wrong by throwing. */
  function read<T>(name: string, absent: T, parse: (text: string) => T): T {
    const text = env[name]?.trim()
    if (text === undefined || text === '') return absent
    try {
      return parse(text)
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`)
      return absent
    }
  }
  const text = (name: string) => read<string | null>(name, null, (value) => value)
  const integer = (name: string, absent: number, min: number, max: number) =>
    read(name, absent, integerBetween(min, max))

  const port = integer('PORT', 8010, 0, 65_535)
  const host = read('HOST', '127.0.0.1', (value) => value)
  const settings: Settings = {
    port,
    host,
    base_url: read('BASE_URL', ownAddress(host, port), webAddress),
    database_url: read<string | null>('DATABASE_URL', null, postgresUrl),
    data_dir: read('GUERDON_DATA_DIR', resolve('.guerdon'), (value) => resolve(value)),
    database_connections: integer('DATABASE_CONNECTIONS', 8, 1, 1_000),
    log_level: read('LOG_LEVEL', 'info', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')),
    auth_mode: read('AUTH_MODE', 'strict', oneOf('strict', 'either')),
    cluster_id: read('CLUSTER_ID', 'eu1', (value) => value),
    oauth_token_ttl_seconds: integer('OAUTH_TOKEN_TTL_SECONDS', 900, 1, 31_536_000),
    oauth_max_tokens_per_project: integer('OAUTH_MAX_TOKENS_PER_PROJECT', 1_000, 1, 1_000_000),
    rate_limit_api_calls: read('RATE_LIMIT_API_CALLS', [], parseCallLimits),
    rate_limit_bulk_api_calls: read('RATE_LIMIT_BULK_API_CALLS', [], parseCallLimits),
    rate_limit_api_calls_cycle: read<number | null>(
      'RATE_LIMIT_API_CALLS_CYCLE',
      null,
      integerBetween(1, Number.MAX_SAFE_INTEGER),
    ),
    client_rate_limit:
      env.CLIENT_RATE_LIMIT?.trim() === '' ? null : read('CLIENT_RATE_LIMIT', { calls: 5, seconds: 5 }, oneCallLimit),
    trust_proxy_hops: integer('TRUST_PROXY_HOPS', 0, 0, 100),
    max_body_bytes: integer('MAX_BODY_BYTES', 10_485_760, 1_024, 1_073_741_824),
    max_query_bytes: integer('MAX_QUERY_BYTES', 16_384, 256, 1_048_576),
    webhook_timeout_ms: integer('WEBHOOK_TIMEOUT_MS', 10_000, 1, 600_000),
    webhook_allow_private_targets: read('WEBHOOK_ALLOW_PRIVATE_TARGETS', false, boolean),
    audit_retention_days: integer('AUDIT_RETENTION_DAYS', 180, 1, 36_500),
    smtp_url: text('SMTP_URL'),
    mail_from: text('MAIL_FROM'),
    error_messages: read<ReadonlyMap<string, string>>('ERROR_MESSAGES_FILE', new Map(), messagesFile),
    bootstrap: {
      app_id: text('BOOTSTRAP_APP_ID'),
      app_token: text('BOOTSTRAP_APP_TOKEN'),
      client_id: text('BOOTSTRAP_CLIENT_ID'),
      client_token: text('BOOTSTRAP_CLIENT_TOKEN'),
      management_id: text('BOOTSTRAP_MANAGEMENT_ID'),
      management_token: text('BOOTSTRAP_MANAGEMENT_TOKEN'),
      owner_email: read<string | null>('BOOTSTRAP_OWNER_EMAIL', null, email),
      project: read('BOOTSTRAP_PROJECT_JSON', {}, jsonObject),
    },
  }
  const { cluster_id = settings.cluster_id } = settings.bootstrap.project
  if (cluster_id !== settings.cluster_id) problems.push('BOOTSTRAP_PROJECT_JSON: its cluster_id must equal CLUSTER_ID')
  if (problems.length > 0) throw new BadSettings(problems)
  return settings
}

export class BadSettings extends Error {
  constructor(problems: string[]) {
    super(`Guerdon cannot start, bad settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

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

function boolean(text: string): boolean {
  return oneOf('true', 'false')(text) === 'true'
}

function postgresUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('must be a URL that begins with postgres:// or postgresql://') // never repeated: it holds a password
  return text
}

function webAddress(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text) || /[?#]/.test(text))
    throw new Error(`must be a URL that begins with http:// or https://, without a query, not "${text}"`)
  return text.replace(/\/+$/, '')
}

/** Where the service listens, as far as this machine is concerned. */
function ownAddress(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

function oneCallLimit(text: string): CallWindow {
  const [window, ...more] = parseCallLimits(text)
  if (window === undefined || more.length > 0) throw new Error(`must be one <value>/<ISO 8601 duration>, not "${text}"`)
  return window
}

function email(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new Error(`must be an e-mail address, not "${text}"`)
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
