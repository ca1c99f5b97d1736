import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { Errors } from 'typebox/value'
import { notifyCredentialChange } from '../../account/credential-change.ts'
import { emptyTable, purgeProject } from '../../account/projects/purge.ts'
import { ProjectView } from '../../account/projects/schema.ts'
import { insertBuiltIns } from '../../account/projects/store.ts'
import { toProjectView } from '../../account/projects/view.ts'
import { assignUser, listOwners, lockUsers } from '../../account/users/store.ts'
import type { Db } from '../../core/db/database.ts'
import type { Project } from '../../core/db/project-row.ts'
import { inTransaction, type Trx } from '../../core/db/transaction.ts'
import { newSecret } from '../../core/http/secrets.ts'
import { toInstant } from '../../core/lib/instant.ts'
import type { ExportHeader } from './format.ts'
import { listMovedTables, projectColumns } from './tables.ts'

/** Where a file goes. */
export type Target =
  /** A new project with the id of the file. */
  | { kind: 'original' }
  /** A new project with this id. */
  | { kind: 'copy'; id: string }
  /** This project, which exists and is empty; it keeps its keys. */
  | { kind: 'existing'; id: string }

/**
 * The right to fill a project, which nobody sees meanwhile: for everybody else it is deleted. `deleted_at` of the project is a moment of
 * 1970, different for each import: so an interrupted import is told from a deleted project, and of two imports the later one wins. It is in
 * the second half of the year for a project that existed before, whose keys and users the next import must not delete with the rest.
 */
export interface Claim {
  project_id: string
  claimed_at: string
  /** Of all imported rows: higher than what any node can have in its cache. */
  config_version: number
  /** Whether the original may exist elsewhere: then keys stay out, and webhooks are not active. */
  is_copy: boolean
  target: Target
}

/** Claims the project for an import, and clears what an interrupted import left in it. */
export async function claimProject(db: Db, header: ExportHeader, target: Target, now: number): Promise<Claim> {
  await expectSettings(db, header)
  const claim: Claim = {
    project_id: target.kind === 'original' ? header.project.id : target.id,
    claimed_at: newMoment(target),
    config_version: now,
    is_copy: target.kind === 'existing' || (target.kind === 'copy' && target.id !== header.project.id),
    target,
  }
  if (target.kind === 'existing') await claimExisting(db, claim)
  else await claimNew(db, claim, header)
  return claim
}

const halfYear = 15_552_000_000

const newMoment = ({ kind }: Target): string =>
  toInstant(kind === 'existing' ? randomInt(halfYear, 2 * halfYear) : randomInt(1, halfYear))

/** Settings that no operation can show would fail the list of all projects. */
async function expectSettings(db: Db, { project }: ExportHeader): Promise<void> {
  const { rows } = await sql<Project>`
    select * from json_populate_record(null::projects, ${JSON.stringify({ ...project, is_sandbox: false })}::json)`.execute(
    db,
  )
  const view = toProjectView(rows[0] as Project, { cluster_id: '' })
  const [fault] = Errors(ProjectView, view)
  if (fault !== undefined)
    throw new Error(`The settings of the project in the file are damaged: ${fault.instancePath} ${fault.message}.`)
}

async function claimNew(db: Db, claim: Claim, header: ExportHeader): Promise<void> {
  const { project_id, claimed_at } = claim
  const state = await stateOf(db, project_id)
  if (state === 'deleted')
    throw new Error(`The project ${project_id} is being deleted. Wait until it is gone, or import a copy: --as ID.`)
  if (state === 'in use')
    throw new Error(
      `The project ${project_id} exists already. Import a copy with --as ID, or into an empty project with --project ID.`,
    )
  if (state === 'existing, claimed')
    throw new Error(
      `The project ${project_id} existed before another import, which fills it or was interrupted. Repeat that one: --project ${project_id}.`,
    )
  if (state === 'new, claimed') {
    await takeOver(db, claim, state)
    await purgeProject(db, project_id)
  }
  const columns = await projectColumns(db)
  await sql`
    insert into projects (${sql.join([...columns, 'id', 'is_sandbox', 'config_version', 'deleted_at'].map((column) => sql.ref(column)))})
    select ${sql.join(columns.map((column) => sql`r.${sql.ref(column)}`))}, ${project_id}, false, ${claim.config_version}, ${claimed_at}
    from json_populate_record(null::projects, ${settingsJson(claim, header)}::json) r`.execute(db)
}

async function claimExisting(db: Db, claim: Claim): Promise<void> {
  const { project_id } = claim
  const state = await stateOf(db, project_id)
  if (state === 'none' || state === 'deleted') throw new Error(`There is no project ${project_id}.`)
  // It may have keys of the file, which a copy must not have.
  if (state === 'new, claimed')
    throw new Error(
      `There is no project ${project_id} yet: another import makes it, or was interrupted. Repeat that one, without --project.`,
    )
  if (state === 'in use') await expectEmpty(db, project_id)
  await takeOver(db, claim, state)
  await notifyCredentialChange(db)
  // What was written before nobody saw the project any longer is not ours to delete.
  if (state === 'in use')
    await expectEmpty(db, project_id).catch(async (error) => {
      await giveBack(db, claim)
      throw error
    })
  await clear(db, claim)
}

async function expectEmpty(db: Db, projectId: string): Promise<void> {
  const table = await findFilledTable(db, projectId)
  if (table !== null) throw new Error(`The project ${projectId} is not empty: it has rows in ${table}.`)
}

async function giveBack(db: Db, { project_id, claimed_at }: Claim): Promise<void> {
  await sql`update projects set deleted_at = null where id = ${project_id} and deleted_at = ${claimed_at}`.execute(db)
  await notifyCredentialChange(db)
}

/** The settings of the file; a copy signs with secrets of its own: with those of the original it could prove customers there. */
const settingsJson = ({ is_copy }: Claim, { project }: ExportHeader): string =>
  JSON.stringify(is_copy ? { ...project, ...newSecrets() } : project)

const newSecrets = () => ({
  webhook_token: newSecret(),
  previous_webhook_token: null,
  webhook_token_replaced_at: null,
  tracking_secret: newSecret() + newSecret(),
})

type ProjectState = 'none' | 'in use' | 'deleted' | 'new, claimed' | 'existing, claimed'

const stateSql = sql<ProjectState>`
  case when deleted_at is null then 'in use' when deleted_at >= '1971-01-01' then 'deleted'
    when deleted_at >= ${toInstant(halfYear)} then 'existing, claimed' else 'new, claimed' end`

async function stateOf(db: Db, id: string): Promise<ProjectState> {
  const { rows } = await sql<{ state: ProjectState }>`
    select ${stateSql} as state from projects where id = ${id}`.execute(db)
  return rows[0]?.state ?? 'none'
}

/**
 * Waits for the batch that another import is just writing; its next one is refused. Throws if the project is no longer in the state in which
 * it was seen: another import may have completed it meanwhile.
 */
async function takeOver(db: Db, { project_id, claimed_at }: Claim, seen: ProjectState): Promise<void> {
  const { rows } = await sql`
    update projects set deleted_at = ${claimed_at} where id = ${project_id} and ${stateSql} = ${seen} returning id`.execute(
    db,
  )
  if (rows.length === 0) throw new ClaimLostError(project_id)
}

/** A new project has a product and a collection that are built in, and its keys. */
const builtInRows: Readonly<Record<string, number>> = {
  products: 1,
  product_collections: 1,
  api_keys: Number.MAX_SAFE_INTEGER,
}

async function findFilledTable(db: Db, projectId: string): Promise<string | null> {
  for (const { name } of await listMovedTables(db)) {
    const { rows } = await sql`
      select from ${sql.table(name)} where project_id = ${projectId} offset ${builtInRows[name] ?? 0} limit 1`.execute(
      db,
    )
    if (rows.length > 0) return name
  }
  return null
}

/** Deletes what an import wrote; children first. The keys of a project that existed before stay. */
async function clear(db: Db, { project_id }: Claim): Promise<void> {
  for (const table of (await listMovedTables(db)).reverse())
    if (table.name !== 'api_keys') await emptyTable(db, table, project_id)
}

/** Throws if another import has claimed the project since. The project stays locked until commit. */
export async function confirmClaim(trx: Trx, claim: Claim): Promise<void> {
  if (!(await isOurs(trx, claim))) throw new ClaimLostError(claim.project_id)
}

async function isOurs(db: Db, { project_id, claimed_at }: Claim): Promise<boolean> {
  const { rows } = await sql`
    select from projects where id = ${project_id} and deleted_at = ${claimed_at} for share`.execute(db)
  return rows.length > 0
}

export class ClaimLostError extends Error {
  constructor(projectId: string) {
    super(`Another import fills the project ${projectId}: this one ends.`)
  }
}

/** Makes the project usable. */
export async function openClaimed(db: Db, claim: Claim, header: ExportHeader): Promise<void> {
  const { project_id, target } = claim
  await inTransaction(db, async (trx) => {
    await lockUsers(trx)
    await confirmClaim(trx, claim)
    if (target.kind === 'existing') await takeSettings(trx, claim, header)
    for (const owner of await listOwners(trx)) await assignUser(trx, project_id, owner.id, 'ADMIN')
    await sql`update projects set deleted_at = null, config_version = ${claim.config_version} where id = ${project_id}`.execute(
      trx,
    )
    await notifyCredentialChange(trx)
  })
}

/** A project that existed before keeps its name and its secrets, which its receivers and pages know and nobody who has the file. */
const keptSettings = [
  'name',
  'created_at',
  'webhook_token',
  'previous_webhook_token',
  'webhook_token_replaced_at',
  'tracking_secret',
]

async function takeSettings(trx: Trx, { project_id }: Claim, { project }: ExportHeader): Promise<void> {
  const columns = (await projectColumns(trx)).filter((column) => !keptSettings.includes(column))
  await sql`
    update projects p set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = r.${sql.ref(column)}`))}
    from json_populate_record(null::projects, ${JSON.stringify(project)}::json) r where p.id = ${project_id}`.execute(
    trx,
  )
}

/** Undoes a failed import: nothing is left of a new project, and one that existed before is empty again. */
export async function abandonClaim(db: Db, claim: Claim, now: number): Promise<void> {
  const { project_id, target } = claim
  // What another import has written since is not ours to delete.
  if (!(await isOurs(db, claim))) return
  if (target.kind !== 'existing') return void (await purgeProject(db, project_id))
  await clear(db, claim)
  await inTransaction(db, async (trx) => {
    await confirmClaim(trx, claim)
    await insertBuiltIns(trx, project_id, toInstant(now))
    await sql`update projects set deleted_at = null where id = ${project_id}`.execute(trx)
    await notifyCredentialChange(trx)
  })
}
