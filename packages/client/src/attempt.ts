import type { Schemas } from './generated/operations.ts'
import { isDownload } from './operation.ts'
import type { NoAnswer, Result } from './result.ts'

/** A request that can be sent any number of times: the same bytes each time, as an idempotency key demands. */
export interface PreparedRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: BodyInit
  credentials?: RequestCredentials
}

export interface AttemptOptions {
  fetch: typeof fetch
  timeoutMs: number
  signal: AbortSignal | undefined
  /** Of the operation. */
  traits: string
}

/** The result of one attempt, and the milliseconds for which the service wants to be left alone. */
type Attempt = { result: Result<unknown>; pauseMs: number }

/** Sends a request once and reads its answer. Never rejects. */
export async function attempt(
  { url, ...request }: PreparedRequest,
  { fetch, timeoutMs, signal, traits }: AttemptOptions,
): Promise<Attempt> {
  const timeUp = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      ...request,
      // The service redirects no call. To follow would turn a POST into a GET, and show the key to wherever it leads.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeUp]) : timeUp,
    })
    // Seconds, or a date, as proxies send it.
    const after = response.headers.get('Retry-After') as string
    return {
      result: await read(response, traits),
      pauseMs: Math.max(0, Number(after) * 1_000 || Date.parse(after) - Date.now() || 0),
    }
  } catch (cause) {
    const kind = signal?.aborted ? 'aborted' : timeUp.aborted ? 'timeout' : 'network'
    return { result: noAnswer(kind, cause), pauseMs: 0 }
  }
}

export const noAnswer = (kind: NoAnswer['kind'], cause: unknown): { ok: false; error: NoAnswer } => ({
  ok: false,
  error: {
    kind,
    key: 'no_answer',
    message: `No answer: ${kind}`,
    status: 0,
    retryable: kind !== 'aborted',
    cause,
  },
})

async function read(response: Response, traits: string): Promise<Result<unknown>> {
  const { ok, status, headers } = response
  const requestId = headers.get('X-Request-Id') ?? undefined
  const type = headers.get('Content-Type') as string
  const isJson = /json/.test(type)
  const data = status === 204 ? undefined : await (isJson ? response.json() : response.blob())
  // A sign-in page of a network may come with 200, and must not pass as a voucher, nor as an export.
  if (ok && (isJson || !data || (traits.includes(isDownload) && !/html/.test(type))))
    return { ok, data, status, requestId, headers, warnings: data?.warnings }
  // A proxy between us and the service answers with a page of its own. Its end is awaited, so that the connection can be used again.
  const body: Partial<Schemas['Error']> = isJson ? data : {}
  const { key = `status_${status}` } = body
  const retryable = ok || passingStatuses.includes(status) || passingKeys.includes(key)
  return { ok: false, error: { message: key, ...body, kind: 'refused', key, status, requestId, retryable } }
}

const passingStatuses = [408, 429, 502, 503, 504]
const passingKeys = ['idempotency_key_in_progress', 'multiple_requests']
