import { addressOf, type Routes, type Schemas } from '@guerdon/client'

export type { Schemas }
export type OperationName = keyof Routes
export type Reply<Name extends OperationName> = Routes[Name]['reply']

type Part<Name extends OperationName, Key extends 'path' | 'query' | 'body'> = undefined extends Routes[Name][Key]
  ? { [key in Key]?: Routes[Name][Key] }
  : Key extends 'query'
    ? { query?: Routes[Name]['query'] }
    : { [key in Key]: Routes[Name][Key] }

/** What an operation takes: the parameters of its path, its query and its body. */
export type Input<Name extends OperationName> = Part<Name, 'path'> & Part<Name, 'query'> & Part<Name, 'body'>

interface AnyInput {
  path?: object | undefined
  query?: object | undefined
  body?: unknown
}

/** A refusal of the API, or a request that never got an answer (`status` 0). */
export class ApiFailure extends Error {
  readonly status: number
  readonly key: string
  readonly details: string | undefined
  readonly errors: readonly { path: string; details: string }[]
  readonly requestId: string | undefined
  /** Seconds until the service wants to be asked again, where it said so. */
  readonly retryAfter: number | undefined
  /** The whole body, for what only some refusals have. */
  readonly body: Partial<Schemas['Error']>

  constructor(status: number, body: Partial<Schemas['Error']>, retryAfter?: number) {
    super(body.message ?? 'The service did not answer')
    this.status = status
    this.key = body.key ?? 'no_answer'
    this.details = body.details
    this.errors = body.errors ?? []
    this.requestId = body.request_id
    this.retryAfter = retryAfter
    this.body = body
  }
}

/** The address and body of a call, as `fetch` sends it and as "copy as code" shows it. */
export function requestOf(
  name: OperationName,
  { path, query, body }: AnyInput,
): { method: string; url: string; body: unknown } {
  const [method, template] = name.split(' ') as [string, string]
  return { method, url: addressOf(template, path, withoutEmpty(query)), body }
}

/** A field of a form that was left empty filters by nothing. */
function withoutEmpty(query: object = {}): object {
  return JSON.parse(JSON.stringify(query, (_, value) => (value === '' ? undefined : value)))
}

interface CallOptions {
  /** The project the call is about. */
  project?: string | undefined
  signal?: AbortSignal | undefined
  /** `return=representation`: an answer with a body where the contract has none. */
  prefer?: string | undefined
}

/**
 * The highest position that a reply has returned, sent with every later call: lists then show what was just saved, also where a replica of
 * the database answers them, which may lag behind. Two calls may overlap, so the later reply need not have the higher one.
 */
let position = 0

/** Calls an operation as the person who is signed in. */
export async function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { project, signal, prefer }: CallOptions = {},
): Promise<Reply<Name>> {
  const { method, url, body } = requestOf(name, input)
  const headers: Record<string, string> = { Accept: 'application/json' }
  if (project !== undefined) headers['X-Project-Id'] = project
  if (prefer !== undefined) headers.Prefer = prefer
  if (position > 0) headers['Guerdon-Position'] = String(position)
  const isForm = body instanceof FormData
  if (body !== undefined && !isForm) headers['Content-Type'] = 'application/json'
  let response: Response
  try {
    response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
      credentials: 'same-origin',
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiFailure(0, {
      key: 'no_answer',
      message: 'The service cannot be reached',
      details: 'The connection failed. Your input is kept: try again in a moment.',
    })
  }
  position = Math.max(position, Number(response.headers.get('guerdon-position') ?? 0))
  if (!response.ok) {
    const failure = await failureOf(response)
    // Another tab signed out, or the browser dropped the cookie: the service then asks for a key, which a person has not.
    throw response.status === 401 && !url.startsWith('/auth/') ? notSignedIn(failure) : failure
  }
  if (response.status === 204) return undefined as Reply<Name>
  return (response.headers.get('content-type') ?? '').includes('json')
    ? ((await response.json()) as Reply<Name>)
    : ((await response.blob()) as Reply<Name>)
}

const notSignedIn = ({ body: { details: _, ...body } }: ApiFailure) =>
  new ApiFailure(401, { ...body, key: 'not_signed_in', message: 'You are not signed in' })

async function failureOf(response: Response): Promise<ApiFailure> {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined
  try {
    return new ApiFailure(response.status, (await response.json()) as Schemas['Error'], retryAfter)
  } catch {
    return new ApiFailure(
      response.status,
      { message: `The service answered with status ${response.status}` },
      retryAfter,
    )
  }
}
