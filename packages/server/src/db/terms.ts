import { type Id, newId } from '../lib/ids.ts'
import type { Instant } from '../lib/instant.ts'
import type { Db } from './connect.ts'

/** Writes terms and answers their id. They never change (the database refuses it): a change of mind is new terms. */
export async function insertTerms(db: Db, project_id: string, content: object, now: Instant): Promise<Id<'terms'>> {
  const id = newId('terms')
  await db
    .insertInto('terms')
    .values({ project_id, id, content: JSON.stringify(content), created_at: now })
    .execute()
  return id
}

/** Some terms by id. What never changes may be kept in memory for ever, on every node; those not found are left out. */
export async function findTerms(
  db: Db,
  project_id: string,
  ids: readonly Id<'terms'>[],
): Promise<Map<Id<'terms'>, object>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('terms')
    .where('project_id', '=', project_id)
    .where('id', 'in', ids)
    .select(['id', 'content'])
    .execute()
  return new Map(rows.map(({ id, content }) => [id, content]))
}
