import type { BootstrapResult, KeyPair } from '../account/installation/bootstrap.ts'
import { limits } from '../core/lib/limits.ts'
import type { Settings } from '../core/settings.ts'

/** The first start: what it created, and the file with the secrets; null: the text shows them. */
export interface FirstStart {
  keys: BootstrapResult
  keys_file: string | null
  /** Whether the text may contain the link of the owner: standard output is a terminal. */
  shows_link: boolean
}

interface Shown extends Pick<Settings, 'auth_mode'> {
  has_dashboard: boolean
  /** Whether there are guides to read: not in a checkout where none were built. */
  has_guides: boolean
}

/** The text printed at start. Only the first start shows the keys and calls to try: the database stores hashes of the secrets. */
export function welcome(
  address: string,
  firstStart: FirstStart | null,
  { auth_mode, has_dashboard, has_guides }: Shown,
  ownersWithoutPassword: readonly string[] = [],
): string {
  const places = [
    ...(has_dashboard ? [`dashboard: ${address}/dashboard/`] : []),
    ...(has_guides ? [`guides: ${address}/guides/`] : []),
    `reference: ${address}/docs`,
  ]
  const where = `Guerdon is ready on ${address}   (${places.join(', ')})\n`
  if (firstStart === null)
    return [
      where,
      'Keys were made at the first start; "guerdon keys create --name NAME" makes more (npm start -- keys create --name NAME).\n',
      ...ownersWithoutPassword.map(howToGetLink),
    ].join('')
  return [
    where,
    firstKeys(firstStart),
    authenticationModes(auth_mode),
    firstCalls(address, firstStart, auth_mode),
  ].join('\n')
}

/** The keys as `welcome` shows them, for commands that start no service. */
export function firstKeys({ keys, keys_file, shows_link }: FirstStart): string {
  if (keys_file === null)
    return shows_link ? `${keyLines(keys)}\n${ownerLink(keys)}` : `${keyLines(keys)}\n${howToGetLink(keys.owner_email)}`
  const place = `The generated secrets are in ${keys_file}, with the link by which ${keys.owner_email} sets a password for the dashboard. Only this user can read the file: keep them elsewhere and delete it.`
  return `${keyLines(withoutSecrets(keys))}\n${place}\n`
}

/** What the file of the first start contains. */
export const fileText = (keys: BootstrapResult): string => `${keyLines(keys)}\n${ownerLink(keys)}`

/** The token is in the fragment of the link, which browsers send to nobody. */
function ownerLink({ owner_email, owner_link }: BootstrapResult): string {
  return `Sign in to the dashboard: by this link ${owner_email} sets a password. It works once, for ${limits.user_link_hours} hours:\n\n  ${owner_link}\n`
}

/** For an owner who has no password yet and no link to set one. */
function howToGetLink(email: string): string {
  return `${email} has no password for the dashboard yet: "guerdon users reset ${email}" prints a link to set one (npm start -- users reset ${email}; stop a service on the embedded database before).\n`
}

function keyLines({ project_id, project_name, application, client, management }: BootstrapResult): string {
  return [
    `Project ${project_id} (${project_name}). Its keys are made only now, keep them:`,
    '',
    pairLines('X-App-Id', 'X-App-Token', application),
    pairLines('X-Client-Application-Id', 'X-Client-Token', client),
    pairLines('X-Management-Id', 'X-Management-Token', management),
  ].join('\n')
}

function pairLines(idHeader: string, tokenHeader: string, { id, token, is_generated }: KeyPair): string {
  const secret = is_generated ? token : '(as set in the environment)'
  return `  ${`${idHeader}:`.padEnd(25)}${id}\n  ${`${tokenHeader}:`.padEnd(25)}${secret}\n`
}

function withoutSecrets(keys: BootstrapResult): BootstrapResult {
  const hidden = (pair: KeyPair): KeyPair => (pair.is_generated ? { ...pair, token: '(in the file below)' } : pair)
  const { application, client, management } = keys
  return { ...keys, application: hidden(application), client: hidden(client), management: hidden(management) }
}

function authenticationModes(authMode: Settings['auth_mode']): string {
  return [
    `This node runs with AUTH_MODE=${authMode}. What a call carries:`,
    '',
    '  strict   X-App-Id, X-App-Token and an access token ("Authorization: Bearer …", from POST /v1/oauth/token)',
    '  either   X-App-Id and X-App-Token, or an access token; existing client libraries work unchanged',
    '',
  ].join('\n')
}

/** A call by curl that creates a category, and a program that creates a code, by the client library that the mode serves. */
function firstCalls(address: string, { keys, keys_file }: FirstStart, authMode: Settings['auth_mode']): string {
  const { id, token, is_generated } = keys.application
  const secret = is_generated && keys_file === null ? token : '…'
  return [
    'Try it:',
    '',
    curlCall(address, `-H 'X-App-Id: ${id}' -H 'X-App-Token: ${secret}'`, authMode),
    ...(authMode === 'either' ? existingLibrary : ownLibrary)(address, id, secret),
    '\n',
  ].join('\n')
}

const ownLibrary = (address: string, id: string, secret: string): string[] => [
  'With the client library (how to install it: docs/client.md), in a file that ends with .mjs:',
  '',
  "  import { createGuerdon, unwrap } from '@guerdon/client'",
  `  const guerdon = createGuerdon({ baseUrl: '${address}', applicationId: '${id}', secretKey: '${secret}' })`,
  "  const discount = { type: 'PERCENT', percent_off: 10 }",
  "  console.log(unwrap(await guerdon.createVoucherWithCode({ code: 'HELLO' }, { type: 'DISCOUNT_VOUCHER', discount })))",
]

const existingLibrary = (address: string, id: string, secret: string): string[] => [
  'With an existing client library (npm install @voucherify/sdk), in a file that ends with .cjs:',
  '',
  "  const { VoucherifyServerSide } = require('@voucherify/sdk')",
  `  const client = VoucherifyServerSide({ apiUrl: '${address}', applicationId: '${id}', secretKey: '${secret}' })`,
  "  const discount = { type: 'PERCENT', percent_off: 10 }",
  "  client.vouchers.create({ code: 'HELLO', type: 'DISCOUNT_VOUCHER', discount }).then(console.log)",
]

/** In strict mode it fetches an access token first. */
function curlCall(address: string, pair: string, authMode: Settings['auth_mode']): string {
  const create = `-H 'Content-Type: application/json' -d '{"name":"Summer sale","hierarchy":1}'`
  if (authMode === 'either') return `  curl ${address}/v1/categories ${pair} \\\n    ${create}\n`
  return [
    `  TOKEN=$(curl -sS ${address}/v1/oauth/token ${pair} \\`,
    `    -d grant_type=client_credentials -d scope=api | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl ${address}/v1/categories ${pair} -H "Authorization: Bearer $TOKEN" \\`,
    `    ${create}`,
    '',
  ].join('\n')
}
