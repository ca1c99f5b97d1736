import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Runtime, Visitor } from '../context.ts'
import type { Project } from '../db/project-row.ts'
import type { CallLimiter } from './call-limiter.ts'
import type { ClientIdentity } from './client-identity.ts'
import type { WrongCredentials } from './wrong-credentials.ts'

/** The authenticated caller and its project; the project is null for management calls until the path names one. */
export interface Admitted {
  caller: Caller
  project: Project | null
  /** Idempotency keys of one scope do not meet those of another (docs/reference/http.md#idempotency). */
  key_scope: string
  /** False: no rate limit has counted the call yet. */
  is_counted: boolean
  /** On the client side: the customer that the request names by a tracking id. */
  identity?: ClientIdentity | null
  /** On the client side: whom rate limits count, its network or the customer that it proves. */
  client?: string
  /** On `/auth`: the browser, and the session that it has. */
  visitor?: Visitor
}

/**
 * Authenticates and admits a request, at once if the caller is known. Null: an unauthenticated download, which may read the file of
 * its URL and nothing else.
 */
export type Gate = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Admitted | null | Promise<Admitted> | Promise<Admitted | null>

export interface GateKeeper {
  runtime: Runtime
  limiter: CallLimiter
  wrongCredentials: WrongCredentials
}
