import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Ctx, InstallationCtx } from '../context.ts'
import type { ProjectFlag } from '../db/project-row.ts'
import type { Role } from '../db/tables.ts'
import type { ApiError, ErrorKey } from './errors.ts'
import type { StoredReply } from './stored-reply.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * One operation of the API: a table entry with everything that can be said about it, and the one function that does the
 * work. Its path decides the family (`/v1`, `/client/v1`, `/management/v1`) and with it credentials, scope and wording.
 */
export interface Operation {
  /** Unique, camelCase: the `operationId` of the OpenAPI file. */
  id: string
  method: Method
  /** As the contract writes it: `/v1/categories/{categoryId}`. */
  path: string
  summary: string
  description?: string
  /** The contract advises against it. */
  deprecated?: true
  query?: TSchema
  /** How the body arrives; JSON unless said otherwise. In a multipart body, `Binary` parts (core/http/multipart.ts) are bytes. */
  consumes?: 'json' | 'form' | 'multipart'
  body?: TSchema
  /** Null: 204 without a body. */
  reply: TSchema | null
  status?: 200 | 202
  /** The reply of calls that only begin the work (202), where others finish it; `run` answers those with `Accepted`. */
  accepted?: TSchema
  /**
   * Set where the address itself carries a secret: whoever knows it gets a file, without credentials and uncounted by
   * call limits (docs/reference/authentication.md#scopes). Where there is a `run` too, only calls with a `token` in the query are
   * meant.
   */
  download?: Download
  /** The refusals of its own; those that every operation shares are added by the documentation. */
  errors: readonly ErrorKey[]
  /** Runs in one transaction, repeated on a conflict. Everything but GET, unless said otherwise. */
  writes?: boolean
  /**
   * Loads, decides and saves by itself, with a trip to the database each: there is no transaction around it. With an
   * Idempotency-Key it keeps its reply in the statement that saves, and answers with `Saved`.
   */
  saves?: true
  /** False where the reply holds a secret that must not be kept. */
  idempotent?: false
  /** Roles that may call it besides those its method admits (docs/reference/authentication.md#roles). */
  also_for?: readonly Role[]
  /** A client-side operation that the project can switch off. */
  flag?: ProjectFlag
  /** Finds what the path names, before the body is looked at; throws 404. Its result is the `target` of `run`. */
  target?(ctx: InstallationCtx, input: { params: Record<string, string>; query: unknown }): Promise<unknown>
  /** Absent where there is nothing but a download. */
  run?: Run
}

export type Run = (
  ctx: InstallationCtx,
  input: { params: Record<string, string>; query: unknown; body: unknown; target: unknown },
) => Promise<unknown>

/** Answers a request that the gate of an operation let through. */
export type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export interface Download {
  /** Each that a file of it may have. */
  media_types: readonly MediaType[]
  /** Finds the file by the secret in the address, or throws. No project is known here. */
  find(ctx: InstallationCtx, input: { params: Record<string, string>; query: unknown }): Promise<DownloadedFile>
}

export type MediaType = 'text/plain' | 'image/png' | 'image/svg+xml'

/** A file that is sent while it is read, so that its size does not matter. */
export interface DownloadedFile {
  name: string
  media_type: MediaType
  /** For how long anybody on the way may keep it; unless said, nobody keeps what a secret address led to. */
  cached_seconds?: number
  /** In bytes. */
  size: number
  pieces: AsyncIterable<Uint8Array>
}

/** The names in braces: `/v1/a/{b}` → `{ b: string }`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : unknown

/** Management operations outside of a project have no project to touch. */
export type CtxOf<Path extends string> = Path extends `/management/${string}`
  ? Path extends `${string}{projectId}${string}`
    ? Ctx
    : InstallationCtx
  : Ctx

type Input<Path extends string, Query extends TSchema> = { params: PathParams<Path>; query: Static<Query> }

/** What `run` answers: the reply or a refusal to keep; nothing where there is no body. */
type Answered<Reply extends TSchema | null> = Reply extends TSchema
  ? Promise<Static<Reply> | Accepted | StoredReplyResult | ApiError>
  : Promise<void>

/** An answer that says that the work goes on in the background. */
export class Accepted {
  readonly reply: object

  constructor(reply: object) {
    this.reply = reply
  }
}

/** A reply that is stored already, with what it reports. */
export class StoredReplyResult {
  readonly reply: StoredReply
  /** It was given to the same request before. */
  readonly isReplayed: boolean

  constructor(reply: StoredReply, { is_replayed = false }: { is_replayed?: boolean } = {}) {
    this.reply = reply
    this.isReplayed = is_replayed
  }
}

/** Declares an operation; the types of `target` and `run` follow from the path and the schemas. */
export function operation<
  const Path extends string,
  Query extends TSchema,
  Body extends TSchema,
  Reply extends TSchema | null,
  Target,
>(
  declared: Omit<Operation, 'path' | 'query' | 'body' | 'reply' | 'target' | 'run' | 'download'> & {
    path: Path
    query?: Query
    body?: Body
    reply: Reply
    target?(ctx: CtxOf<Path>, input: Input<Path, Query>): Promise<Target>
    run(ctx: CtxOf<Path>, input: Input<Path, Query> & { body: Static<Body>; target: Target }): Answered<Reply>
    download?: DownloadOf<Path, Query>
  },
): Operation {
  return declared as unknown as Operation
}

type DownloadOf<Path extends string, Query extends TSchema> = Omit<Download, 'find'> & {
  find(ctx: InstallationCtx, input: Input<Path, Query>): Promise<DownloadedFile>
}

/** Declares an operation that answers everybody who knows its address, and with nothing but a file. */
export function downloadOperation<const Path extends string, Query extends TSchema>(
  declared: Pick<Operation, 'id' | 'summary' | 'description' | 'errors'> & {
    path: Path
    query?: Query
  } & DownloadOf<Path, Query>,
): Operation {
  const { media_types, find, ...described } = declared
  return { ...described, method: 'GET', reply: null, download: { media_types, find } } as unknown as Operation
}

export type Family = 'server' | 'client' | 'management' | 'oauth'

export function familyOf(path: string): Family {
  if (path.startsWith('/management/v1/')) return 'management'
  if (path.startsWith('/client/v1/')) return 'client'
  return path.startsWith('/v1/oauth/') ? 'oauth' : 'server'
}

export const writes = ({ method, writes }: Operation): boolean => writes ?? method !== 'GET'

/** Whether it takes an `Idempotency-Key`: a reply that holds a secret is not kept. */
export const mayRepeat = (operation: Operation): boolean => writes(operation) && operation.idempotent !== false

export const successStatus = ({ reply, status, run }: Operation): number =>
  reply === null && run !== undefined ? 204 : (status ?? 200)

/** Whether every call is a download, and needs no credentials. */
export const isOpen = ({ run }: Operation): boolean => run === undefined

/** The media type of the body it takes. */
export const mediaTypeOf = ({ consumes = 'json' }: Operation): string => mediaTypes[consumes]

const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
}

export const pathParamNames = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1] as string)
