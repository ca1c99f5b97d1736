import type { MetadataType } from '@guerdon/engine/schema'
import type { Ctx } from '../core/context.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import { type FilterFields, filterSql, locationsIn, metadataField, parseFilter } from '../core/query/filter/filter.ts'
import { listLocationShapes } from '../definitions/locations/store.ts'
import { metadataTypes } from '../definitions/metadata-schemas/rules.ts'

/**
 * The fields by which lists filter orders (docs/reference/orders.md#endpoints). An order without a discount matches 0 here,
 * although the order object omits the field.
 */
export const orderFields = (types: Readonly<Record<string, MetadataType>>): FilterFields => ({
  created_at: { type: 'datetime', column: 'orders.created_at' },
  updated_at: { type: 'datetime', column: 'orders.updated_at' },
  status: { type: 'string', column: 'orders.status' },
  source_id: { type: 'string', column: 'orders.source_id' },
  customer_id: { type: 'string', column: 'orders.customer_id' },
  amount: { type: 'number', column: 'orders.amount' },
  total_amount: { type: 'number', column: 'orders.total_amount' },
  discount_amount: { type: 'number', column: 'orders.discount_amount' },
  'metadata.*': metadataField('orders.metadata', types),
})

/** The `filters` of a list of orders as a SQL condition. */
export async function orderFilterSql(ctx: Ctx, filters: unknown): Promise<Condition> {
  const filter = parseFilter(filters, orderFields(await metadataTypes(ctx, 'order')))
  const locations = await listLocationShapes(ctx, locationsIn(filter))
  return filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone }, { locations })
}
