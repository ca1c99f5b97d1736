import type { Filter } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { allProductsId } from '../../core/db/built-in-collections.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { type Condition, yes } from '../../core/query/filter/conditions.ts'
import type { FilterField } from '../../core/query/filter/field.ts'
import {
  type FilterFields,
  filterSql,
  locationsIn,
  metadataField,
  parseFilter,
} from '../../core/query/filter/filter.ts'
import { listLocationShapes } from '../../definitions/locations/store.ts'
import { metadataTypes } from '../../definitions/metadata-schemas/rules.ts'
import type { ProductCollection } from './schema.ts'

/** Checks the filter of an AUTO_UPDATE collection and returns it as stored (docs/reference/product-collections.md#endpoints). */
export async function readCollectionFilter(ctx: Ctx, sent: Filter | null | undefined): Promise<Filter> {
  const { junction, ...fields } = sent ?? {}
  if (junction === undefined || junction === null) throw invalidPayload(filterRequired)
  const word = typeof junction === 'string' ? junction.toLowerCase() : null
  if (word !== 'and' && word !== 'or')
    throw invalidPayload('Property .filter has wrong junction property. It must be one of: and, or')
  const filter = { junction: word, ...fields }
  const parsed = parseFilter(filter, await fieldsOf(ctx), { refuse: invalidPayload, property: '.filter' })
  if (parsed.fields.length === 0) throw invalidPayload(filterRequired)
  if (Buffer.byteLength(JSON.stringify(filter)) > limits.filter_bytes_max)
    throw invalidPayload(`Property .filter must NOT be larger than ${limits.filter_bytes_max} bytes`)
  return filter
}

const filterRequired = "'AUTO_UPDATE' collection must contain valid filter with 'junction' property"

/** The members of a collection as a SQL condition on the `goods` rows of list-products.ts. */
export async function membershipSql(ctx: Ctx, { id, filter, products }: ProductCollection): Promise<Condition> {
  if (id === allProductsId) return yes
  if (products !== undefined) return sql`id = any(${products.map((member) => member.id)}::text[])`
  const parsed = parseFilter(filter, await fieldsOf(ctx))
  const locations = await listLocationShapes(ctx, locationsIn(parsed))
  return filterSql(parsed, { now: ctx.now, timezone: ctx.project.timezone }, { locations })
}

const fieldsOf = async (ctx: Ctx): Promise<FilterFields> => goodsFields(await metadataTypes(ctx, 'product'))

/** The filter fields of products and SKUs, with the types of their metadata keys. */
export const goodsFields = (types: MetadataTypes): FilterFields => ({
  ...plainFields,
  'metadata.*': metadataOfGoods(types),
})

type MetadataTypes = Awaited<ReturnType<typeof metadataTypes>>

/** A key with a dot may also be a path into a nested object, as on order lines; metadata has at most two levels. */
function metadataOfGoods(types: MetadataTypes): (key: string) => FilterField {
  return (key) => {
    const [outer, inner, ...deeper] = key.split('.')
    if (inner === undefined || deeper.length > 0) return metadataField('metadata', types)(key)
    const nested = sql`metadata -> ${outer}::text -> ${inner}::text`
    const keyOrPath = sql`jsonb_build_object(${key}::text, coalesce(metadata -> ${key}::text, ${nested}))`
    return metadataField(keyOrPath, types)(key)
  }
}

/**
 * The fields other than metadata; the engine reads the same fields of an order line
 * (docs/reference/product-collections.md#filter-fields).
 */
const plainFields: FilterFields = {
  id: { type: 'string', column: 'id' },
  product_id: { type: 'string', column: 'product_id' },
  source_id: { type: 'string', column: 'source_id' },
  name: { type: 'string', column: 'name' },
  price: { type: 'number', column: 'line_price' },
  object: { type: 'string', column: 'object' },
  attributes: { type: 'array', column: 'attribute_values' },
  image_url: { type: 'string', column: 'image_url' },
  skus: { type: 'array', column: 'sku_ids' },
  created_at: { type: 'datetime', column: 'created_at' },
  updated_at: { type: 'datetime', column: 'updated_at' },
}
