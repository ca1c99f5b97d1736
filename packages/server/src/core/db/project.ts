import type { Db } from './database.ts'
import type { Project } from './project-row.ts'

/** Finds a project that is not deleted. Every request and every background run starts with this. */
export async function findProject(db: Db, id: string): Promise<Project | null> {
  const row = await db
    .selectFrom('projects')
    .where('id', '=', id as Project['id'])
    .where('deleted_at', 'is', null)
    .selectAll()
    .executeTakeFirst()
  return row ?? null
}
