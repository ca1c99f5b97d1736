import type { Selectable } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { BinEntryRow } from '../core/db/tables.ts'
import type { BinnedResource } from '../core/db/trash-bin.ts'
import { notFound } from '../core/http/errors.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import { cursorOf } from '../core/query/list.ts'
import type { BinEntry, BinEntryQuery } from './schema.ts'

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

/** Deletes an entry and returns its resource, which the caller then destroys: of concurrent requests, only one gets it. */
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
