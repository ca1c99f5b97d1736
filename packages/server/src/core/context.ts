import type { FastifyBaseLogger } from 'fastify'
import type { Configurations } from './configuration/cache.ts'
import type { Database, Db } from './db/database.ts'
import type { Project } from './db/project-row.ts'
import type { Replicas } from './db/replicas.ts'
import type { Role } from './db/tables.ts'
import type { DeferredWriter } from './events/deferred-writer.ts'
import type { AuditLog } from './http/audit-log.ts'
import type { CallerCounts } from './http/caller-counts.ts'
import type { ClientIdentity } from './http/client-identity.ts'
import type { Credentials } from './http/credentials.ts'
import type { KnownSession, KnownUser } from './http/known-user.ts'
import type { ReplyStore } from './http/stored-reply.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Instant } from './lib/instant.ts'
import type { MailTally } from './mail/tally.ts'
import type { Wiring } from './reactions.ts'
import type { Settings } from './settings.ts'
import type { Siblings } from './siblings.ts'

/** The shared services of the process, created once at start. */
export interface Runtime {
  database: Database
  /** Null: the primary answers everything. */
  replicas: Replicas | null
  /** Whether its tables are distributed over several servers (docs/operate/citus.md); read once, at start. */
  is_distributed: boolean
  jobs: Jobs
  settings: Settings
  /** Cached keys, tokens and projects. */
  credentials: Credentials
  /** What this node counts of its callers. */
  callers: CallerCounts
  /** The other workers of this node; null: this process is the node. */
  siblings: Siblings | null
  /** Cached configurations of projects. */
  configurations: Configurations
  /** Writes informational events after the response. */
  deferred: DeferredWriter
  /** How many mails this process has sent. */
  mails: MailTally
  /** Logs requests after the response. */
  auditLog: AuditLog
  /** The calls from lower modules to higher ones. */
  wiring: Wiring
  /** What the metrics show of the deliveries to webhooks by this process. */
  webhook_attempts: WebhookAttempts
  log: FastifyBaseLogger
  /** Unix milliseconds; tests replace it. */
  now: () => number
}

/** Attempts to deliver to webhooks since the start, and those that run. */
export interface WebhookAttempts {
  succeeded: number
  failed: number
  in_flight: number
}

/** Roles that may change something. */
export const writingRoles: ReadonlySet<Role> = new Set<Role>(['ADMIN', 'USER', 'USER_RESTRICTED'])

/** The caller, as recorded in events and redemptions and compared by rules. */
export interface Caller {
  channel: 'API' | 'CLIENT_API' | 'MANAGEMENT' | 'USER' | 'INTERNAL'
  api_key: { id: string; name: string; app_id: string } | null
  role: Role
  /** Whether it has shown no more than what everybody can read in a page: no key of the server side. */
  is_page?: boolean
  /** Who is signed in, if a session admitted the request. On the management API also what they may do elsewhere. */
  user?: Pick<KnownUser, 'id' | 'email'> & Partial<KnownUser>
  /** What the calling application calls itself in `X-Voucherify-Channel`. */
  application?: string
}

/** The context of an operation outside of a project: list projects, create a project. */
export interface InstallationCtx extends Wiring {
  db: Db
  /** Set if `db` is a replica: the database to ask for what a replica cannot know. */
  primary?: Db
  is_distributed: boolean
  /** Read once per request. */
  now: Instant
  /** The time of the request, for events, while `now` is an earlier moment whose due changes are being applied. */
  event_time?: Instant
  /** `v-…` of the request, `w-…` of a background run: the `group_id` of every event it causes. */
  request_id: string
  caller: Caller
  /** On the client side: the customer that the request names by a tracking id; null: by none. */
  identity?: ClientIdentity | null
  /** On the client side: whom rate limits count, a network or the customer that was proven. */
  client?: string
  /** On `/auth`: the browser that signs in. */
  visitor?: Visitor
  jobs: Jobs
  settings: Settings
  credentials: Credentials
  callers: CallerCounts
  configurations: Configurations
  deferred: DeferredWriter
  log: FastifyBaseLogger
  /** Runs `work` after the transaction commits, in this process only: for in-memory state. */
  afterCommit(work: () => void): void
  /** For operations with `saves`: stores the reply together with the changes. */
  replyStore?: ReplyStore
  /** Of a request: the sentences that its answer ends with, unless it is a refusal (core/http/warnings.ts). */
  warnings?: Set<string>
}

/** The browser that calls an operation of `/auth`. */
export interface Visitor {
  session: KnownSession | null
  address: string
  user_agent: string
  /** The `Cookie` header. */
  cookies: string | undefined
  /** Adds a `Set-Cookie` header to the reply. Call it in `afterCommit`. */
  setCookie(text: string): void
}

/** The context of an operation of `/auth`. */
export interface VisitorCtx extends InstallationCtx {
  visitor: Visitor
}

/** The context of an operation in a project. In a write, `db` is the transaction. */
export interface Ctx extends InstallationCtx {
  project_id: string
  project: Project
}
