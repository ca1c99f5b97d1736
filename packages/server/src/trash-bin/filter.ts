import type { Ctx } from '../core/context.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import { type FilterFields, filterSql, parseFilter } from '../core/query/filter/filter.ts'

/** The fields by which the bin is filtered (docs/reference/trash-bin.md). */
export const binEntryFields: FilterFields = {
  id: { type: 'string', column: 'id' },
  resource_type: { type: 'string', column: 'resource_type' },
  resource_name: { type: 'string', column: 'resource_name' },
  resource_id: { type: 'string', column: 'resource_id' },
}

/** The `filters` of the list as an SQL condition. */
export const binEntryFilterSql = ({ now, project: { timezone } }: Ctx, filters: unknown): Condition =>
  filterSql(parseFilter(filters, binEntryFields), { now, timezone })
