import type { Ctx } from '../core/context.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import { type FilterFields, filterSql, parseFilter } from '../core/query/filter/filter.ts'

/** What the bin can be filtered by (docs/reference/trash-bin.md). */
export const binEntryFields: FilterFields = {
  id: { type: 'string', column: 'id' },
  resource_type: { type: 'string', column: 'resource_type' },
  resource_name: { type: 'string', column: 'resource_name' },
  resource_id: { type: 'string', column: 'resource_id' },
}

/** The `filters` of the list, as a condition of its statement. */
export const binEntryFilterSql = ({ now, project: { timezone } }: Ctx, filters: unknown): Condition =>
  filterSql(parseFilter(filters, binEntryFields), { now, timezone })
