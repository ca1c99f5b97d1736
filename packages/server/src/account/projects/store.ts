import { type Insertable, sql, type Updateable } from 'kysely'
import type { InstallationCtx } from '../../core/context.ts'
import { allProductsRow } from '../../core/db/built-in-collections.ts'
import { shippingRow } from '../../core/db/built-in-products.ts'
import type { Db } from '../../core/db/database.ts'
import type { Project } from '../../core/db/project-row.ts'
import type { ProjectRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'

/** Inserts a project with its built-in product and collection, in one statement. */
export async function insertProject(db: Db, row: Insertable<ProjectRow>): Promise<Project> {
  return db
    .with('shipping', (cte) => cte.insertInto('products').values(shippingRow(row.id, row.created_at)))
    .with('all_products', (cte) => cte.insertInto('product_collections').values(allProductsRow(row.id, row.created_at)))
    .insertInto('projects')
    .values(row)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Inserts the built-in product and collection into a project that has lost them. */
export async function insertBuiltIns(db: Db, projectId: string, now: string): Promise<void> {
  await db.insertInto('products').values(shippingRow(projectId, now)).execute()
  await db.insertInto('product_collections').values(allProductsRow(projectId, now)).execute()
}

/** All projects, oldest first. */
export async function listProjects({ db }: InstallationCtx): Promise<Project[]> {
  return db
    .selectFrom('projects')
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .selectAll()
    .execute()
}

/** The names of those of these projects that exist, oldest first. */
export async function listProjectNames(db: Db, ids: readonly string[]): Promise<Array<Pick<Project, 'id' | 'name'>>> {
  return db
    .selectFrom('projects')
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .select(['id', 'name'])
    .execute()
}

/** The project, locked until commit, so that concurrent updates are not lost. */
export async function getProjectForUpdate({ db }: InstallationCtx, id: string): Promise<Project> {
  const row = await db
    .selectFrom('projects')
    .where('id', '=', id as Project['id'])
    .where('deleted_at', 'is', null)
    .selectAll()
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw notFound('project', id)
  return row
}

export async function updateProject(
  { db }: InstallationCtx,
  id: Project['id'],
  changes: Updateable<ProjectRow>,
): Promise<Project> {
  const row = await db
    .updateTable('projects')
    .set(changes)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound('project', id)
  return row
}

/** Marks a project as deleted and deletes its keys and user roles; a background job deletes its data. */
export async function closeProject({ db, now }: InstallationCtx, id: Project['id']): Promise<void> {
  await db.updateTable('projects').set({ deleted_at: now }).where('id', '=', id).execute()
  await db.deleteFrom('api_keys').where('project_id', '=', id).execute() // cascades to their tokens
  await db.deleteFrom('project_users').where('project_id', '=', id).execute()
}

/** For the command line: the project with this id, or without an id the only project. */
export async function findProjectOrOnly(db: Db, id: string | undefined): Promise<Project> {
  const query = db.selectFrom('projects').where('deleted_at', 'is', null).selectAll()
  const projects = await (id === undefined ? query : query.where('id', '=', id as Project['id']))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limits.projects_named_max + 1)
    .execute()
  const [project, ...others] = projects
  if (project === undefined)
    throw new Error(
      id === undefined ? 'There is no project yet: start the service once.' : `There is no project ${id}.`,
    )
  if (others.length > 0) throw new Error(severalText(projects))
  return project
}

function severalText(projects: readonly Project[]): string {
  const named = projects.slice(0, limits.projects_named_max)
  return [
    'There are several projects: name one with --project.',
    ...named.map(({ id, name }) => `  ${id}  ${name}`),
    ...(projects.length > named.length ? ['  …'] : []),
  ].join('\n')
}
