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

/** The answer to what the gate of an operation let through. */
export function answerOf(operation: Operation, parts: AnswerParts): Answer {
  const { run, download } = operation
  const answers = run === undefined ? null : runningAnswer(operation, run, parts)
  const sends = download === undefined ? null : downloadAnswer(operation, download, parts.runtime)
  if (sends === null) return answers as Answer
  return (request, reply) => (answers === null || request.admitted === null ? sends : answers)(request, reply)
}

/** An admitted request from its query to its reply: validate, find the target, run in a transaction, serialise. */
function runningAnswer(operation: Operation, run: Run, { runtime, serialize }: AnswerParts): Answer {
  const { database, settings, credentials } = runtime
  const queryShape = operation.query === undefined ? null : compileValidator(operation.query)
  const bodyShape = operation.body === undefined ? null : compileValidator(operation.body)
  const required: Wording['required'] = familyOf(operation.path) === 'management' ? 'must' : 'should'
  const status = successStatus(operation)
  const isWrite = writes(operation)
  const takesKey = mayRepeat(operation)
  const isForm = operation.consumes === 'form' || operation.consumes === 'multipart'
  const namesProject = familyOf(operation.path) === 'management' && pathParamNames(operation.path).includes('projectId')

  return async (request, reply) => {
    const params = request.params as Record<string, string>
    const afterCommit: Array<() => void> = []
    const { caller, project: admittedTo } = request.admitted as Admitted
    const project = admittedTo ?? (namesProject ? await credentials.project(params.projectId as string) : null)
    if (project === null && namesProject) throw notFound('project', params.projectId as string)
    const outside: InstallationCtx = {
      ...newCtx(runtime, { request_id: request.id, caller, log: request.log }),
      afterCommit: (work) => void afterCommit.push(work),
    }
    const ctx: InstallationCtx & Partial<Ctx> = project === null ? outside : inProject(outside, project)

    const key = takesKey ? idempotencyKey(request.headers['idempotency-key']) : null
    if (operation.saves === true) return send(reply, await saveItself(key))
    if (!isWrite) return send(reply, serialised(await decide(ctx)))
    const stored = key === null ? await writeOnce() : await writeOncePerKey(key)
    for (const work of afterCommit) work()
    return send(reply, stored)

    /** Query, then what the path names, then the body, then the work: the order in which failures are reported. */
    async function decide(ctx: InstallationCtx): Promise<unknown> {
      let query: unknown
      if (queryShape !== null) {
        query = queryShape.coerce(parseQueryString(request.query as string))
        const fault = queryShape.fault(query, { root: 'Query', required })
        if (fault !== null) throw invalidQuery(fault)
      }
      const target = operation.target === undefined ? undefined : await operation.target(ctx, { params, query })
      let body: unknown
      if (bodyShape !== null) {
        body = request.body === undefined ? {} : request.body
        if (isForm) body = bodyShape.coerce(body)
        const fault = bodyShape.fault(body, { root: 'Payload', required })
        if (fault !== null) throw invalidPayload(fault)
        body = bodyShape.normalise(body)
      }
      return run(ctx, { params, query, body, target })
    }

    async function saveItself(key: string | null): Promise<StoredReply> {
      let replied: (body: string) => void = () => {}
      const onReply: ReplyStore['onReply'] = (work) => {
        replied = work
      }
      const told = (stored: StoredReply): StoredReply => {
        if (stored.status === status) replied(stored.body)
        return stored
      }
      if (key === null) {
        const result = await decide({ ...ctx, saving: { key, replyOf: serialised, onReply } })
        for (const work of afterCommit) work()
        return told(serialised(result))
      }
      const fingerprint = fingerprintOf(request.method, request.url, request.raw_body)
      const kept = { key, fingerprint: fingerprint.toString('hex'), expires_at: expiryOf(ctx.now) }
      const saving: ReplyStore = { key: kept, replyOf: serialised, onReply }
      // Of requests with one key only one at a time, as below: those behind it find its reply.
      return serialize(`${ctx.project_id} ${key}`, async () => {
        const result = await decide({ ...ctx, saving }).catch((error: unknown) => {
          if (!(error instanceof ApiError) || !isKeptRefusal(error)) throw error
          return error
        })
        for (const work of afterCommit) work()
        if (result instanceof StoredReplyResult) {
          if (!result.isReplayed) return told(result.reply)
          reply.header('Idempotency-Replayed', 'true')
          return result.reply
        }
        const fresh = serialised(result)
        const stored = await keptAlone(key, fingerprint, fresh)
        return stored === fresh ? told(fresh) : stored
      })
    }

    /** Keeps the reply of a request that had nothing else to save. */
    async function keptAlone(key: string, fingerprint: Buffer, fresh: StoredReply): Promise<StoredReply> {
      if (!isKept(fresh.status)) return fresh
      const scope = ctx.project_id as string
      return inTransaction(database.db, async (trx) => {
        const known = await claim(trx, scope, key, fingerprint, ctx.now)
        if (known === null) await keep(trx, scope, key, fresh)
        else reply.header('Idempotency-Replayed', 'true')
        return known ?? fresh
      })
    }

    async function writeOnce(): Promise<StoredReply> {
      return inTransaction(database.db, async (trx) => {
        afterCommit.length = 0
        return serialised(await decide({ ...ctx, db: trx }))
      })
    }

    async function writeOncePerKey(key: string): Promise<StoredReply> {
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
          const fresh = await undoingRefusals(() => decide({ ...ctx, db: trx }))
          if (isKept(fresh.status)) await keep(trx, scope, key, fresh)
          else await release(trx, scope, key)
          return fresh

          /** A refusal undoes what the request did but not its claim on the key, under which the refusal is kept. */
          async function undoingRefusals(work: () => Promise<unknown>): Promise<StoredReply> {
            await sql`savepoint refusal`.execute(trx)
            try {
              return serialised(await work())
            } catch (error) {
              if (!(error instanceof ApiError) || !isKeptRefusal(error)) throw error
              await sql`rollback to savepoint refusal`.execute(trx)
              afterCommit.length = 0
              return serialised(error)
            }
          }
        }),
      )
    }

    function serialised(result: unknown): StoredReply {
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
