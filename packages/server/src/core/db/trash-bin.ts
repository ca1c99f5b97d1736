import type { Insertable } from 'kysely'
import { newId } from '../lib/ids.ts'
import type { Instant } from '../lib/instant.ts'
import type { Db } from './database.ts'
import type { BinEntryRow } from './tables.ts'

export type BinnedResource = Pick<
  Insertable<BinEntryRow>,
  'resource_type' | 'resource_id' | 'resource_name' | 'resource_parent_id'
>

interface InProject {
  db: Db
  project_id: string
}

/** Adds an entry for a resource that the caller has soft-deleted; an existing entry stays unchanged. */
export async function insertBinEntry(
  { db, project_id, now }: InProject & { now: Instant },
  resource: BinnedResource,
): Promise<void> {
  await db
    .insertInto('bin_entries')
    .values({ ...resource, project_id, id: newId('bin_entry', Date.parse(now)), created_at: now })
    .onConflict((conflict) => conflict.columns(['project_id', 'resource_type', 'resource_id']).doNothing())
    .execute()
}

/** Deletes the entry, if any, of a resource that was deleted for good without the bin. */
export async function deleteBinEntryOf(
  { db, project_id }: InProject,
  resourceType: BinEntryRow['resource_type'],
  resourceId: string,
): Promise<void> {
  await db
    .deleteFrom('bin_entries')
    .where('project_id', '=', project_id)
    .where('resource_type', '=', resourceType)
    .where('resource_id', '=', resourceId)
    .execute()
}

/** Deletes the entries of the vouchers of a deleted campaign, or of the SKUs of a deleted product (docs/reference/trash-bin.md). */
export async function deleteBinEntriesOf(
  { db, project_id }: InProject,
  parent: { campaign_id: string } | { product_id: string },
): Promise<void> {
  await db
    .deleteFrom('bin_entries')
    .where('project_id', '=', project_id)
    .where('resource_parent_id', '=', 'campaign_id' in parent ? parent.campaign_id : parent.product_id)
    .execute()
}
