import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { TSchema } from 'typebox'
import type { Ctx, InstallationCtx, Runtime } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { Project } from '../db/project-row.ts'
import { inTransaction, type Trx } from '../db/transaction.ts'
import { newTimeSlice } from '../lib/time-slice.ts'
import { newCtx } from '../new-ctx.ts'
import type { Identity } from './authenticate.ts'
import { downloadAnswer } from './download.ts'
import { ApiError, errorText, notFound } from './errors.ts'
import type { Admitted } from './gate.ts'
import {
  claim,
  findUnscoped,
  fingerprintOf,
  idempotencyKey,
  isKept,
  isKeptRefusal,
  keep,
  keyExpiryOf,
  type keyedQueue,
  release,
} from './idempotency.ts'
import {
  Accepted,
  type Answer,
  familyOf,
  mayRepeat,
  type Operation,
  type OperationRun,
  pathParamNames,
  Redirect,
  SerialisedReply,
  StoredReplyResult,
  successStatus,
  writes,
} from './operation.ts'
import { prefersReply, prefersStrict } from './preference.ts'
import { type InputReader, inputReaderOf } from './read-input.ts'
import { positionHeader, type ReplicaReader, replicaReaderOf } from './read-replica.ts'
import { serialise, serialiseInSlices } from './serialise.ts'
import type { ReplyStore, StoredReply } from './stored-reply.ts'

export interface AnswerParts {
  runtime: Runtime
  /** Runs the requests with one Idempotency-Key one after another. */
  oneAtATime: ReturnType<typeof keyedQueue>
}

/** The project and the keys of a request, or the user if it was admitted by a session. */
export type LoggedIdentity = Pick<Identity, 'project' | 'keys'> & { user_email?: string }

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null
    /** Whose credentials were accepted, for the audit log: known before the request is admitted. Null for management calls. */
    identity: LoggedIdentity | null
    /** The body of the reply, for the audit log; empty if it has none or is a file. */
    reply_body: string
    /** The body exactly as it was sent, for the fingerprint of an idempotent request. */
    raw_body: Buffer | undefined
  }
}

/** The handler of an operation, called for requests that its gate admitted. */
export function answerOf(operation: Operation, parts: AnswerParts): Answer {
  const { run, download } = operation
  const runAnswer = run === undefined ? null : runningAnswer(operation, run, parts)
  const sendFile = download === undefined ? null : downloadAnswer(operation, download, parts.runtime)
  if (sendFile === null) return runAnswer as Answer
  return (request, reply) => (runAnswer === null || request.admitted === null ? sendFile : runAnswer)(request, reply)
}

/** What is the same for every request of an operation. */
interface Handler extends AnswerParts {
  operation: Operation
  run: OperationRun
  readInput: InputReader
  /** Runs it where what only reads is answered. */
  reader: ReplicaReader
  /** Of a reply that is not a refusal. */
  status: number
}

/** A request while its operation runs. */
interface RequestScope {
  handler: Handler
  request: FastifyRequest
  reply: FastifyReply
  ctx: InstallationCtx & Partial<Ctx>
  /** What `ctx.afterCommit` has registered. */
  afterCommit: Array<() => void>
  /** What `precheck` refused. */
  refusal: ApiError | null
  /**
   * What `replyStore.onReply` has registered: runs when the reply is on its way, so that the client does not wait for it. A closure here
   * that refers to the scope itself makes the whole request survive until the next full garbage collection (docs/decisions/0059).
   */
  onReply: (body: string) => void
  /** Whether the reply is one that `onReply` is to hear of: a new one, and no refusal. */
  isHeard: boolean
}

const nothing = (): void => {}

/** An admitted request from its query to its reply: validate, find the target, run in a transaction, serialise. */
function runningAnswer(operation: Operation, run: OperationRun, parts: AnswerParts): Answer {
  const handler: Handler = {
    ...parts,
    operation,
    run,
    readInput: inputReaderOf(operation),
    reader: replicaReaderOf(operation, run, parts.runtime.replicas),
    status: successStatus(operation),
  }
  const isWrite = writes(operation)
  const acceptsKey = mayRepeat(operation)
  const isClient = familyOf(operation.path) === 'client'
  const namesProject = familyOf(operation.path) === 'management' && pathParamNames(operation.path).includes('projectId')

  return async (request, reply) => {
    const { project: admittedProject, key_scope: keyScope } = request.admitted as Admitted
    const project = admittedProject ?? (namesProject ? await namedProject(request, parts.runtime) : null)
    const scope = newScope(handler, request, reply, project)
    const key = acceptsKey ? idempotencyKey(request.headers['idempotency-key'], keyScope) : null
    const earlier = key === null || !isClient ? null : await storedByEarlierRelease(scope, key)
    if (earlier !== null) return send(reply.header(replayedHeader, 'true'), earlier)
    if (operation.saves === true) {
      const stored = await runSelfSaving(scope, key)
      const sent = send(reply, stored)
      if (scope.isHeard) scope.onReply(stored.body)
      return sent
    }
    if (!isWrite) {
      return send(reply, await replyOf(scope, await runReading(scope)))
    }
    await precheck(scope)
    const stored = await (key === null ? ((await runInBatch(scope)) ?? runOnce(scope)) : runOncePerKey(scope, key))
    for (const work of scope.afterCommit) work()
    tellPosition(scope)
    return send(reply, stored)
  }
}

/** Says what a replica must contain to show what this request wrote. */
function tellPosition({ handler, reply }: RequestScope): void {
  const position = handler.runtime.replicas?.position() ?? null
  if (position !== null) reply.header(positionHeader, String(position))
}

const replayedHeader = 'Idempotency-Replayed'

/** Another process may have committed what the stored reply tells of: the position is to contain that, too. */
async function markReplayed({ handler, reply }: RequestScope, db: Db): Promise<void> {
  reply.header(replayedHeader, 'true')
  await handler.runtime.replicas?.learnPosition(db)
}

function storedByEarlierRelease({ handler, request, ctx }: RequestScope, key: string): Promise<StoredReply | null> {
  const fingerprint = fingerprintOf(request.method, request.url, request.raw_body)
  return findUnscoped(handler.runtime.database.db, ctx.project_id as string, key, fingerprint, ctx.now)
}

async function namedProject({ params }: FastifyRequest, { credentials }: Runtime): Promise<Project> {
  const { projectId } = params as { projectId: string }
  const project = await credentials.project(projectId)
  if (project === null) throw notFound('project', projectId)
  return project
}

function newScope(
  handler: Handler,
  request: FastifyRequest,
  reply: FastifyReply,
  project: Project | null,
): RequestScope {
  const { caller, identity = null, client, visitor } = request.admitted as Admitted
  const afterCommit: Array<() => void> = []
  // Set one by one: each copy of a context takes as long as to create it.
  const ctx: RequestScope['ctx'] = newCtx(handler.runtime, { request_id: request.id, caller, log: request.log })
  if (client !== undefined) {
    ctx.identity = identity
    ctx.client = client
  }
  ctx.afterCommit = (work) => void afterCommit.push(work)
  ctx.warnings = new Set()
  if (visitor !== undefined) ctx.visitor = visitor
  if (project !== null) {
    ctx.project_id = project.id
    ctx.project = project
  }
  return { handler, request, reply, ctx, afterCommit, refusal: null, onReply: nothing, isHeard: false }
}

/**
 * Runs the `precheck` of an operation, if it has one. A refusal waits for the transaction: there an Idempotency-Key returns its stored
 * reply, or stores the refusal.
 */
async function precheck(scope: RequestScope): Promise<void> {
  const { handler, request, reply, ctx } = scope
  if (handler.operation.precheck === undefined) return
  try {
    await handler.operation.precheck(ctx, await handler.readInput(ctx, request, reply))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    scope.refusal = error
  }
}

/** Reads the input of the request and runs the operation. */
async function runOperation({ handler, request, reply, refusal }: RequestScope, ctx: InstallationCtx) {
  const input = await handler.readInput(ctx, request, reply)
  if (refusal !== null) throw refusal
  return handler.run(ctx, input)
}

/** The same for an operation that only reads. */
async function runReading({ handler, request, reply, ctx }: RequestScope): Promise<unknown> {
  const input = await handler.readInput(ctx, request, reply)
  return handler.reader.run(ctx, input, request.headers)
}

/** Runs an operation together with concurrent calls; null if it cannot, or not this call. */
async function runInBatch(scope: RequestScope): Promise<StoredReply | null> {
  const { handler, request, reply, ctx } = scope
  const { runInBatch } = handler.operation
  if (runInBatch === undefined) return null
  const result = await runInBatch(ctx, await handler.readInput(ctx, request, reply))
  return result === undefined ? null : replyOf(scope, result)
}

async function runOnce(scope: RequestScope): Promise<StoredReply> {
  const { handler, ctx, afterCommit } = scope
  return inTransaction(handler.runtime.database.db, async (trx) => {
    afterCommit.length = 0
    return replyOf(scope, await runOperation(scope, { ...ctx, db: trx }))
  })
}

async function runOncePerKey(scope: RequestScope, key: string): Promise<StoredReply> {
  const { handler, request, ctx, afterCommit } = scope
  const owner = ctx.project_id ?? 'installation'
  const fingerprint = fingerprintOf(request.method, request.url, request.raw_body)
  return handler.oneAtATime(`${owner} ${key}`, () =>
    inTransaction(handler.runtime.database.db, async (trx) => {
      afterCommit.length = 0
      const known = await claim(trx, owner, key, fingerprint, ctx.now)
      if (known !== null) {
        await markReplayed(scope, trx)
        return known
      }
      const fresh = await rollBackOnRefusal(scope, trx)
      if (isKept(fresh.status)) await keep(trx, owner, key, withoutSecrets(handler, fresh))
      else await release(trx, owner, key)
      return fresh
    }),
  )
}

function withoutSecrets({ operation, status }: Handler, fresh: StoredReply): StoredReply {
  if (operation.withoutSecrets === undefined || fresh.status !== status) return fresh
  return { status, body: JSON.stringify(operation.withoutSecrets(JSON.parse(fresh.body))) }
}

/** On a refusal, rolls back the request's writes but not its claim on the key, under which the refusal is stored. */
async function rollBackOnRefusal(scope: RequestScope, trx: Trx): Promise<StoredReply> {
  await sql`savepoint refusal`.execute(trx)
  try {
    return await replyOf(scope, await runOperation(scope, { ...scope.ctx, db: trx }))
  } catch (error) {
    if (!(error instanceof ApiError) || !isKeptRefusal(error)) throw error
    await sql`rollback to savepoint refusal`.execute(trx)
    scope.afterCommit.length = 0
    return replyOf(scope, error)
  }
}

/** Runs an operation that stores its changes, and with a key also its reply, by itself (`saves`). */
async function runSelfSaving(scope: RequestScope, key: string | null): Promise<StoredReply> {
  const { handler, request, reply, ctx, afterCommit } = scope
  const replyStore: ReplyStore = {
    key: null,
    replyOf: (result) => replyOf(scope, result),
    onReply: (work) => {
      scope.onReply = work
    },
  }
  const notifyReply = (stored: StoredReply): StoredReply => {
    scope.isHeard = stored.status === handler.status
    return stored
  }
  if (key === null) {
    const saving = { ...ctx, replyStore }
    const input = await handler.readInput(saving, request, reply)
    const result = await handler.reader.run(saving, input, request.headers)
    for (const work of afterCommit) work()
    if (!handler.reader.mayRead(input)) tellPosition(scope)
    return notifyReply(await replyOf(scope, result))
  }
  const fingerprint = fingerprintOf(request.method, request.url, request.raw_body)
  replyStore.key = { key, fingerprint: fingerprint.toString('hex'), expires_at: keyExpiryOf(ctx.now) }
  // Requests with the same key run one at a time, as above: a retry that had to wait finds the stored reply.
  return handler.oneAtATime(`${ctx.project_id} ${key}`, async () => {
    const result = await runOperation(scope, { ...ctx, replyStore }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || !isKeptRefusal(error)) throw error
      return error
    })
    for (const work of afterCommit) work()
    const stored = await storedReplyOf(scope, result, { key, fingerprint })
    tellPosition(scope)
    return reply.hasHeader(replayedHeader) ? stored : notifyReply(stored)
  })
}

/** The reply of an operation that has stored it, or that has saved nothing, so that its reply is stored here. */
async function storedReplyOf(
  scope: RequestScope,
  result: unknown,
  { key, fingerprint }: { key: string; fingerprint: Buffer },
): Promise<StoredReply> {
  if (!(result instanceof StoredReplyResult))
    return storeReplyOnly(scope, key, fingerprint, await replyOf(scope, result))
  if (result.isReplayed) await markReplayed(scope, scope.ctx.db)
  return result.reply
}

/** Stores the reply of a request that saved nothing else. */
async function storeReplyOnly(
  scope: RequestScope,
  key: string,
  fingerprint: Buffer,
  fresh: StoredReply,
): Promise<StoredReply> {
  const { handler, ctx } = scope
  // A page could fill the disk: a validation that has saved nothing may as well be calculated again.
  const isOfPage = ctx.caller.is_page === true && handler.operation.redeems !== true
  if (isOfPage || !isKept(fresh.status)) return fresh
  const owner = ctx.project_id as string
  return inTransaction(handler.runtime.database.db, async (trx) => {
    const known = await claim(trx, owner, key, fingerprint, ctx.now)
    if (known === null) await keep(trx, owner, key, fresh)
    else await markReplayed(scope, trx)
    return known ?? fresh
  })
}

async function replyOf(scope: RequestScope, result: unknown): Promise<StoredReply> {
  const { handler, request, reply } = scope
  const { operation, status, runtime } = handler
  request.refusal = result instanceof ApiError ? result : null
  if (result instanceof ApiError) {
    reply.headers(result.headers)
    return { status: result.status, body: errorText(result, request.id, runtime.settings.error_messages) }
  }
  if (result instanceof Accepted)
    return { status: 202, body: withWarnings(scope, serialise(reply, operation.accepted as TSchema, result.reply)) }
  if (result instanceof Redirect) {
    reply.header('Location', result.location)
    return { status, body: '' }
  }
  if (status === 204) return { status, body: '' }
  if (result instanceof SerialisedReply) return { status, body: withWarnings(scope, result.text) }
  if (operation.reply_if_preferred === true) {
    const { prefer } = request.headers
    if (!prefersReply(prefer)) return { status: 204, body: '' }
    reply.header('Preference-Applied', `${prefersStrict(prefer) ? 'handling=strict, ' : ''}return=representation`)
  }
  return { status, body: withWarnings(scope, await serialiseInSlices(reply, ...viewOf(scope, result))) }
}

/** The answer with what the operation has warned of, if it is an object. */
function withWarnings({ ctx: { warnings } }: RequestScope, body: string): string {
  if (warnings === undefined || warnings.size === 0 || !body.startsWith('{')) return body
  return `${body.slice(0, -1)}${body === '{}' ? '' : ','}"warnings":${JSON.stringify([...warnings])}}`
}

/** What the caller may see of a result, with its schema. */
function viewOf({ handler: { operation }, ctx }: RequestScope, result: unknown): [TSchema, unknown] {
  const { reply, for_pages } = operation
  return for_pages === undefined || ctx.caller.is_page !== true
    ? [reply as TSchema, result]
    : [for_pages.reply as TSchema, for_pages.view(ctx, result)]
}

function send(reply: FastifyReply, stored: StoredReply): FastifyReply | Promise<FastifyReply> {
  const { status, body } = stored
  if (body.length > atOnceLength) return sendInPieces(reply, stored)
  reply.code(status)
  if (body === '') return reply.send()
  reply.request.reply_body = body
  return reply.header('Content-Type', 'application/json; charset=utf-8').send(body)
}

/** Characters of a reply that are sent at once. */
const atOnceLength = 1_048_576

/** Sends a long reply in pieces: to copy and send it at once would keep the event loop. */
async function sendInPieces(reply: FastifyReply, { status, body }: StoredReply): Promise<FastifyReply> {
  reply.request.reply_body = body
  const bytes = Buffer.alloc(Buffer.byteLength(body))
  const slice = newTimeSlice()
  for (let at = 0, written = 0; at < body.length; at += atOnceLength) {
    // Half of a surrogate pair at the end of a piece would be lost.
    if (at > 0 && isHighSurrogate(body.charCodeAt(at - 1))) at -= 1
    const end = at + atOnceLength
    const piece = body.slice(at, isHighSurrogate(body.charCodeAt(end - 1)) ? end - 1 : end)
    written += bytes.write(piece, written)
    await slice.pause()
  }
  return reply
    .code(status)
    .header('Content-Type', 'application/json; charset=utf-8')
    .header('Content-Length', bytes.length)
    .send(Readable.from(piecesOf(bytes)))
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

const pieceBytes = 65_536
