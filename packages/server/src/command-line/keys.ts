import { sql } from 'kysely'
import { deleteApiKeyAnywhere, insertApiKey, listAllApiKeys } from '../account/api-keys/store.ts'
import {
  deleteManagementKey,
  insertManagementKey,
  listManagementKeys,
} from '../account/installation/management-keys.ts'
import { findProjectOrOnly } from '../account/projects/store.ts'
import { roles } from '../account/roles.ts'
import type { Db } from '../core/db/database.ts'
import type { KeyKind, Role } from '../core/db/tables.ts'
import { inTransaction } from '../core/db/transaction.ts'
import { credentialChannel } from '../core/http/credentials.ts'
import { toInstant } from '../core/lib/instant.ts'
import type { CommandEnvironment } from './outside.ts'
import { table } from './table.ts'
import { withDatabase } from './with-database.ts'

export interface KeyOptions {
  project?: string | undefined
  name?: string | undefined
  kind?: string | undefined
  role?: string | undefined
}

/** Manages keys from the command line: to create a management key, and to regain access when all keys are lost. */
export async function keys(
  { settings, say }: CommandEnvironment,
  verb: 'list' | 'create' | 'revoke',
  id: string | undefined,
  options: KeyOptions,
): Promise<void> {
  const newKey = verb === 'create' ? readNewKey(options) : null
  await withDatabase(settings, async (db) => {
    if (verb === 'list') say(await listKeys(db, options.project))
    else if (newKey !== null) say(await createKey(db, newKey))
    else say(await revokeKey(db, id as string))
  })
}

async function listKeys(db: Db, projectId: string | undefined): Promise<string> {
  const keys = await listAllApiKeys(db, projectId)
  const management = projectId === undefined ? await listManagementKeys(db) : []
  const lines = [
    ...keys.map((key) => [key.id, key.kind, key.role, key.status, key.app_id, key.project_id, key.name]),
    ...management.map((key) => [key.id, 'management', '-', key.status, key.app_id, '-', key.name]),
  ]
  return table([['ID', 'KIND', 'ROLE', 'STATUS', 'APP ID', 'PROJECT', 'NAME'], ...lines])
}

interface NewKey {
  project: string | undefined
  name: string
  kind: KeyKind | 'management'
  role: Role
}

const kinds = ['server', 'integration', 'client', 'management'] as const satisfies Array<NewKey['kind']>

/** Checks the arguments of `keys create` before the database is opened. */
function readNewKey({ project, name, kind = 'server', role = 'ADMIN' }: KeyOptions): NewKey {
  if (name === undefined || name === '') throw new Error('keys create needs a --name.')
  const knownKind = kinds.find((each) => each === kind)
  if (knownKind === undefined) throw new Error(`--kind must be one of ${kinds.join(', ')}, not "${kind}".`)
  const knownRole = roles.find((each) => each === role)
  if (knownRole === undefined) throw new Error(`--role must be one of ${roles.join(', ')}, not "${role}".`)
  return { project, name, kind: knownKind, role: knownRole }
}

async function createKey(db: Db, { project, name, kind, role }: NewKey): Promise<string> {
  const createdAt = toInstant(Date.now())
  return inTransaction(db, async (trx) => {
    if (kind === 'management') {
      const key = await insertManagementKey(trx, { name, created_at: createdAt })
      return createdKeyText(key.id, 'X-Management-Id', key.app_id, 'X-Management-Token', key.secret)
    }
    const { id: projectId } = await findProjectOrOnly(trx, project)
    const { key, secret } = await insertApiKey(trx, {
      project_id: projectId,
      name,
      kind,
      role,
      ip_whitelist: [],
      is_primary: false,
      created_at: createdAt,
    })
    const headers =
      kind === 'client'
        ? (['X-Client-Application-Id', 'X-Client-Token'] as const)
        : (['X-App-Id', 'X-App-Token'] as const)
    return createdKeyText(key.id, headers[0], key.app_id, headers[1], secret)
  })
}

async function revokeKey(db: Db, id: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    const isRevoked = (await deleteApiKeyAnywhere(trx, id)) || (await deleteManagementKey(trx, id))
    if (!isRevoked) throw new Error(`There is no key ${id}.`)
    await sql`select pg_notify(${credentialChannel}, '')`.execute(trx)
    return `Revoked ${id}. Running nodes refuse it from now on.\n`
  })
}

function createdKeyText(id: string, idHeader: string, appId: string, tokenHeader: string, secret: string): string {
  return `Created ${id}. The token is shown only now, keep it:\n\n  ${idHeader}: ${appId}\n  ${tokenHeader}: ${secret}\n`
}
