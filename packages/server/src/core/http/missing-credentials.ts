import type { IncomingHttpHeaders } from 'node:http'
import type { Settings } from '../settings.ts'
import type { Family } from './operation.ts'

/**
 * Names the headers that a refused request lacks (docs/reference/authentication.md#what-is-missing); undefined when it has all.
 * Only absence counts, never validity: a newcomer learns what to send, and somebody who guesses secrets learns nothing.
 */
export function missingCredentials(
  headers: IncomingHttpHeaders,
  family: Exclude<Family, 'auth'>,
  mode: Settings['auth_mode'],
): string | undefined {
  const isAbsent = (name: string) => (headers[name.toLowerCase()] ?? '') === ''
  if (family === 'oauth' || family === 'management') return sentence(needed[family].filter(isAbsent))
  if (mode === 'strict') {
    const missing = sentence(needed[family].filter(isAbsent))
    return missing && `${missing} ${strict[family]}`
  }
  const pairs = family === 'client' ? [clientPair, applicationPair] : [applicationPair]
  if ([...pairs.flat(), authorization].every(isAbsent)) return sentence([either[family]])
  const halves = pairs.filter((pair) => !pair.every(isAbsent))
  return sentence(halves.flat().filter(isAbsent))
}

const sentence = (missing: string[]): string | undefined =>
  missing.length === 0 ? undefined : `Missing headers: ${missing.join(', ')}.`

const authorization = 'Authorization'
const applicationPair = ['X-App-Id', 'X-App-Token']
const clientPair = ['X-Client-Application-Id', 'X-Client-Token']

/** What every call needs; on the server and client side in strict mode only. */
const needed: Record<Exclude<Family, 'auth'>, string[]> = {
  server: [...applicationPair, authorization],
  client: [...applicationPair, authorization],
  oauth: applicationPair,
  management: ['X-Management-Id', 'X-Management-Token'],
}

const bothNeeded =
  'AUTH_MODE=strict wants the key pair and a bearer token of POST /v1/oauth/token; with AUTH_MODE=either one of them is enough.'

const strict = {
  server: bothNeeded,
  client: `${bothNeeded} X-Client-Application-Id and X-Client-Token are read with AUTH_MODE=either only.`,
}

/** What a call without any credential can choose from in mode `either`. */
const either = {
  server: 'X-App-Id and X-App-Token, or Authorization with a bearer token',
  client:
    'X-Client-Application-Id and X-Client-Token, or X-App-Id and X-App-Token, or Authorization with a bearer token',
}
