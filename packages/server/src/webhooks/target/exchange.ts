import {
  type Agent,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  request as newRequest,
} from 'node:http'
import { limits } from '../../core/lib/limits.ts'
import { codeOf, TargetFailure } from './failure.ts'
import { responseText } from './response-text.ts'
import type { Target } from './target-url.ts'

export interface Outgoing {
  /** Names and values in turn, the length of the body included. */
  headers: readonly string[]
  /** As text, Node sends it in one write with the headers. */
  body: string
}

/** What came back; `error` is null if and only if the status is 200..299. */
export interface Outcome {
  status_code: number | null
  error: Error | null
  response_body: string | null
  /** The target had closed a kept connection before it answered. */
  is_stale_socket: boolean
}

export const failed = (error: Error): Outcome => ({
  status_code: null,
  error,
  response_body: null,
  is_stale_socket: false,
})

/** One attempt, which can be ended at any moment. */
export class Attempt {
  readonly target: Target
  /** Why it was ended. */
  reason: Error | null = null
  /** Ends the connection that is being made; an abort controller for every request would take more time than its headers. */
  connecting: AbortController | null = null
  /** Called once, when it is ended. */
  onEnd: () => void = () => {}

  constructor(target: Target) {
    this.target = target
  }

  end(reason: Error): void {
    if (this.reason !== null) return
    this.reason = reason
    this.connecting?.abort(reason)
    this.onEnd()
  }
}

/** Node hands the arguments of a request to `createConnection`, also those that it does not know. */
export interface AttemptArgs extends ClientRequestArgs {
  attempt: Attempt
}

/** The agent that opens the connection, or the function that does for this request alone. */
export interface Way {
  agent?: Agent
  createConnection?: Agent['createConnection']
}

/**
 * Sends one request and reads its response: until its end, 10 KiB, 2,000 parts or the end of the attempt, whichever is first. Headers that have arrived
 * count, however the body ends. Unless the response was read to its end, the connection is destroyed.
 */
export function exchange(way: Way, attempt: Attempt, { headers, body }: Outgoing): Promise<Outcome> {
  const { target } = attempt
  return new Promise((resolve) => {
    // Node copies these arguments several times: few of them, without spreading, save a third of the time of a request.
    const args: AttemptArgs = {
      agent: way.agent,
      createConnection: way.createConnection,
      attempt,
      method: 'POST',
      host: target.host,
      port: target.port,
      path: target.path,
      headers,
      maxHeaderSize: limits.target_response_header_bytes_max,
      // Also where NODE_OPTIONS says otherwise.
      insecureHTTPParser: false,
    }
    const request = newRequest(args)
    let response: IncomingMessage | undefined
    const read: Buffer[] = []
    let left: number = limits.target_response_bytes_max
    let isOver = false

    /** Listeners of the request stay: without one, an error that it emits later would end the process. */
    const end = (reason: Error | string, { is_whole = false } = {}) => {
      if (isOver) return
      isOver = true
      // Before the request was sent whole, the agent would wait for that, without a time limit.
      if (!is_whole || !request.writableFinished) request.destroy()
      resolve(response === undefined ? withoutResponse(request, reason, attempt) : withResponse(response, read))
    }

    request.on('error', end)
    request.on('close', () => end('the connection was closed before a response'))
    refuseEndlessInformation(request, end)
    request.on('upgrade', (switching, socket) => {
      socket.destroy()
      response = switching
      end('the target switches the protocol')
    })
    request.on('response', (arriving) => {
      response = arriving
      onBytes(arriving, (chunk) => {
        read.push(chunk.subarray(0, left))
        if (chunk.length > left || read.length > chunksMax) end('the response is long')
        left -= Math.min(left, chunk.length)
      })
      arriving.on('end', () => end('the response is whole', { is_whole: true }))
      arriving.on('error', end)
    })
    attempt.onEnd = () => end(attempt.reason as Error)
    if (attempt.reason !== null) attempt.onEnd()
    else request.end(body)
  })
}

/**
 * Calls `take` while Node still parses. `data` events come later, when all that one read has brought is parsed, which is long for ten
 * thousand tiny chunks; an attempt that ends in `take` stops the parsing (`readInSlices`).
 */
function onBytes(response: IncomingMessage, take: (chunk: Buffer) => void): void {
  const push = response.push.bind(response)
  response.push = (chunk: Buffer | null) => {
    if (chunk !== null) take(chunk)
    return push(chunk)
  }
  response.resume()
}

function withoutResponse(request: ClientRequest, reason: Error | string, attempt: Attempt): Outcome {
  const error = typeof reason === 'string' ? new TargetFailure(reason) : reason
  const isStale = request.reusedSocket && attempt.reason === null && ['ECONNRESET', 'EPIPE'].includes(codeOf(error))
  return { ...failed(error), is_stale_socket: isStale }
}

function withResponse({ statusCode = 0 }: IncomingMessage, read: readonly Buffer[]): Outcome {
  return {
    status_code: statusCode,
    error: whyNotSuccess(statusCode),
    response_body: responseText(read, limits.target_response_bytes_max),
    is_stale_socket: false,
  }
}

function whyNotSuccess(status: number): TargetFailure | null {
  if (status >= 200 && status <= 299) return null
  return new TargetFailure(redirects.has(status) ? `the target redirects (${status})` : `the target answered ${status}`)
}

const redirects = new Set([301, 302, 303, 307, 308])

/** A target may announce that it works on it (100, 102, 103), but not for ever: each announcement costs us time. */
function refuseEndlessInformation(request: ClientRequest, end: (reason: string) => void): void {
  let left = informationMax
  request.on('information', () => {
    if (--left < 0) end('the target sends too many interim responses')
  })
}

const informationMax = 20

/** Parts of a body that are read: a body in parts of single bytes costs a thousand times more than its length says. */
const chunksMax = 2_000
