import { limits } from '../../core/lib/limits.ts'
import { newAgents } from './agents.ts'
import { exchange, failed, type Outcome, type Outgoing } from './exchange.ts'
import { inWords, sentenceOf, TargetFailure } from './failure.ts'
import { type Lookup, newLookup } from './lookup.ts'
import { isFault, readTarget, type Target } from './target-url.ts'

/** What an attempt led to. It succeeded if and only if `error` is null. */
export interface AttemptResult {
  status_code: number | null
  duration_ms: number
  /** One short sentence, such as "the target redirects (302)". */
  error: string | null
  response_body: string | null
}

export interface TargetClient {
  /** Makes one attempt, and never rejects. `signal` ends it at once. */
  post(url: string, headers: Record<string, string>, body: Buffer, signal?: AbortSignal): Promise<AttemptResult>
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
  const agents = newAgents({ allow_private, lookup: names.lookup, limit_ms: limitMs })
  const running = new Map<AbortController, Promise<AttemptResult>>()
  let isClosed = false

  async function attempt(target: Target, request: Outgoing, ending: AbortSignal): Promise<Outcome> {
    const agent = agents.of(target)
    const outcome = await exchange({ agent }, target, request, ending)
    // The target closed an idle connection while we reused it: not its failure, and the retry would be a minute later.
    if (!outcome.is_stale_socket) return outcome
    return exchange({ createConnection: agent.createConnection }, target, request, ending)
  }

  async function attemptInTime(target: Target, request: Outgoing, ending: AbortController): Promise<Outcome> {
    const late = () => ending.abort(new TargetFailure(`no response within ${inWords(timeout_ms)}`))
    const timer = setTimeout(late, timeout_ms)
    try {
      return await attempt(target, request, ending.signal)
    } catch (error) {
      // Node refuses a header or a path that it cannot send.
      return failed(error as Error)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async post(url, headers, body, signal) {
      const startedAt = performance.now()
      const result = ({ status_code, error, response_body }: Outcome): AttemptResult => ({
        status_code,
        duration_ms: Math.round(performance.now() - startedAt),
        error: error === null ? null : sentenceOf(error),
        response_body,
      })
      const target = readTarget(url, { allow_private })
      if (isFault(target)) return result(failed(new TargetFailure(target.sentence)))
      if (isClosed || signal?.aborted) return result(failed(stopped()))

      const ending = new AbortController()
      const stop = () => ending.abort(stopped())
      signal?.addEventListener('abort', stop)
      const outcome = attemptInTime(target, { headers, body }, ending).then(result)
      running.set(ending, outcome)
      try {
        return await outcome
      } finally {
        running.delete(ending)
        signal?.removeEventListener('abort', stop)
      }
    },

    async close() {
      isClosed = true
      for (const ending of running.keys()) ending.abort(stopped())
      await Promise.all(running.values())
      agents.close()
      names.close()
    },
  }
}

const stopped = () => new TargetFailure('the attempt was stopped')
