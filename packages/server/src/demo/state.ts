import { sql } from 'kysely'
import { insertApiKey } from '../account/api-keys/store.ts'
import type { Db } from '../core/db/database.ts'
import type { Project } from '../core/db/project-row.ts'
import type { Settings } from '../core/settings.ts'
import { demoKeyName } from './known.ts'
import type { ShopKey } from './shop.ts'

/** What a project has: nothing, the demo shop or a part of it, or data of its own. */
export type DemoState = 'empty' | 'filled' | 'interrupted' | 'occupied'

/**
 * The key of the demo shop marks the project: it is inserted first, and renamed last. Without one the project is empty if it has no
 * row of what a shop would begin with.
 */
export async function demoStateOf(db: Db, projectId: string): Promise<DemoState> {
  const names = await db
    .selectFrom('api_keys')
    .where('project_id', '=', projectId)
    .where('name', 'in', [demoKeyName.filling, demoKeyName.filled])
    .select('name')
    .execute()
  if (names.some(({ name }) => name === demoKeyName.filled)) return 'filled'
  if (names.length > 0) return 'interrupted'
  const { rows } = await sql<{ is_occupied: boolean }>`
    select exists (select from events where project_id = ${projectId})
      or exists (select from customers where project_id = ${projectId})
      or exists (select from campaigns where project_id = ${projectId})
      or exists (select from vouchers where project_id = ${projectId})
      or exists (select from orders where project_id = ${projectId})
      or exists (select from categories where project_id = ${projectId})
      or exists (select from validation_rules where project_id = ${projectId})
      or exists (select from stacking_rules where project_id = ${projectId})
      or exists (select from metadata_schemas where project_id = ${projectId})
      or (select count(*) from products where project_id = ${projectId}) > 1
      or (select count(*) from product_collections where project_id = ${projectId}) > 1
      or exists (select from segments where project_id = ${projectId})
      or exists (select from locations where project_id = ${projectId})
      or exists (select from rewards where project_id = ${projectId}) as is_occupied`.execute(db)
  return rows[0]?.is_occupied === true ? 'occupied' : 'empty'
}

/** Why the project cannot be filled, and what to do. */
export function whyNotFillable(
  state: DemoState,
  { name, id }: Project,
  { database_url, data_dir }: Settings,
): string | null {
  if (state === 'empty') return null
  const project = `The project ${name} (${id})`
  if (state === 'filled') return `${project} has the demo shop already.`
  const elsewhere =
    database_url === null
      ? 'start with another GUERDON_DATA_DIR'
      : 'name an empty project with --project, or another database in DATABASE_URL'
  if (state === 'occupied')
    return `${project} has data, which the demo shop would mix with. To look at the demo shop, ${elsewhere}.`
  const again =
    database_url === null
      ? `delete the folder ${data_dir} (its keys go with it) or ${elsewhere}`
      : `delete the project (DELETE /management/v1/projects/${id}) and make another, or ${elsewhere}`
  return `${project} has half of a demo shop: filling it was interrupted. To start over, ${again}.`
}

/** Inserts the key that the demo shop calls with. Nobody learns its secret. */
export async function insertDemoKey(db: Db, project: Project, createdAt: string): Promise<ShopKey> {
  const { key, secret } = await insertApiKey(db, {
    project_id: project.id,
    name: demoKeyName.filling,
    kind: 'server',
    role: 'ADMIN',
    ip_whitelist: [],
    is_primary: false,
    created_at: createdAt,
  })
  return { project_id: project.id, app_id: key.app_id, secret }
}

/** Says that the demo shop is complete. */
export async function renameDemoKey(db: Db, projectId: string): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ name: demoKeyName.filled, status: 'BLOCKED' })
    .where('project_id', '=', projectId)
    .where('name', '=', demoKeyName.filling)
    .execute()
}
