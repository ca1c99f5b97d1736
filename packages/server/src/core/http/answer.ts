import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import type { TSchema } from 'typebox'
import type { Ctx, InstallationCtx, Runtime } from '../context.ts'
import { inTransaction } from '../db/transaction.ts'
import { inProject, newCtx } from '../new-ctx.ts'
import type { Admitted } from './admission.ts'
import { downloadAnswer } from './download.ts'
import { ApiError, errorText, invalidPayload, invalidQuery, notFound } from './errors.ts'
import {
  claim,
  expiryOf,
  fingerprintOf,
  idempotencyKey,
  isKept,
  isKeptRefusal,
  keep,
  type keyedQueue,
  release,
} from './idempotency.ts'
import {
  Accepted,
  type Answer,
  familyOf,
  mayRepeat,
  type Operation,
  pathParamNames,
  type Run,
  StoredReplyResult,
  successStatus,
  writes,
} from './operation.ts'
import { parseQueryString } from './query-string.ts'
import { serialise } from './serialise.ts'
import type { ReplyStore, StoredReply } from './stored-reply.ts'
import { compileValidator, type Wording } from './validation.ts'

export interface AnswerParts {
  runtime: Runtime
  serialize: ReturnType<typeof keyedQueue>
}

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null
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

/** An admitted request from its query to its reply: validate, find the target, run in a transaction, serialise. */
function runningAnswer(operation: Operation, run: Run, { runtime, serialize }: AnswerParts): Answer {
  const { database, settings, credentials } = runtime
  const queryValidator = operation.query === undefined ? null : compileValidator(operation.query)
  const bodyValidator = operation.body === undefined ? null : compileValidator(operation.body)
  const required: Wording['required'] = familyOf(operation.path) === 'management' ? 'must' : 'should'
  const status = successStatus(operation)
  const isWrite = writes(operation)
  const acceptsKey = mayRepeat(operation)
  const isForm = operation.consumes === 'form' || operation.consumes === 'multipart'
  const namesProject = familyOf(operation.path) === 'management' && pathParamNames(operation.path).includes('projectId')

  return async (request, reply) => {
    const params = request.params as Record<string, string>
    const afterCommit: Array<() => void> = []
    const { caller, project: admittedProject } = request.admitted as Admitted
    const project = admittedProject ?? (namesProject ? await credentials.project(params.projectId as string) : null)
    if (project === null && namesProject) throw notFound('project', params.projectId as string)
    const installationCtx: InstallationCtx = {
      ...newCtx(runtime, { request_id: request.id, caller, log: request.log }),
      afterCommit: (work) => void afterCommit.push(work),
    }
    const ctx: InstallationCtx & Partial<Ctx> = project === null ? installationCtx : inProject(installationCtx, project)

    const key = acceptsKey ? idempotencyKey(request.headers['idempotency-key']) : null
    if (operation.saves === true) return send(reply, await runSelfSaving(key))
    if (!isWrite) return send(reply, replyOf(await decide(ctx)))
    const stored = key === null ? await runInTransaction() : await runInTransactionOncePerKey(key)
    for (const work of afterCommit) work()
    return send(reply, stored)

    /** Validates the query, finds the target, validates the body, then runs: failures are reported in this order. */
    async function decide(ctx: InstallationCtx): Promise<unknown> {
      let query: unknown
      if (queryValidator !== null) {
        query = queryValidator.coerce(parseQueryString(request.query as string))
        const firstError = queryValidator.firstError(query, { root: 'Query', required })
        if (firstError !== null) throw invalidQuery(firstError)
      }
      const target = operation.target === undefined ? undefined : await operation.target(ctx, { params, query })
      let body: unknown
      if (bodyValidator !== null) {
        body = request.body === undefined ? {} : request.body
        if (isForm) body = bodyValidator.coerce(body)
        const firstError = bodyValidator.firstError(body, { root: 'Payload', required })
        if (firstError !== null) throw invalidPayload(firstError)
        body = bodyValidator.normalise(body)
      }
      return run(ctx, { params, query, body, target })
    }

    async function runSelfSaving(key: string | null): Promise<StoredReply> {
      let onReplyWork: (body: string) => void = () => {}
      const onReply: ReplyStore['onReply'] = (work) => {
        onReplyWork = work
      }
      const notifyReply = (stored: StoredReply): StoredReply => {
        if (stored.status === status) onReplyWork(stored.body)
        return stored
      }
      if (key === null) {
        const result = await decide({ ...ctx, saving: { key, replyOf, onReply } })
        for (const work of afterCommit) work()
        return notifyReply(replyOf(result))
      }
      const fingerprint = fingerprintOf(request.method, request.url, request.raw_body)
      const keyRecord = { key, fingerprint: fingerprint.toString('hex'), expires_at: expiryOf(ctx.now) }
      const saving: ReplyStore = { key: keyRecord, replyOf, onReply }
      // Requests with the same key run one at a time, as below: a retry that had to wait finds the stored reply.
      return serialize(`${ctx.project_id} ${key}`, async () => {
        const result = await decide({ ...ctx, saving }).catch((error: unknown) => {
          if (!(error instanceof ApiError) || !isKeptRefusal(error)) throw error
          return error
        })
        for (const work of afterCommit) work()
        if (result instanceof StoredReplyResult) {
          if (!result.isReplayed) return notifyReply(result.reply)
          reply.header('Idempotency-Replayed', 'true')
          return result.reply
        }
        const fresh = replyOf(result)
        const stored = await storeReplyOnly(key, fingerprint, fresh)
        return stored === fresh ? notifyReply(fresh) : stored
      })
    }

    /** Stores the reply of a request that saved nothing else. */
    async function storeReplyOnly(key: string, fingerprint: Buffer, fresh: StoredReply): Promise<StoredReply> {
      if (!isKept(fresh.status)) return fresh
      const scope = ctx.project_id as string
      return inTransaction(database.db, async (trx) => {
        const known = await claim(trx, scope, key, fingerprint, ctx.now)
        if (known === null) await keep(trx, scope, key, fresh)
        else reply.header('Idempotency-Replayed', 'true')
        return known ?? fresh
      })
    }

    async function runInTransaction(): Promise<StoredReply> {
      return inTransaction(database.db, async (trx) => {
        afterCommit.length = 0
        return replyOf(await decide({ ...ctx, db: trx }))
      })
    }

    async function runInTransactionOncePerKey(key: string): Promise<StoredReply> {
      const scope = ctx.project_id ?? 'installation'
      const fingerprint = fingerprintOf(request.method, request.url, request.raw_body)
      return serialize(`${scope} ${key}`, () =>
        inTransaction(database.db, async (trx) => {
          afterCommit.length = 0
          const known = await claim(trx, scope, key, fingerprint, ctx.now)
          if (known !== null) {
            reply.header('Idempotency-Replayed', 'true')
            return known
          }
          const fresh = await rollBackOnRefusal(() => decide({ ...ctx, db: trx }))
          if (isKept(fresh.status)) await keep(trx, scope, key, fresh)
          else await release(trx, scope, key)
          return fresh

          /** On a refusal, rolls back the request's writes but not its claim on the key, under which the refusal is stored. */
          async function rollBackOnRefusal(work: () => Promise<unknown>): Promise<StoredReply> {
            await sql`savepoint refusal`.execute(trx)
            try {
              return replyOf(await work())
            } catch (error) {
              if (!(error instanceof ApiError) || !isKeptRefusal(error)) throw error
              await sql`rollback to savepoint refusal`.execute(trx)
              afterCommit.length = 0
              return replyOf(error)
            }
          }
        }),
      )
    }

    function replyOf(result: unknown): StoredReply {
      if (result instanceof ApiError) {
        reply.headers(result.headers)
        return { status: result.status, body: errorText(result, request.id, settings.error_messages) }
      }
      if (result instanceof Accepted)
        return { status: 202, body: serialise(reply, operation.accepted as TSchema, result.reply) }
      if (status === 204) return { status, body: '' }
      return { status, body: serialise(reply, operation.reply as TSchema, result) }
    }
  }
}

function send(reply: FastifyReply, { status, body }: StoredReply): FastifyReply {
  reply.code(status)
  if (body === '') return reply.send()
  return reply.header('Content-Type', 'application/json; charset=utf-8').send(body)
}
