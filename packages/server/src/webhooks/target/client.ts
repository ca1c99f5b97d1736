import { limits } from '../../core/lib/limits.ts'
import { type Connection, newConnections } from './connections.ts'
import { Attempt, exchange, failed, type Outcome, type Outgoing } from './exchange.ts'
import { inWords, sentenceOf, TargetFailure } from './failure.ts'
import { type Lookup, newLookup } from './lookup.ts'
import { isFault, readTarget, type Target, type UrlFault } from './target-url.ts'

/** What an attempt led to. It succeeded if and only if `error` is null. */
export interface AttemptResult {
  status_code: number | null
  duration_ms: number
  /** One short sentence, such as "the target redirects (302)". */
  error: string | null
  response_body: string | null
}

export interface TargetClient {
  /** Makes one attempt, and never rejects. */
  post(url: string, headers: Record<string, string>, body: Buffer): Promise<AttemptResult>
  /** Ends running attempts and closes all connections. */
  close(): Promise<void>
}

export interface TargetClientOptions {
  /** From the start of an attempt to the headers of its response. */
  timeout_ms: number
  allow_private: boolean
  /** For tests: answers instead of the DNS servers of this machine. */
  lookup?: Lookup
}

/**
 * The HTTP client of webhooks: http and https without redirects and proxies, to public addresses only (unless `allow_private`), with
 * bounds on time and on what is read (docs/decisions/0048-webhook-targets.md). Connections are kept for a few seconds.
 */
export function newTargetClient(options: TargetClientOptions): TargetClient {
  const { timeout_ms, allow_private } = options
  const names = options.lookup === undefined ? newLookup({ allow_private }) : { lookup: options.lookup, close() {} }
  const limitMs = Math.min(timeout_ms, limits.target_connect_ms)
  const connections = newConnections({ allow_private, lookup: names.lookup, limit_ms: limitMs })
  const targets = newTargets(allow_private)
  const running = new Map<Attempt, Promise<Outcome>>()
  let isClosed = false

  async function send(attempt: Attempt, request: Outgoing): Promise<Outcome> {
    const late = () => attempt.end(new TargetFailure(`no response within ${inWords(timeout_ms)}`))
    const timer = setTimeout(late, timeout_ms)
    try {
      const idle = connections.takeIdle(attempt.target)
      const [outcome, left] = await exchangeOn(idle ?? (await open(attempt)), attempt, request)
      // The target closed an idle connection while we reused it: not its failure, and the retry would be a minute later.
      if (left !== 'stale') return outcome
      const [second] = await exchangeOn(await open(attempt), attempt, request)
      return second
    } catch (error) {
      return failed(error as Error)
    } finally {
      clearTimeout(timer)
      running.delete(attempt)
    }
  }

  async function open(attempt: Attempt): Promise<Connection> {
    const connecting = new AbortController()
    attempt.onEnd = (reason) => connecting.abort(reason)
    if (attempt.reason !== null) throw attempt.reason
    return connections.open(attempt.target, connecting.signal)
  }

  async function exchangeOn(connection: Connection, attempt: Attempt, request: Outgoing) {
    try {
      const ended = await exchange(connection, attempt, request)
      if (ended[1] === 'idle') connections.release(attempt.target, connection)
      return ended
    } catch (error) {
      connection.destroy(error as Error) // a header or a path that cannot be sent
      throw error
    }
  }

  function outcomeOf(url: string, headers: Record<string, string>, body: Buffer): Outcome | Promise<Outcome> {
    const target = targets(url)
    if (isFault(target)) return failed(new TargetFailure(target.sentence))
    if (isClosed) return failed(stopped())
    const attempt = new Attempt(target)
    const outcome = send(attempt, { headers, body })
    running.set(attempt, outcome)
    return outcome
  }

  return {
    async post(url, headers, body) {
      const startedAt = performance.now()
      const { status_code, error, response_body } = await outcomeOf(url, headers, body)
      return {
        status_code,
        duration_ms: Math.round(performance.now() - startedAt),
        error: error === null ? null : sentenceOf(error),
        response_body,
      }
    },

    async close() {
      isClosed = true
      const ended = [...running.values()]
      for (const attempt of running.keys()) attempt.end(stopped())
      await Promise.all(ended)
      connections.close()
      names.close()
    },
  }
}

/** Reads URLs of targets, each once: reading one takes as long as making the headers of a request. */
function newTargets(allowPrivate: boolean): (url: string) => Target | UrlFault {
  const read = new Map<string, Target | UrlFault>()
  return (url) => {
    let target = read.get(url)
    if (target === undefined) {
      target = readTarget(url, { allow_private: allowPrivate })
      if (read.size >= targetsRemembered) read.clear()
      read.set(url, target)
    }
    return target
  }
}

const targetsRemembered = 1_000

const stopped = () => new TargetFailure('the attempt was stopped')
