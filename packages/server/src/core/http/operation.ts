import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Ctx, InstallationCtx, VisitorCtx } from '../context.ts'
import type { ProjectFlag } from '../db/project-row.ts'
import type { Role } from '../db/tables.ts'
import type { ApiError, ErrorKey } from './errors.ts'
import type { StoredReply } from './stored-reply.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * One operation of the API: its complete description as data, and the function that does the work. The path determines the
 * family (`/v1`, `/client/v1`, `/management/v1`, `/auth`) and with it credentials, scope and the wording of errors.
 */
export interface Operation {
  /** Unique, camelCase: the `operationId` of the OpenAPI file. */
  id: string
  method: Method
  /** With placeholders: `/v1/categories/{categoryId}`. */
  path: string
  summary: string
  description?: string
  /** Deprecated by the contract. */
  deprecated?: true
  query?: TSchema
  /** The media type of the body, by default JSON. In a multipart body, `Binary` parts (core/http/multipart.ts) are bytes. */
  consumes?: 'json' | 'form' | 'multipart'
  body?: TSchema
  /** Null: 204 without a body. */
  reply: TSchema | null
  status?: 200 | 202
  /** Sends the reply only to requests with `Prefer: return=representation`; others get 204, where the contract has no body. */
  reply_if_preferred?: true
  /** The reply of calls that continue in the background (202) instead of finishing; for those, `run` returns `Accepted`. */
  accepted?: TSchema
  /**
   * Set where the URL itself contains a secret: a request for it gets a file without credentials and without counting against
   * rate limits (docs/reference/authentication.md#scopes). If there is a `run` too, this applies only to calls with a `token` in
   * the query.
   */
  download?: Download
  /** Error keys specific to this operation; the OpenAPI document adds the shared ones. */
  errors: readonly ErrorKey[]
  /** Whether it runs in one transaction, retried on a conflict. Default: every method except GET. */
  writes?: boolean
  /**
   * Loads, evaluates and saves by itself, with one round trip to load and one to save: no transaction is opened around it. With
   * an Idempotency-Key, the saving statement also stores the reply, and `run` returns a `StoredReplyResult`.
   */
  saves?: true
  /**
   * Whether a replica may answer it (DATABASE_READ_URL), which lags behind by up to DATABASE_READ_LAG_MS; a function decides by the
   * input. Then it only reads, `ctx.db` is the replica, and it may run once more on the primary. Default: a GET of a list may.
   */
  reads_replica?: boolean | ((input: OperationInput) => boolean)
  /** The metrics count its results as redemptions. */
  redeems?: true
  /** What a page sees of the result, without a key of the server side: a view of it, and the schema of what remains. */
  for_pages?: { reply: TSchema | null; view(ctx: InstallationCtx, result: unknown): unknown }
  /** False if the reply contains a secret that must not be stored. */
  idempotent?: false
  /** Removes from the reply the secrets that must not be stored; a repeated Idempotency-Key is answered without them. */
  withoutSecrets?(reply: object): object
  /** Set where the reply lets its reader change something: it takes a writing role, though the operation itself only reads. */
  empowers?: true
  /** Roles that may call it in addition to those that its method admits (docs/reference/authentication.md#roles). */
  also_for?: readonly Role[]
  /** Of a management operation of a project: a session of its ADMIN does not suffice. */
  owners_only?: true
  /** Of a management operation without `{projectId}`: it checks itself what a user who is no owner may do. */
  checks_user?: true
  /** Of an operation of `/auth`: whether it needs a session, which is the default. */
  session?: 'none' | 'optional'
  /** Answers 302 to a browser; `run` returns a `Redirect`. */
  redirects?: true
  /** The project setting that enables this client-side operation. */
  flag?: ProjectFlag
  /** Finds the resource of the path before the body is validated, or throws 404. `run` gets the result as `target`. */
  target?(ctx: InstallationCtx, input: { params: Record<string, string>; query: unknown }): Promise<unknown>
  /**
   * Of an operation that writes: a check that waits for others than the database, such as a name server. It runs before the transaction,
   * which would hold a connection meanwhile: the only one of the embedded database. It throws what is to be refused.
   */
  precheck?(ctx: InstallationCtx, input: OperationInput): Promise<void>
  /**
   * Of an operation that writes: runs a common call together with concurrent ones, before a transaction is opened for it. Undefined: `run`
   * answers in a transaction. Not called with an Idempotency-Key, whose reply must be stored with the changes.
   */
  runInBatch?: OperationRun
  /** Absent if every call is a download. */
  run?: OperationRun
}

export interface OperationInput {
  params: Record<string, string>
  query: unknown
  body: unknown
  target: unknown
}

export type OperationRun = (ctx: InstallationCtx, input: OperationInput) => Promise<unknown>

/** Handles a request that the gate of its operation admitted. */
export type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export interface Download {
  /** The possible media types of the file. */
  media_types: readonly MediaType[]
  /** Finds the file by the secret in the URL, or throws. The project is unknown here. */
  find(ctx: InstallationCtx, input: { params: Record<string, string>; query: unknown }): Promise<DownloadedFile>
}

export type MediaType = 'text/plain' | 'image/png' | 'image/svg+xml'

/** A file that is streamed, so that its size does not matter. */
export interface DownloadedFile {
  name: string
  media_type: MediaType
  /** `max-age` for public caches; if absent, the response is `no-store`, because the URL contains a secret. */
  cached_seconds?: number
  /** In bytes. */
  size: number
  pieces: AsyncIterable<Uint8Array>
}

/** The names in braces: `/v1/a/{b}` → `{ b: string }`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : unknown

/** The context of an operation; management operations without `{projectId}` have no project. */
export type CtxOf<Path extends string> = Path extends `/management/${string}`
  ? Path extends `${string}{projectId}${string}`
    ? Ctx
    : InstallationCtx
  : Path extends `/auth/${string}`
    ? VisitorCtx
    : Ctx

type Input<Path extends string, Query extends TSchema> = { params: PathParams<Path>; query: Static<Query> }

/** The result of `run`: the reply, or a refusal that still commits; nothing if the response has no body. */
type Answered<Reply extends TSchema | null> = Reply extends TSchema
  ? Promise<Static<Reply> | Accepted | StoredReplyResult | SerialisedReply | ApiError>
  : Promise<void> | Promise<Redirect>

/** A 202 reply: the work continues in the background. */
export class Accepted {
  readonly reply: object

  constructor(reply: object) {
    this.reply = reply
  }
}

/** A 302 reply. */
export class Redirect {
  readonly location: string

  constructor(location: string) {
    this.location = location
  }
}

/** A reply that is already stored, in the same transaction as the effects it reports. */
export class StoredReplyResult {
  readonly reply: StoredReply
  /** True if an earlier request with the same idempotency key stored it. */
  readonly isReplayed: boolean

  constructor(reply: StoredReply, { is_replayed = false }: { is_replayed?: boolean } = {}) {
    this.reply = reply
    this.isReplayed = is_replayed
  }
}

/** The reply of a read that is JSON text already, as its schema describes: parts of it were stored as text. */
export class SerialisedReply {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An operation as it is declared; the types of `target` and `run` follow from the path and the schemas. */
type Declared<
  Path extends string,
  Query extends TSchema,
  Body extends TSchema,
  Reply extends TSchema | null,
  Target,
> = Omit<
  Operation,
  'path' | 'query' | 'body' | 'reply' | 'reads_replica' | 'target' | 'precheck' | 'runInBatch' | 'run' | 'download'
> & {
  path: Path
  query?: Query
  body?: Body
  reply: Reply
  reads_replica?: boolean | ((input: Input<Path, Query> & { body: Static<Body> }) => boolean)
  target?(ctx: CtxOf<Path>, input: Input<Path, Query>): Promise<Target>
  precheck?(ctx: CtxOf<Path>, input: Input<Path, Query> & { body: Static<Body> }): Promise<void>
  runInBatch?(
    ctx: CtxOf<Path>,
    input: Input<Path, Query> & { body: Static<Body>; target: Target },
  ): Promise<Awaited<Answered<Reply>> | undefined>
  run(ctx: CtxOf<Path>, input: Input<Path, Query> & { body: Static<Body>; target: Target }): Answered<Reply>
  download?: DownloadOf<Path, Query>
}

export function operation<
  const Path extends string,
  Query extends TSchema,
  Body extends TSchema,
  Reply extends TSchema | null,
  Target,
>(declared: Declared<Path, Query, Body, Reply, Target>): Operation {
  return declared as unknown as Operation
}

/** Declares an operation that a second path serves too; `second` has that path, its id, and what else differs there. */
export function operationPair<
  const Path extends string,
  Query extends TSchema,
  Body extends TSchema,
  Reply extends TSchema | null,
  Target,
>({
  second,
  ...first
}: Declared<Path, Query, Body, Reply, Target> & {
  second: Pick<Operation, 'id'> & { path: Path } & Partial<
      Pick<Operation, 'summary' | 'description' | 'deprecated' | 'for_pages' | 'errors' | 'also_for' | 'flag'>
    >
}): [Operation, Operation] {
  return [first, { ...first, ...second }] as unknown as [Operation, Operation]
}

type DownloadOf<Path extends string, Query extends TSchema> = Omit<Download, 'find'> & {
  find(ctx: InstallationCtx, input: Input<Path, Query>): Promise<DownloadedFile>
}

/** Declares an operation that serves a file to every request with its secret URL. */
export function downloadOperation<const Path extends string, Query extends TSchema>(
  declared: Pick<Operation, 'id' | 'summary' | 'description' | 'errors'> & {
    path: Path
    query?: Query
  } & DownloadOf<Path, Query>,
): Operation {
  const { media_types, find, ...described } = declared
  return { ...described, method: 'GET', reply: null, download: { media_types, find } } as unknown as Operation
}

export type Family = 'server' | 'client' | 'management' | 'oauth' | 'auth'

export function familyOf(path: string): Family {
  if (path.startsWith('/management/v1/')) return 'management'
  if (path.startsWith('/client/v1/')) return 'client'
  if (path.startsWith('/auth/')) return 'auth'
  return path.startsWith('/v1/oauth/') ? 'oauth' : 'server'
}

/** Whether anybody may send requests to the operation: the key of a page is public, and to sign in nobody has one. */
export const isPublic = ({ path }: Pick<Operation, 'path'>): boolean =>
  familyOf(path) === 'client' || familyOf(path) === 'oauth' || familyOf(path) === 'auth'

export const writes = ({ method, writes }: Operation): boolean => writes ?? method !== 'GET'

/** Whether a replica may answer the operation, or what decides that. */
export const replicaRule = (operation: Operation): NonNullable<Operation['reads_replica']> =>
  operation.reads_replica ?? (operation.method === 'GET' && !writes(operation) && isList(operation.reply))

const isList = (reply: TSchema | null): boolean =>
  (reply as { properties?: { object?: { const?: unknown } } } | null)?.properties?.object?.const === 'list'

/** Whether the operation accepts an `Idempotency-Key`; a reply that contains a secret cannot be stored. */
export const mayRepeat = (operation: Operation): boolean => writes(operation) && operation.idempotent !== false

export const successStatus = ({ reply, status, run, redirects }: Operation): number =>
  redirects === true ? 302 : reply === null && run !== undefined ? 204 : (status ?? 200)

/** Whether every call is a download without credentials. */
export const isOpen = ({ run }: Operation): boolean => run === undefined

/** Whether a request without any credentials is admitted. */
export const needsNoCredentials = (operation: Operation): boolean =>
  isOpen(operation) || operation.session !== undefined

export const mediaTypeOf = ({ consumes = 'json' }: Operation): string => mediaTypes[consumes]

const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
}

export const pathParamNames = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1] as string)
