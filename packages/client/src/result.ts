import type { ErrorKey } from './generated/error-keys.ts'
import type { Schemas } from './generated/operations.ts'

/** The service said no: its error body (docs/reference/errors.md#error-body), and what the client adds. */
export type Refusal = Omit<Partial<Schemas['Error']>, 'key' | 'message' | 'request_id'> & {
  kind: 'refused'
  /** Programs go by the key. A newer service may have keys that this release does not know. */
  key: ErrorKey | (string & {})
  message: string
  status: number
  requestId?: string | undefined
  /** Whether the same call may succeed later. */
  retryable: boolean
}

/** No answer, or none that can be read: the connection failed, the time was up, or the caller's signal ended the call. */
export interface NoAnswer {
  kind: 'network' | 'timeout' | 'aborted'
  key: 'no_answer'
  message: string
  details?: undefined
  status: 0
  requestId?: undefined
  retryable: boolean
  cause: unknown
}

export type Failure = Refusal | NoAnswer

/** Something that can fail as a call does. */
export type Outcome<Data, Problem = Failure> = { ok: true; data: Data } | { ok: false; error: Problem }

export interface Success<Data> {
  ok: true
  data: Data
  status: number
  requestId: string | undefined
  headers: Headers
  /** What is probably not meant as it was sent, such as a field that the service does not know and has ignored. */
  warnings: string[] | undefined
}

/** What every call resolves to. It rejects only for a mistake of the caller, such as a body that cannot be JSON. */
export type Result<Data> = Success<Data> | { ok: false; error: Failure }

/** What `unwrap` and iterators throw. */
export class GuerdonError<Problem extends { message: string } = Failure> extends Error {
  override readonly name = 'GuerdonError'
  readonly error: Problem

  constructor(error: Problem & { key?: string; details?: string | undefined; cause?: unknown }) {
    super(`${error.key}: ${error.details ?? error.message}`, { cause: error.cause })
    this.error = error
  }
}

/** The data of a result, for those who prefer exceptions: throws `GuerdonError` if there is none. */
export function unwrap<Data, Problem extends { message: string }>(result: Outcome<Data, Problem>): Data {
  if (result.ok) return result.data
  throw new GuerdonError(result.error)
}
