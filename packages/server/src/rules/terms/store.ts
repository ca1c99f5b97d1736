import { createHash } from 'node:crypto'
import type { Db } from '../../core/db/database.ts'
import type { Terms } from '../../core/db/tables.ts'
import { type Id, idPrefix } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'

/**
 * Inserts terms and returns their id. Terms are immutable (a trigger enforces it): a change creates new terms. The id is
 * a hash of the content, so that a million vouchers with the same terms share one row, however they were created.
 */
export async function insertTerms(db: Db, projectId: string, content: Terms, now: Instant): Promise<Id<'terms'>> {
  const [id] = await insertManyTerms(db, projectId, [content], now)
  return id as Id<'terms'>
}

/** The same for several terms in one statement; the ids are in the order of the contents. */
export async function insertManyTerms(
  db: Db,
  projectId: string,
  contents: readonly Terms[],
  now: Instant,
): Promise<Array<Id<'terms'>>> {
  const ids = contents.map(idOfTerms)
  const rows = new Map(ids.map((id, index) => [id, { project_id: projectId, id, content: canonical(contents[index]) }]))
  if (rows.size > 0)
    await db
      .insertInto('terms')
      .values([...rows.values()].map((row) => ({ ...row, created_at: now })))
      .onConflict((conflict) => conflict.columns(['project_id', 'id']).doNothing())
      .execute()
  return ids
}

/** Terms by id; unknown ids are skipped. Every node may cache them without limit of time, since terms are immutable. */
export async function findTerms(
  db: Db,
  projectId: string,
  ids: readonly Id<'terms'>[],
): Promise<Map<Id<'terms'>, Terms>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('terms')
    .where('project_id', '=', projectId)
    .where('id', 'in', ids)
    .select(['id', 'content'])
    .execute()
  return new Map(rows.map(({ id, content }) => [id, content]))
}

function idOfTerms(content: Terms): Id<'terms'> {
  const digest = createHash('sha256').update(canonical(content)).digest('hex')
  return `${idPrefix('terms')}${digest.slice(0, 32)}` as Id<'terms'>
}

/** JSON with sorted member names, so that equal terms have equal text. */
const canonical = (content: unknown): string =>
  JSON.stringify(content, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
