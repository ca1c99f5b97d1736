import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { ReferencedBy } from '../../core/in-use.ts'

/** The referral tiers that refer to a segment. */
export async function referralTiersReferencing(
  { db, project_id }: Ctx,
  { segment_id }: { segment_id: string },
): Promise<ReferencedBy | null> {
  const rows = await db
    .selectFrom('referral_tiers')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`parameters -> 'segment' ->> 'id' = ${segment_id}`)
    .orderBy('id')
    .select('id')
    .execute()
  return toReferencedBy('referral_tier', rows)
}

/** The campaigns whose referral program converts by events of a schema. */
export async function referralProgramsReferencing(
  { db, project_id }: Ctx,
  { schema_id }: { schema_id: string },
): Promise<ReferencedBy | null> {
  const rows = await db
    .selectFrom('campaigns')
    .where('project_id', '=', project_id)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`referral_program -> 'custom_event' ->> 'id' = ${schema_id}`)
    .orderBy('id')
    .select('id')
    .execute()
  return toReferencedBy('campaign', rows)
}

const toReferencedBy = (type: string, rows: ReadonlyArray<{ id: string }>): ReferencedBy | null =>
  rows.length === 0 ? null : { type, ids: rows.map(({ id }) => id), total: rows.length }
