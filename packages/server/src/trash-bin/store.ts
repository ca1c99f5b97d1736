import type { Insertable, Selectable } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { BinEntryRow } from '../core/db/tables.ts'
import { notFound } from '../core/http/errors.ts'
import { newId } from '../core/lib/ids.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import { cursorOf } from '../core/query/list.ts'
import type { BinEntry, BinEntryQuery } from './schema.ts'

export type BinnedResource = Pick<
  Insertable<BinEntryRow>,
  'resource_type' | 'resource_id' | 'resource_name' | 'resource_parent_id'
>

export async function listBinEntries(
  { db, project_id }: Ctx,
  query: BinEntryQuery,
  where: Condition[],
): Promise<{ entries: BinEntry[]; has_more: boolean; more_starting_after?: string }> {
  const { rows, ...more } = await cursorOf(
    db.selectFrom('bin_entries').where('project_id', '=', project_id).selectAll(),
    query,
    { columns: { id: 'id' }, default_order: 'id', where },
  )
  return { entries: rows.map(toBinEntry), ...more }
}

/** Writes down what the caller has just hidden; what is in the bin already stays as it is. */
export async function insertBinEntry({ db, project_id, now }: Ctx, resource: BinnedResource): Promise<void> {
  await db
    .insertInto('bin_entries')
    .values({ ...resource, project_id, id: newId('bin_entry', Date.parse(now)), created_at: now })
    .onConflict((conflict) => conflict.columns(['project_id', 'resource_type', 'resource_id']).doNothing())
    .execute()
}

/** Takes an entry out of the bin, together with the right to destroy what it stands for: only one caller gets it. */
export async function deleteBinEntry({ db, project_id }: Ctx, id: string): Promise<BinnedResource> {
  const row = await db
    .deleteFrom('bin_entries')
    .where('project_id', '=', project_id)
    .where('id', '=', id as BinEntryRow['id'])
    .returning(['resource_type', 'resource_id', 'resource_name', 'resource_parent_id'])
    .executeTakeFirst()
  if (row === undefined) throw notFound('trash_bin_entry', id)
  return row
}

/** Forgets the entry of something that was destroyed in another way, if it has one. */
export async function deleteBinEntryOf(
  { db, project_id }: Ctx,
  resource_type: BinEntryRow['resource_type'],
  resource_id: string,
): Promise<void> {
  await db
    .deleteFrom('bin_entries')
    .where('project_id', '=', project_id)
    .where('resource_type', '=', resource_type)
    .where('resource_id', '=', resource_id)
    .execute()
}

/** Forgets the vouchers of a destroyed campaign, or the SKUs of a destroyed product (docs/reference/trash-bin.md). */
export async function deleteBinEntriesOf(
  { db, project_id }: Ctx,
  parent: { campaign_id: string } | { product_id: string },
): Promise<void> {
  await db
    .deleteFrom('bin_entries')
    .where('project_id', '=', project_id)
    .where('resource_parent_id', '=', 'campaign_id' in parent ? parent.campaign_id : parent.product_id)
    .execute()
}

function toBinEntry(row: Selectable<BinEntryRow>): BinEntry {
  const { id, created_at, resource_id, resource_type, resource_name, resource_parent_id } = row
  return {
    id,
    created_at,
    deleted_by_user_id: null,
    resource_id,
    resource_type,
    resource_name,
    resource_parent_id,
    object: resource_type,
  }
}
