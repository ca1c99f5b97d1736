import { addressOf } from './address.ts'
import { isSafe, isTracked, type Operation, takesForm, takesKey, takesQuery } from './operation.ts'
import { over } from './over.ts'
import type { Outcome, Refusal, Result } from './result.ts'
import { type Credentials, type RetryOptions, send } from './send.ts'

/** What may be set for all calls of a client, and for a single one. */
export interface SharedOptions {
  /** Milliseconds for one attempt, its answer included. Default: 30,000. */
  timeoutMs?: number
  retry?: RetryOptions
  /** Further headers, such as `Prefer: handling=strict` or `X-Voucherify-Channel`. */
  headers?: Record<string, string>
}

/** What may be set for a single call. */
export interface CallOptions extends SharedOptions {
  signal?: AbortSignal
  /** The key that makes repetitions harmless: by default a new random one for each call. False: none, and no repetition. */
  idempotencyKey?: string | false
}

/** A client's way to the service. */
export interface Connection extends SharedOptions {
  baseUrl: string
  /** By default the global one. */
  fetch?: typeof fetch
  credentials?: RequestCredentials
  /** Credentials for a path. */
  authorise(path: string): Promise<Outcome<Credentials>>
  /** Sent as `tracking_id` with the operations that take one. */
  trackingId?: string
}

/** What a call consists of: parameters of the path; the query or body; options, with the query if there is a body too. */
export interface Call {
  path: object | undefined
  input: unknown
  options: CallOptions & { query?: object }
}

/** Calls an operation. */
export async function call(
  connection: Connection,
  { method, path: template, traits }: Operation,
  { path, input, options }: Call,
): Promise<Result<unknown>> {
  const { baseUrl, fetch: ownFetch, credentials, trackingId } = connection
  const { signal, idempotencyKey = newKey() } = options
  const { timeoutMs = 30_000 } = over<SharedOptions>(connection, options)
  const mayHaveKey = traits.includes(takesKey)
  const hasKey = mayHaveKey && idempotencyKey !== false
  const whole = trackingId && traits.includes(isTracked) ? over({ tracking_id: trackingId }, input as object) : input
  const isQuery = traits.includes(takesQuery)
  const encoded =
    isQuery || method === 'GET' || whole === undefined ? undefined : encode(traits.includes(takesForm), whole)
  const address = addressOf(template, path, isQuery ? (whole as object) : options.query)
  if (isOther.test(address)) return { ok: false, error: unnameable }
  return send(
    {
      method,
      url: baseUrl.replace(/(?<!\/)\/+$/, '') + address,
      headers: {
        Accept: 'application/json',
        ...(hasKey && { 'Idempotency-Key': idempotencyKey }),
        ...(encoded && { 'Content-Type': encoded.headers.get('Content-Type') as string }),
        ...connection.headers,
        ...options.headers,
      },
      // Runtimes differ in how they take members that are undefined.
      ...(encoded && { body: await encoded.arrayBuffer() }),
      ...(credentials && { credentials }),
    },
    {
      // Taken out of its object: browsers refuse to call fetch as a method of another one.
      fetch: ownFetch ?? fetch,
      signal,
      timeoutMs,
      traits,
      retry: over(connection.retry, options.retry),
      isRepeatable: mayHaveKey ? hasKey : method === 'GET' || traits.includes(isSafe),
      authorise: () => connection.authorise(template),
    },
  )
}

/**
 * An address that leads elsewhere because of a parameter that is empty, `.` or `..`: URLs resolve these, also in their encoded form. The
 * deletion of a SKU would be that of its product, and a single customer the list of all. Half a surrogate pair has no form in an address
 * at all: `fetch` would send U+FFFD, which all such codes would share.
 */
const isOther = /\p{Cs}|\/\.{0,2}([/?]|$)/u

const unnameable: Refusal = {
  kind: 'refused',
  key: 'not_found',
  message: 'No such path',
  status: 404,
  retryable: false,
}

/** Forms are encoded here rather than by each attempt: another boundary would be another request under the same key. */
const encode = (isForm: boolean, input: unknown): Response =>
  isForm
    ? new Response(new URLSearchParams(input as Record<string, string>))
    : input instanceof FormData
      ? new Response(input)
      : Response.json(input)

/** `crypto.randomUUID` exists on secure pages only; this exists everywhere. */
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')
