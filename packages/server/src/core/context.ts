import type { FastifyBaseLogger } from 'fastify'
import type { Configurations } from './configuration/cache.ts'
import type { Database, Db } from './db/database.ts'
import type { Project } from './db/project-row.ts'
import type { Role } from './db/tables.ts'
import type { DeferredWriter } from './events/deferred-writer.ts'
import type { Credentials } from './http/credentials.ts'
import type { ReplyStore } from './http/stored-reply.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Instant } from './lib/instant.ts'
import type { Wiring } from './reactions.ts'
import type { Settings } from './settings.ts'

/** What the process owns, once: handed to everything that starts with it. */
export interface Runtime {
  database: Database
  jobs: Jobs
  settings: Settings
  /** Keys, tokens and projects in memory. */
  credentials: Credentials
  /** What projects have configured, in memory. */
  configurations: Configurations
  /** What is written down a moment later, because nothing depends on it. */
  deferred: DeferredWriter
  /** The calls from lower modules to higher ones. */
  wiring: Wiring
  log: FastifyBaseLogger
  /** Unix milliseconds; the tests move it. */
  now: () => number
}

/** Who is calling, as far as it is written down: into events, traces and rules. */
export interface Caller {
  channel: 'API' | 'CLIENT_API' | 'MANAGEMENT' | 'INTERNAL'
  api_key: { id: string; name: string; app_id: string } | null
  role: Role
}

/** All that an operation outside of any project may touch: the list of projects, a new project. */
export interface InstallationCtx extends Wiring {
  db: Db
  /** Read once per request. */
  now: Instant
  /** The moment of the request where `now` is one that is made up for: when whatever happens is told. */
  event_time?: Instant
  /** `v-…` of the request, `w-…` of a background run: the `group_id` of every event it causes. */
  request_id: string
  caller: Caller
  jobs: Jobs
  settings: Settings
  credentials: Credentials
  configurations: Configurations
  deferred: DeferredWriter
  log: FastifyBaseLogger
  /** Runs once the transaction is committed, in this process only: for what lives in memory. */
  afterCommit(work: () => void): void
  /** Of an operation that saves by itself. */
  saving?: ReplyStore
}

/** All that an operation may touch. Inside a write, `db` is the transaction. */
export interface Ctx extends InstallationCtx {
  project_id: string
  project: Project
}
