import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { BadSettings, type Environment, pastThePooler, readSettings, type Settings } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'guerdon-settings-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileWith(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** The lines of the error message, one per invalid setting. */
function problemsOf(env: Environment): string[] {
  try {
    readSettings(env)
  } catch (error) {
    expect(error).toBeInstanceOf(BadSettings)
    const [head, ...lines] = (error as Error).message.split('\n')
    expect(head).toBe('Guerdon cannot start, bad settings:')
    return lines.map((line) => line.replace(/^ {2}- /, ''))
  }
  return []
}

test('secrets may be in files; a missing or empty one, and one that is set twice, stop the start', () => {
  const url = 'postgres://shop:secret@db/shop'
  const file = fileWith('database-url', `${url}\n`)
  const token = fileWith('token', 'a-secret-of-some-length\n')
  const settings = readSettings({
    NODE_ENV: 'production',
    DATABASE_URL_FILE: file,
    BOOTSTRAP_APP_TOKEN_FILE: token,
    SMTP_URL_FILE: '',
  })
  expect(settings).toMatchObject({ database_url: url, bootstrap: { app_token: 'a-secret-of-some-length' }, smtp: null })
  expect(problemsOf({ DATABASE_URL: url, DATABASE_URL_FILE: file })).toEqual([
    'DATABASE_URL_FILE: DATABASE_URL is set too; set one of them',
  ])
  expect(
    problemsOf({ DATABASE_URL_FILE: join(folder, 'absent'), BOOTSTRAP_CLIENT_TOKEN_FILE: fileWith('empty', '\n') }),
  ).toEqual([
    expect.stringMatching(/^DATABASE_URL_FILE: cannot be read: ENOENT/),
    'BOOTSTRAP_CLIENT_TOKEN_FILE: the file is empty',
  ])
})

test('an empty environment gives the documented defaults', () => {
  expect(readSettings({})).toEqual({
    port: 8010,
    host: '127.0.0.1',
    base_url: 'http://127.0.0.1:8010',
    database_url: null,
    database_session_url: null,
    database_prepared: 'on',
    data_dir: resolve('.guerdon'),
    database_connections: 8,
    database_read_urls: [],
    database_read_lag_ms: 1_000,
    workers: null,
    log_level: 'info',
    log_requests: false,
    metrics_port: null,
    metrics_host: '127.0.0.1',
    dashboard: 'on',
    guides: 'on',
    auth_mode: 'strict',
    cluster_id: 'eu1',
    oauth_token_ttl_seconds: 900,
    oauth_max_tokens_per_project: 1_000,
    rate_limit_api_calls: [],
    rate_limit_bulk_api_calls: [],
    rate_limit_api_calls_cycle: null,
    client_rate_limit: { calls: 100, seconds: 10 },
    wrong_codes_limit: { calls: 20, seconds: 60 },
    wrong_credentials_limit: { calls: 10, seconds: 60 },
    tracking_id_hours_max: 24,
    client_order_days_max: 30,
    client_session_minutes_max: 60,
    client_sessions_max: 200,
    trust_proxy_hops: 0,
    max_body_bytes: 10_485_760,
    max_ordinary_body_bytes: 1_048_576,
    max_client_body_bytes: 65_536,
    max_query_bytes: 16_384,
    unknown_fields: 'ignore',
    drain_seconds: 0,
    webhook_timeout_ms: 10_000,
    webhook_allow_private_targets: false,
    audit_log: 'on',
    audit_retention_days: 180,
    event_retention_days: null,
    smtp: null,
    oidc: null,
    mail_from: null,
    error_messages: new Map(),
    bootstrap: {
      app_id: null,
      app_token: null,
      client_id: null,
      client_token: null,
      management_id: null,
      management_token: null,
      owner_email: null,
      project: {},
    },
  })
})

test('an empty or blank setting counts as unset', () => {
  const blank = Object.fromEntries(
    [
      'PORT',
      'DATABASE_URL',
      'AUTH_MODE',
      'CLUSTER_ID',
      'RATE_LIMIT_API_CALLS',
      'MAX_BODY_BYTES',
      'MAX_CLIENT_BODY_BYTES',
      'ERROR_MESSAGES_FILE',
      'BOOTSTRAP_PROJECT_JSON',
    ].map((name, index) => [name, index % 2 === 0 ? '' : '  ']),
  )
  expect(readSettings(blank)).toEqual(readSettings({}))
})

test('an empty CLIENT_RATE_LIMIT or WRONG_CODES_LIMIT disables the limit, an unset one does not', () => {
  expect(readSettings({ WRONG_CODES_LIMIT: '' }).wrong_codes_limit).toBeNull()
  expect(readSettings({ CLIENT_RATE_LIMIT: '' }).client_rate_limit).toBeNull()
  expect(readSettings({ CLIENT_RATE_LIMIT: ' ' }).client_rate_limit).toBeNull()
  expect(readSettings({ CLIENT_RATE_LIMIT: '7/PT1M' }).client_rate_limit).toEqual({ calls: 7, seconds: 60 })
})

test('every setting is read', () => {
  const messages = fileWith('messages.json', '{"not_found":"Nichts gefunden","voucher_expired":"Abgelaufen"}')
  const settings = readSettings({
    PORT: ' 80 ',
    HOST: '0.0.0.0',
    BASE_URL: 'https://api.shop.example/guerdon/',
    DATABASE_URL: 'postgresql://user:secret@db.internal:5432/guerdon?sslmode=require',
    GUERDON_DATA_DIR: folder,
    AUTH_MODE: 'either',
    RATE_LIMIT_API_CALLS: '2000/PT1M,50000/PT1H',
    RATE_LIMIT_BULK_API_CALLS: '10/PT1H',
    RATE_LIMIT_API_CALLS_CYCLE: '1000000',
    TRUST_PROXY_HOPS: '2',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    ERROR_MESSAGES_FILE: messages,
    BOOTSTRAP_APP_ID: 'app',
    BOOTSTRAP_OWNER_EMAIL: 'owner@shop.test',
    BOOTSTRAP_PROJECT_JSON: '{"name":"Shop","client_redeem_enabled":true}',
  })
  expect(settings).toMatchObject({
    port: 80,
    host: '0.0.0.0',
    base_url: 'https://api.shop.example/guerdon',
    database_url: 'postgresql://user:secret@db.internal:5432/guerdon?sslmode=require',
    data_dir: folder,
    auth_mode: 'either',
    rate_limit_api_calls: [
      { calls: 2_000, seconds: 60 },
      { calls: 50_000, seconds: 3_600 },
    ],
    rate_limit_bulk_api_calls: [{ calls: 10, seconds: 3_600 }],
    rate_limit_api_calls_cycle: 1_000_000,
    trust_proxy_hops: 2,
    webhook_allow_private_targets: true,
    bootstrap: {
      app_id: 'app',
      owner_email: 'owner@shop.test',
      project: { name: 'Shop', client_redeem_enabled: true },
    },
  })
  expect([...settings.error_messages]).toEqual([
    ['not_found', 'Nichts gefunden'],
    ['voucher_expired', 'Abgelaufen'],
  ])
})

test('without BASE_URL the URL is the listening address, as reachable from this machine', () => {
  expect(readSettings({ PORT: '80', HOST: '192.0.2.1' }).base_url).toBe('http://192.0.2.1:80')
  expect(readSettings({ PORT: '80', HOST: '0.0.0.0' }).base_url).toBe('http://localhost:80')
  expect(readSettings({ PORT: '80', HOST: '::' }).base_url).toBe('http://localhost:80')
  expect(readSettings({ PORT: '80', HOST: '::1' }).base_url).toBe('http://[::1]:80')
})

test('in production the embedded database is used only if its folder is set', () => {
  const problem =
    'DATABASE_URL: must be set, since NODE_ENV is production; to use the embedded database there, set GUERDON_DATA_DIR to its folder'
  expect(problemsOf({ NODE_ENV: 'production' })).toEqual([problem])
  expect(problemsOf({ NODE_ENV: 'production', GUERDON_DATA_DIR: ' ' })).toEqual([problem])
  expect(problemsOf({ NODE_ENV: 'production', GUERDON_DATA_DIR: '.guerdon' })).toEqual([])
  expect(problemsOf({ NODE_ENV: 'production', DATABASE_URL: 'postgres://db/guerdon' })).toEqual([])
  expect(problemsOf({ NODE_ENV: 'test' })).toEqual([])
})

test('the TLS parameters of DATABASE_URL are checked, and the URL is not repeated', () => {
  const url = 'postgres://user:hidden@db/guerdon'
  expect(problemsOf({ DATABASE_URL: `${url}?sslmode=verify` })).toEqual([
    'DATABASE_URL: sslmode must be one of disable, prefer, require, verify-ca, verify-full, no-verify, not "verify"',
  ])
  const [problem, ...more] = problemsOf({ DATABASE_URL: `${url}?sslrootcert=${folder}/missing.pem` })
  expect(problem).toMatch(/^DATABASE_URL: sslrootcert cannot be read: ENOENT.*missing\.pem/)
  expect(problem).not.toContain('hidden')
  expect(more).toEqual([])
  expect(problemsOf({ DATABASE_URL: `${url}?sslrootcert=${fileWith('ca.pem', '')}` })).toEqual([])
})

describe('a pooler', () => {
  const direct = 'postgres://user:hidden@db/guerdon'
  const pooled = 'postgres://user:hidden@pooler/guerdon'

  test('DATABASE_SESSION_URL is checked like DATABASE_URL, which it needs, and may be in a file', () => {
    const [problem, ...more] = problemsOf({ DATABASE_URL: pooled, DATABASE_SESSION_URL: `${direct}?sslmode=verify` })
    expect(problem).toMatch(/^DATABASE_SESSION_URL: sslmode must be one of/)
    expect(problem).not.toContain('hidden')
    expect(more).toEqual([])
    expect(problemsOf({ DATABASE_URL: pooled, DATABASE_SESSION_URL: 'mysql://user:hidden@db' })).toEqual([
      'DATABASE_SESSION_URL: must be a URL that begins with postgres:// or postgresql://',
    ])
    expect(problemsOf({ DATABASE_SESSION_URL: direct })).toEqual([
      'DATABASE_SESSION_URL: has no effect without DATABASE_URL',
    ])
    const settings = readSettings({ DATABASE_URL: pooled, DATABASE_SESSION_URL_FILE: fileWith('session-url', direct) })
    expect(settings).toMatchObject({ database_url: pooled, database_session_url: direct })
  })

  test('commands other than serve go past it', () => {
    const urls = ({ database_url, database_session_url }: Settings) => [database_url, database_session_url]
    const behind = readSettings({ DATABASE_URL: pooled, DATABASE_SESSION_URL: direct })
    expect(urls(pastThePooler(behind))).toEqual([direct, direct])
    expect(urls(pastThePooler(readSettings({ DATABASE_URL: direct })))).toEqual([direct, null])
    expect(urls(pastThePooler(readSettings({})))).toEqual([null, null])
  })
})

describe('SMTP_URL', () => {
  const from = { MAIL_FROM: 'Guerdon <guerdon@shop.test>' }
  const server = { host: 'mail.test', user: null, password: null }

  test.each([
    ['smtp://mail.test', { ...server, port: 587, tls: 'offered' }],
    ['smtp://mail.test:25/?tls=required', { ...server, port: 25, tls: 'required' }],
    ['smtp://mail_server.internal.', { ...server, host: 'mail_server.internal.', port: 587, tls: 'offered' }],
    ['smtp://mail.test?tls=off', { ...server, port: 587, tls: 'off' }],
    ['smtps://mail.test', { ...server, port: 465, tls: 'connect' }],
    [
      'smtps://ann%40shop.test:p%3Ass%2F%25@mail.test:4650',
      { ...server, port: 4650, tls: 'connect', user: 'ann@shop.test', password: 'p:ss/%' },
    ],
    // A password is not sent unencrypted over a network, unless the operator says so.
    ['smtp://ann:secret@mail.test', { ...server, port: 587, tls: 'required', user: 'ann', password: 'secret' }],
    ['smtp://ann:secret@mail.test?tls=off', { ...server, port: 587, tls: 'off', user: 'ann', password: 'secret' }],
    ['smtp://ann:secret@[::1]:25', { host: '::1', port: 25, tls: 'offered', user: 'ann', password: 'secret' }],
    ['smtp://ann:secret@127.0.0.1', { host: '127.0.0.1', port: 587, tls: 'offered', user: 'ann', password: 'secret' }],
  ])('%s', (url, expected) => {
    expect(readSettings({ SMTP_URL: url, ...from })).toMatchObject({
      smtp: expected,
      mail_from: { name: 'Guerdon', address: 'guerdon@shop.test' },
    })
  })

  test.each([
    'mail.test',
    'http://ann:hidden@mail.test',
    'smtp://',
    'smtp://ann:hidden@mail.test/inbox',
    'smtp://ann:hidden@mail.test#x',
    'smtp://ann:hidden%@mail.test',
    'smtp://:hidden@mail.test',
    'smtp://ann:hidden@mail.test:99999',
    'smtp://ann:hidden@mail.test:0',
    'smtps://ann:hidden@mail.test:00',
    'smtp://ann:hidden@mail%0d%0a.test',
    'smtp://ann:hidden@mail%00.test',
    'smtp://ann:hidden@mail\u0001.test',
    'smtp://ann:hidden@mail\n.test',
    'smtp://ann:hidden@mail\t.test',
    'smtp://ann:hidden@mail"x.test',
    'smtp://ann:hidden@mail.test?tls=maybe',
    'smtp://ann:hidden@mail.test?requireTLS=true',
    'smtp://ann:hidden@mail.test?tls=off&tls=off',
    'smtps://ann:hidden@mail.test?tls=off',
  ])('%s is refused and not repeated', (url) => {
    const problems = problemsOf({ SMTP_URL: url, ...from })
    expect(problems).toEqual([expect.stringMatching(/^SMTP_URL: /)])
    expect(problems.join()).not.toContain('hidden')
  })

  test('takes a sender', () => {
    expect(problemsOf({ SMTP_URL: 'smtp://mail.test' })).toEqual(['MAIL_FROM: must be set, since SMTP_URL is set'])
    expect(readSettings({ MAIL_FROM: '"Shop, Ann" <ann@shop.test>' }).mail_from).toEqual({
      name: 'Shop, Ann',
      address: 'ann@shop.test',
    })
    for (const sender of ['guerdon', 'a@b.test\r\nBcc: c@d.test', 'x <a@b.test>, c@d.test', 'x\ny <a@b.test>', '<>'])
      expect(problemsOf({ MAIL_FROM: sender })).toEqual([
        'MAIL_FROM: must be an e-mail address such as guerdon@shop.example or Guerdon <guerdon@shop.example>',
      ])
  })
})

describe('an invalid setting is reported with its valid values', () => {
  test.each<[name: string, value: string, problem: string]>([
    ['PORT', '65536', 'must be a whole number from 0 to 65535, not "65536"'],
    ['PORT', '-1', 'must be a whole number from 0 to 65535, not "-1"'],
    ['PORT', '80.5', 'must be a whole number from 0 to 65535, not "80.5"'],
    ['PORT', '0x50', 'must be a whole number from 0 to 65535, not "0x50"'],
    ['PORT', '1e3', 'must be a whole number from 0 to 65535, not "1e3"'],
    [
      'BASE_URL',
      'shop.example',
      'must be a URL that begins with http:// or https://, without a query, not "shop.example"',
    ],
    [
      'BASE_URL',
      'https://a.b/?c',
      'must be a URL that begins with http:// or https://, without a query, not "https://a.b/?c"',
    ],
    ['DATABASE_CONNECTIONS', '0', 'must be a whole number from 1 to 1000, not "0"'],
    ['DATABASE_URL', 'mysql://db/guerdon', 'must be a URL that begins with postgres:// or postgresql://'],
    ['LOG_LEVEL', 'loud', 'must be one of fatal, error, warn, info, debug, trace, silent, not "loud"'],
    ['UNKNOWN_FIELDS', 'reject', 'must be one of ignore, refuse, not "reject"'],
    ['LOG_REQUESTS', 'yes', 'must be one of true, false, not "yes"'],
    ['METRICS_PORT', '99999', 'must be a whole number from 0 to 65535, not "99999"'],
    ['METRICS_PORT', '8010', 'must differ from PORT'],
    ['METRICS_HOST', '10.0.0.1', 'has no effect without METRICS_PORT'],
    ['AUTH_MODE', 'Strict', 'must be one of strict, either, not "Strict"'],
    ['AUTH_MODE', 'none', 'must be one of strict, either, not "none"'],
    ['OAUTH_TOKEN_TTL_SECONDS', '0', 'must be a whole number from 1 to 31536000, not "0"'],
    ['OAUTH_MAX_TOKENS_PER_PROJECT', 'many', 'must be a whole number from 1 to 1000000, not "many"'],
    [
      'RATE_LIMIT_API_CALLS',
      '2000',
      'must be a comma list of <value>/<ISO 8601 duration> such as 2000/PT1M, not "2000"',
    ],
    [
      'RATE_LIMIT_BULK_API_CALLS',
      '5/1M',
      'must be a comma list of <value>/<ISO 8601 duration> such as 2000/PT1M, not "5/1M"',
    ],
    ['RATE_LIMIT_API_CALLS_CYCLE', '0', 'must be a whole number from 1 to 9007199254740991, not "0"'],
    ['WRONG_CODES_LIMIT', '5', 'must be a comma list of <value>/<ISO 8601 duration> such as 2000/PT1M, not "5"'],
    ['CLIENT_RATE_LIMIT', '5/PT5S,6/PT6S', 'must be one <value>/<ISO 8601 duration>, not "5/PT5S,6/PT6S"'],
    ['TRUST_PROXY_HOPS', 'all', 'must be a whole number from 0 to 100, not "all"'],
    ['MAX_BODY_BYTES', '10MB', 'must be a whole number from 1024 to 1073741824, not "10MB"'],
    ['MAX_QUERY_BYTES', '10', 'must be a whole number from 256 to 1048576, not "10"'],
    ['WEBHOOK_TIMEOUT_MS', '0', 'must be a whole number from 1 to 600000, not "0"'],
    ['WEBHOOK_ALLOW_PRIVATE_TARGETS', 'yes', 'must be one of true, false, not "yes"'],
    ['AUDIT_LOG', 'yes', 'must be one of on, without_bodies, off, not "yes"'],
    ['AUDIT_RETENTION_DAYS', '0', 'must be a whole number from 1 to 36500, not "0"'],
    ['BOOTSTRAP_OWNER_EMAIL', 'owner', 'must be an e-mail address, not "owner"'],
    ['BOOTSTRAP_PROJECT_JSON', '{', 'must be a JSON object'],
    ['BOOTSTRAP_PROJECT_JSON', '[]', 'must be a JSON object'],
    ['BOOTSTRAP_PROJECT_JSON', 'null', 'must be a JSON object'],
  ])('%s=%s', (name, value, problem) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name}: ${problem}`])
  })

  test('a messages file that is unreadable, not a JSON object, or has a value that is not text is reported', () => {
    expect(problemsOf({ ERROR_MESSAGES_FILE: join(folder, 'absent.json') })).toEqual([
      expect.stringMatching(/^ERROR_MESSAGES_FILE: cannot be read: ENOENT/),
    ])
    expect(problemsOf({ ERROR_MESSAGES_FILE: fileWith('list.json', '[]') })).toEqual([
      'ERROR_MESSAGES_FILE: must be a JSON object',
    ])
    expect(problemsOf({ ERROR_MESSAGES_FILE: fileWith('half.json', '{"not_found":') })).toEqual([
      'ERROR_MESSAGES_FILE: must be a JSON object',
    ])
    expect(problemsOf({ ERROR_MESSAGES_FILE: fileWith('nested.json', '{"not_found":{"en":"x"}}') })).toEqual([
      'ERROR_MESSAGES_FILE: must map error keys to messages, both text',
    ])
  })
})

test('all invalid settings are reported in one message', () => {
  const problems = problemsOf({
    PORT: 'x',
    AUTH_MODE: 'x',
    DATABASE_URL: 'x',
    CLIENT_RATE_LIMIT: 'x',
    BOOTSTRAP_PROJECT_JSON: 'x',
    HOST: 'fine',
  })
  expect(problems.map((line) => line.split(':')[0])).toEqual([
    'PORT',
    'DATABASE_URL',
    'AUTH_MODE',
    'CLIENT_RATE_LIMIT',
    'BOOTSTRAP_PROJECT_JSON',
  ])
})

test('no error message repeats a secret', () => {
  const secrets = ['hunter2', 'c1a4b2e3-6d5f', 'tok-8d2f']
  const urls = [
    'mysql://user:hunter2@db/guerdon',
    'postgres://user:hunter2@db:port/x',
    'user:hunter2@db',
    'postgres://user:hunter2@',
    ' postgres//hunter2',
  ]
  for (const Databaseurl of urls) {
    const text = problemsOf({
      DATABASE_URL: Databaseurl,
      PORT: 'x',
      BOOTSTRAP_APP_TOKEN: 'c1a4b2e3-6d5f', // too short
      BOOTSTRAP_PROJECT_JSON: '{"webhook_token":"tok-8d2f"',
    }).join('\n')
    expect(text).toContain('DATABASE_URL')
    for (const secret of secrets) expect(text).not.toContain(secret)
  }
})

test('an OpenID provider needs an issuer over https, an id and a secret', () => {
  const provider = { OIDC_ISSUER: 'https://id.shop.test/', OIDC_CLIENT_ID: 'guerdon', OIDC_CLIENT_SECRET: 'x' }
  expect(readSettings({ ...provider, OIDC_ALLOWED_DOMAINS: 'Shop.test, b.test' }).oidc).toEqual({
    issuer: 'https://id.shop.test/',
    client_id: 'guerdon',
    client_secret: 'x',
    allowed_domains: ['shop.test', 'b.test'],
  })
  for (const name of Object.keys(provider))
    expect(() => readSettings({ ...provider, [name]: '' }), name).toThrow(`${name}: must be set`)
  expect(() => readSettings({ ...provider, OIDC_ISSUER: 'http://id.shop.test' })).toThrow('must begin with https://')
  expect(() => readSettings({ ...provider, OIDC_ALLOWED_DOMAINS: 'a@b.test' })).toThrow('OIDC_ALLOWED_DOMAINS')
  expect(() => readSettings({ OIDC_ALLOWED_DOMAINS: 'b.test' })).toThrow('OIDC_ISSUER: must be set')
})

test('DATABASE_READ_URL lists replicas, one server per URL, and needs DATABASE_URL', () => {
  const primary = { DATABASE_URL: 'postgres://db1/shop' }
  const read = (list: string) => readSettings({ ...primary, DATABASE_READ_URL: list }).database_read_urls
  expect(read('postgres://db2/shop, postgresql://a/shop')).toEqual(['postgres://db2/shop', 'postgresql://a/shop'])
  for (const url of ['postgresql://a,b/shop', 'postgres://a/shop?target_session_attrs=any'])
    expect(() => read(url)).toThrow('DATABASE_READ_URL: each URL must name one server')
  expect(() => read('db2')).toThrow('DATABASE_READ_URL: must be a URL that begins with postgres://')
  expect(() => read('postgres://db2/shop,postgres://db2/shop')).toThrow('DATABASE_READ_URL: names a replica twice')
  expect(() => readSettings({ DATABASE_READ_URL: 'postgres://db2/shop' })).toThrow(
    'DATABASE_READ_URL: has no effect without DATABASE_URL',
  )
  expect(() => readSettings({ ...primary, DATABASE_READ_LAG_MS: '50' })).toThrow('from 100 to 60000')
})
