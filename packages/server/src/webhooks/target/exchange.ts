import type { Dispatcher } from 'undici'
import { limits } from '../../core/lib/limits.ts'
import type { Connection } from './connections.ts'
import { codeOf, headersTooLarge, TargetFailure } from './failure.ts'
import { responseText } from './response-text.ts'
import type { Target } from './target-url.ts'

export interface Outgoing {
  headers: Record<string, string>
  body: Buffer
}

/** What came back; `error` is null if and only if the status is 200..299. */
export interface Outcome {
  status_code: number | null
  error: Error | null
  response_body: string | null
}

export const failed = (error: Error): Outcome => ({ status_code: null, error, response_body: null })

/** How a connection is left: `idle` may be used again, `stale` was closed by the target before it answered, on a connection that was kept. */
export type ConnectionEnd = 'idle' | 'stale' | 'used up'

/** One attempt, which can be ended at any moment. */
export class Attempt {
  readonly target: Target
  /** Why it was ended. */
  reason: Error | null = null
  /** Ends what it is doing: connecting, or an exchange. */
  onEnd: (reason: Error) => void = () => {}

  constructor(target: Target) {
    this.target = target
  }

  end(reason: Error): void {
    if (this.reason !== null) return
    this.reason = reason
    this.onEnd(reason)
  }
}

/**
 * Sends one request and reads its response: until its end, 10 KiB, 2,000 parts or the end of the attempt, whichever is first. Headers that
 * have arrived count, however the body ends. Unless the response was read to its end, the connection is destroyed.
 */
export function exchange(
  connection: Connection,
  attempt: Attempt,
  { headers, body }: Outgoing,
): Promise<[Outcome, ConnectionEnd]> {
  return new Promise((resolve) => {
    let status: number | null = null
    const read: Buffer[] = []
    let left: number = limits.target_response_bytes_max
    let informationLeft = informationMax
    let isOver = false

    const end = (error: Error, { is_whole = false } = {}) => {
      if (isOver) return
      isOver = true
      if (is_whole) resolve([withResponse(status as number, read), 'idle'])
      else {
        const isStale = status === null && connection.is_reused && attempt.reason === null && isClosed(error)
        connection.destroy(error)
        const outcome = status === null ? failed(error) : withResponse(status, read)
        resolve([outcome, isStale ? 'stale' : 'used up'])
      }
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_controller, statusCode) {
        // A target may announce that it works on it (102, 103), but not for ever: each announcement costs us time.
        if (statusCode >= 200) status = statusCode
        else if (--informationLeft < 0) end(new TargetFailure('the target sends too many interim responses'))
      },
      onResponseData(_controller, chunk) {
        read.push(chunk.subarray(0, left))
        if (chunk.length > left || read.length > chunksMax) end(long)
        left -= Math.min(left, chunk.length)
      },
      onResponseEnd: () => end(whole, { is_whole: true }),
      onResponseError: (_controller, error) => end(error),
    }
    attempt.onEnd = end
    if (attempt.reason !== null) return end(attempt.reason) // ended at the moment when the connection was made
    connection.limitRead(rawBytesMax, () => end(status === null ? new TargetFailure(headersTooLarge) : long))
    connection.client.dispatch({ method: 'POST', path: attempt.target.path, headers, body }, handler)
  })
}

/** Reasons that nobody sees: the status decides. */
const long = new TargetFailure('the response is long')
const whole = new TargetFailure('the response is whole')

/** Whether the target closed the connection. */
const isClosed = (error: Error): boolean => ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error))

function withResponse(status: number, read: readonly Buffer[]): Outcome {
  return {
    status_code: status,
    error: whyNotSuccess(status),
    response_body: responseText(read, limits.target_response_bytes_max),
  }
}

function whyNotSuccess(status: number): TargetFailure | null {
  if (status >= 200 && status <= 299) return null
  return new TargetFailure(redirects.has(status) ? `the target redirects (${status})` : `the target answered ${status}`)
}

const redirects = new Set([301, 302, 303, 307, 308])

const informationMax = 20

/** Parts of a body that are read: a body in parts of single bytes costs a thousand times more than its length says. */
const chunksMax = 2_000

/** Bytes of a response in all: not all of them show as headers or parts of a body (extensions of chunks). */
const rawBytesMax = 131_072
