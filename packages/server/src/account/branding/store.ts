import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { BrandingRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Branding, BrandingDetails } from './schema.ts'

/** The branding of a project, if it has one. */
export async function findBranding(db: Db, projectId: string): Promise<Branding | undefined> {
  const row = await db.selectFrom('brandings').where('project_id', '=', projectId).selectAll().executeTakeFirst()
  return row === undefined ? undefined : toBranding(row)
}

/** With `lock`, locked until commit: an update merges into what it has read. */
export async function getBranding(
  { db, project_id }: Ctx,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Branding> {
  const query = db
    .selectFrom('brandings')
    .where('project_id', '=', project_id)
    .where('id', '=', id as BrandingRow['id'])
    .selectAll()
  const row = await (lock ? query.forUpdate() : query).executeTakeFirst()
  if (row === undefined) throw notFound('branding_details', id)
  return toBranding(row)
}

/** Inserts the branding of a project; undefined if it has one already. */
export async function insertBranding(
  { db, project_id, now }: Ctx,
  details: BrandingDetails,
): Promise<Branding | undefined> {
  const row = await db
    .insertInto('brandings')
    .values({
      project_id,
      id: newId('branding'),
      details: JSON.stringify(details),
      created_at: now,
      updated_at: null,
    })
    .onConflict((conflict) => conflict.column('project_id').doNothing())
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? undefined : toBranding(row)
}

export async function updateBranding(
  { db, project_id, now }: Ctx,
  id: string,
  details: BrandingDetails,
): Promise<Branding> {
  const row = await db
    .updateTable('brandings')
    .set({ details: JSON.stringify(details), updated_at: now })
    .where('project_id', '=', project_id)
    .where('id', '=', id as BrandingRow['id'])
    .returningAll()
    .executeTakeFirstOrThrow()
  return toBranding(row)
}

export async function deleteBranding({ db, project_id }: Ctx, id: string): Promise<void> {
  await db
    .deleteFrom('brandings')
    .where('project_id', '=', project_id)
    .where('id', '=', id as BrandingRow['id'])
    .execute()
}

const toBranding = ({ id, details }: Selectable<BrandingRow>): Branding => ({ id, ...(details as BrandingDetails) })
