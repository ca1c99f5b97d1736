import { type AttemptOptions, attempt, noAnswer, type PreparedRequest } from './attempt.ts'
import type { Outcome, Result } from './result.ts'

/** How often and how long a call is tried. */
export interface RetryOptions {
  /** Attempts in all; 1 never repeats. Default: 4. */
  attempts?: number
  /** No attempt begins later than this after the call did. Default: 60,000. */
  totalMs?: number
  /** The first wait is at most this; it doubles with each attempt. Default: 250. */
  delayMs?: number
  /** No wait is longer, except one that the service asks for. Default: 8,000. */
  delayMsMax?: number
}

/** Headers that admit a call, and what to do when the service does not accept them any more. */
export interface Credentials {
  headers: Record<string, string>
  /** Has the next attempt get new ones; undefined if there are none to get. */
  renew?: () => void
}

interface SendOptions extends AttemptOptions {
  retry: RetryOptions
  /** Whether a second attempt cannot do the work twice. */
  isRepeatable: boolean
  authorise: () => Promise<Outcome<Credentials>>
}

/** Sends a request until it is answered, refused for good, or there is no time left. */
export async function send(request: PreparedRequest, options: SendOptions): Promise<Result<unknown>> {
  const { signal, isRepeatable, authorise, retry } = options
  const { attempts = 4, totalMs = 60_000, delayMs = 250, delayMsMax = 8_000 } = retry
  const endsAt = Date.now() + totalMs
  let mayRenew = true
  for (let count = 1; ; count++) {
    const credentials = await orAborted(authorise(), signal)
    if (!credentials.ok) return credentials
    const { headers, renew } = credentials.data
    const sent = { ...request, headers: { ...request.headers, ...headers } }
    const { result, pauseMs } = await attempt(sent, options)
    if (result.ok) return result
    if (result.error.status === 401 && renew && mayRenew) {
      // Refused before anything was done: to ask again with a new token is safe for every call.
      mayRenew = false
      renew()
      continue
    }
    // Half of the wait is random, so that clients which failed together do not come back together.
    const backOff = Math.min(delayMsMax, delayMs * 2 ** (count - 1)) * (1 - Math.random() / 2)
    const wait = pauseMs + backOff
    if (!isRepeatable || !result.error.retryable || count >= attempts || Date.now() + wait > endsAt) return result
    const waited = await orAborted(sleep(wait), signal)
    if (!waited.ok) return waited
  }
}

const sleep = (milliseconds: number): Promise<Outcome<unknown>> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds, { ok: true }))

/** Ends the wait of one caller; what it waited for goes on, since other callers may wait for it too. */
function orAborted<Data>(waiting: Promise<Outcome<Data>>, signal: AbortSignal | undefined): Promise<Outcome<Data>> {
  if (!signal) return waiting
  return new Promise((resolve, reject) => {
    const end = () => resolve(noAnswer('aborted', signal.reason))
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}
