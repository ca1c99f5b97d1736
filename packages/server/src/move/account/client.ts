import { setTimeout } from 'node:timers/promises'
import { limits } from '../../core/lib/limits.ts'
import { PrivateTargetFailure } from '../../webhooks/target/failure.ts'
import type { Lookup } from '../../webhooks/target/lookup.ts'
import { isFault, readTarget } from '../../webhooks/target/target-url.ts'
import { type Foreign, isForeign, shown } from './foreign.ts'
import { newPublicFetch } from './public-fetch.ts'

export interface AccountKeys {
  /** `https://api.voucherify.io`, or the address of a region. */
  base: string
  app_id: string
  app_token: string
  /** Needed for stacking rules and custom event schemas only. */
  management: { id: string; token: string; project_id: string } | null
}

/** An answer that no retry changes. */
export class AccountError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The pages of a list are larger together than what an import may hold. */
export class TooLargeError extends AccountError {}

/** A page of a list, which counts as held until it is released. */
export interface HeldPage {
  reply: Foreign
  bytes: number
}

export type Query = Readonly<Record<string, string>>

/** Reads the account, a few requests at a time, no faster than the account allows. */
export interface AccountClient {
  get(path: string, query?: Query): Promise<Foreign>
  /** Rejects with `TooLargeError` if more pages are held than `limits.account_held_bytes_max` allows. */
  page(path: string, query: Query): Promise<HeldPage>
  /** Nobody needs these bytes of pages any longer; without a number, those of all pages. */
  release(bytes?: number): void
  post(path: string, body: object): Promise<Foreign>
  /** The bytes behind an address that the account named, without our keys. */
  download(url: string): Promise<Buffer>
  /** Ends early if the import is interrupted. */
  wait(seconds: number): Promise<void>
}

interface ClientOptions {
  signal?: AbortSignal | undefined
  /** Tells the person in front of the terminal why nothing happens. */
  onWait?: (reason: string, seconds: number) => void
  /** For tests: names the addresses of files that the account names. */
  lookup?: Lookup
  /** For tests: less than the limit. */
  held_bytes_max?: number
}

export function openAccount(
  keys: AccountKeys,
  { signal, onWait = () => {}, lookup, held_bytes_max = limits.account_held_bytes_max }: ClientOptions = {},
): AccountClient {
  const slots = newSlots(limits.account_requests_at_once)
  /** No request starts before: the account refused one with 429. */
  let pausedUntil = 0
  /** Bytes of the pages that are not yet released. */
  let held = 0
  /** Whether anybody has answered: before, the address is more likely wrong than the account away. */
  let hasAnswered = false

  async function send(url: URL, init: RequestInit, fetchFrom = fetch): Promise<Buffer> {
    for (let attempt = 1, failures = 1; ; attempt++, failures++) {
      const answer = await slots(async () => {
        // With the slot: a request that waited for it may have to wait for the end of a pause that began meanwhile.
        while (Date.now() < pausedUntil) await setTimeout(pausedUntil - Date.now(), undefined, { signal })
        const first = await once(url, init, signal, fetchFrom)
        if (!first.is_ok && first.status === 429)
          pausedUntil = Math.max(pausedUntil, Date.now() + 1_000 * waitAfter(first, failures))
        return first
      })
      hasAnswered ||= answer.is_ok || answer.status > 0
      if (answer.is_ok) return answer.body
      const { status, message } = answer
      const attemptsMax = hasAnswered ? limits.account_attempts_max : limits.account_first_attempts_max
      if (!isWorthRetry(status) || attempt >= attemptsMax) throw new AccountError(status, message)
      const seconds = waitAfter(answer, failures)
      onWait(message, seconds)
      // A limit of calls says nothing about the request: it is asked again for as long as it takes, after the pause.
      if (status === 429) attempt -= 1
      else await setTimeout(seconds * 1_000, undefined, { signal })
    }
  }

  async function ask(method: 'GET' | 'POST', path: string, query: Query, body?: object): Promise<Buffer> {
    const url = new URL(`${keys.base.replace(/\/$/, '')}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return send(url, {
      method,
      headers: {
        ...credentials(keys, path),
        accept: 'application/json',
        'x-voucherify-channel': 'Guerdon-Import',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  async function page(path: string, query: Query): Promise<HeldPage> {
    const answer = await ask('GET', path, query)
    if (held + answer.length > held_bytes_max)
      throw new TooLargeError(0, `The pages of ${path} have more than ${held_bytes_max} bytes together`)
    held += answer.length
    return { reply: objectIn(answer, path), bytes: answer.length }
  }

  /** The account chooses the address: it must not lead into the network of this machine, unless the account itself is there. */
  async function download(url: string): Promise<Buffer> {
    if (URL.parse(url)?.origin === new URL(keys.base).origin) return send(new URL(url), {})
    const target = readTarget(url, { allow_private: false })
    if (isFault(target)) throw notPublic(url)
    const files = newPublicFetch({ lookup })
    try {
      return await send(target.url, {}, files.fetch)
    } finally {
      await files.close()
    }
  }

  return {
    get: async (path, query = {}) => objectIn(await ask('GET', path, query), path),
    page,
    release(bytes = held) {
      held = Math.max(0, held - bytes)
    },
    post: async (path, body) => objectIn(await ask('POST', path, {}, body), path),
    download,
    wait: (seconds) => setTimeout(seconds * 1_000, undefined, { signal }),
  }
}

const notPublic = (url: string): AccountError =>
  new AccountError(
    0,
    `The account named a file at an address that is not public (${shown(URL.parse(url)?.origin ?? '')}). If that is the account itself, name it with --base and begin with a new folder`,
  )

function credentials({ app_id, app_token, management }: AccountKeys, path: string): Record<string, string> {
  if (!path.startsWith('/management/')) return { 'x-app-id': app_id, 'x-app-token': app_token }
  if (management === null) throw new AccountError(0, 'Management keys are missing')
  return { 'x-management-id': management.id, 'x-management-token': management.token }
}

type Answer = { is_ok: true; body: Buffer } | Refused
type Refused = { is_ok: false; status: number; message: string; retry_after: number | null }

/** Seconds before the next attempt: what the account says, or else longer every time. */
const waitAfter = ({ retry_after }: Refused, failures: number): number =>
  retry_after ?? Math.min(2 ** (failures - 1), limits.account_wait_seconds_max)

/** One attempt. A connection that breaks is status 0. */
async function once(
  url: URL,
  init: RequestInit,
  signal: AbortSignal | undefined,
  fetchFrom: typeof fetch,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(limits.account_request_seconds * 1_000)
  try {
    // A redirect would carry the keys to an address that nobody named.
    const reply = await fetchFrom(url, {
      ...init,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    const body = await bounded(reply)
    if (reply.ok) return { is_ok: true, body }
    const asked = `${init.method ?? 'GET'} ${url.pathname} was answered with ${reply.status}`
    return {
      is_ok: false,
      status: reply.status,
      message: isRedirect(reply.status) ? `${asked}${redirected(reply.headers)}` : `${asked}${explained(body)}`,
      retry_after: waitIn(reply.headers),
    }
  } catch (error) {
    if (signal?.aborted) throw error
    if (error instanceof AccountError) throw error
    const { message, cause } = error as Error & { cause?: Error }
    if (cause instanceof PrivateTargetFailure) throw notPublic(url.href)
    return {
      is_ok: false,
      status: 0,
      message: `${url.origin} could not be reached: ${cause?.message ?? message}`,
      retry_after: null,
    }
  }
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

const redirected = (headers: Headers): string =>
  `, a redirect to ${shown(headers.get('location') ?? '')}, which the keys do not follow: name the address of the API with --base`

const isWorthRetry = (status: number): boolean => status === 0 || status === 408 || status === 429 || status >= 500

/** Seconds; `X-Rate-Limit-Retry` is what the limits of a project use. */
function waitIn(headers: Headers): number | null {
  for (const name of ['retry-after', 'x-rate-limit-retry', 'x-rate-limit-retry-after']) {
    const seconds = secondsIn(headers.get(name)?.trim() ?? '')
    if (seconds !== null) return Math.min(Math.max(seconds, 0.1), limits.account_wait_seconds_max)
  }
  return null
}

/** A number, or the moment at which to ask again: proxies send either. */
function secondsIn(value: string): number | null {
  const seconds = value === '' ? Number.NaN : Number(value)
  if (seconds >= 0) return seconds
  // A number that makes no sense would be read as a year.
  const moment = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(moment) ? null : (moment - Date.now()) / 1_000
}

async function bounded(reply: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of reply.body ?? []) {
    size += chunk.length
    if (size > limits.account_reply_bytes_max)
      throw new AccountError(reply.status, `An answer is larger than ${limits.account_reply_bytes_max} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function explained(body: Buffer): string {
  const answer = parsed(body)
  if (!isForeign(answer)) return ''
  const { message, details } = answer
  return `: ${[message, details]
    .filter((word) => typeof word === 'string')
    .join(', ')
    .slice(0, 300)}`
}

function objectIn(answer: Buffer, path: string): Foreign {
  const object = parsed(answer)
  if (!isForeign(object)) throw new AccountError(0, `${path} was not answered with a JSON object`)
  return object
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

/** Runs at most `count` pieces of work at once, in the order of the calls. */
function newSlots(count: number) {
  let free = count
  const waiting: Array<() => void> = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free -= 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
