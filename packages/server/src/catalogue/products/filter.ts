import type { Ctx } from '../../core/context.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import {
  type FilterFields,
  filterSql,
  locationsIn,
  metadataField,
  parseFilter,
} from '../../core/query/filter/filter.ts'
import { listLocationShapes } from '../../definitions/locations/store.ts'
import { metadataTypes } from '../../definitions/metadata-schemas/rules.ts'

/**
 * The `filters` of a list of products or SKUs as a SQL condition (docs/reference/products.md#product-endpoints
 * and docs/reference/products.md#sku-endpoints).
 */
export async function catalogueFilterSql(ctx: Ctx, table: 'products' | 'skus', filters: unknown): Promise<Condition> {
  const { now, project } = ctx
  const filter = parseFilter(filters, catalogueListFields(table, await metadataTypes(ctx, 'product')))
  const locations = await listLocationShapes(ctx, locationsIn(filter))
  return filterSql(filter, { now, timezone: project.timezone }, { locations })
}

/** The fields by which lists filter products and SKUs. The name of an SKU can be filtered as `name` and as `sku`. */
export const catalogueListFields = (
  table: 'products' | 'skus',
  types: Parameters<typeof metadataField>[1],
): FilterFields => ({
  created_at: { type: 'datetime', column: 'created_at' },
  updated_at: { type: 'datetime', column: 'updated_at' },
  name: { type: 'string', column: table === 'products' ? 'name' : 'sku' },
  ...(table === 'skus' ? { sku: { type: 'string', column: 'sku' } } : {}),
  source_id: { type: 'string', column: 'source_id' },
  price: { type: 'number', column: 'price' },
  'metadata.*': metadataField('metadata', types),
})
