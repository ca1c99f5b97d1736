import { sql } from 'kysely'
import type { GoodIds } from '../../catalogue/products/goods.ts'
import type { Ctx } from '../../core/context.ts'
import { type ReferencedBy, referencesMax } from '../../core/in-use.ts'

/** Kinds of objects that a rule can reference by id. */
export type NamedObject = 'product' | 'sku' | 'products_collection' | 'segment'

/** The rules that reference one of these products or, if there are none, one of these SKUs. */
export const rulesReferencingGoods = async (ctx: Ctx, { products, skus }: GoodIds): Promise<ReferencedBy | null> =>
  asReferences(await rulesNaming(ctx, 'product', products)) ?? asReferences(await rulesNaming(ctx, 'sku', skus))

export const rulesReferencingCollection = async (
  ctx: Ctx,
  { collection_id }: { collection_id: string },
): Promise<ReferencedBy | null> => asReferences(await rulesNaming(ctx, 'products_collection', [collection_id]))

export const rulesReferencingSegment = async (
  ctx: Ctx,
  { segment_id }: { segment_id: string },
): Promise<ReferencedBy | null> => asReferences(await rulesNaming(ctx, 'segment', [segment_id]))

const asReferences = (found: { ids: string[]; total: number }): ReferencedBy | null =>
  found.total === 0 ? null : { type: 'validation_rules', ...found }

/**
 * The rules that reference one of these objects: in conditions, as included or excluded products, or in a bundle.
 * Products and SKUs are also found by their source ids. The same text in another condition, such as one about metadata,
 * is no reference.
 */
export async function rulesNaming(
  ctx: Ctx,
  object: NamedObject,
  ids: readonly string[],
): Promise<{ ids: string[]; total: number }> {
  if (ids.length === 0) return { ids: [], total: 0 }
  const names = [...ids, ...(await listSourceIds(ctx, object, ids))]
  const isNamed = places[object].map(
    ([column, path]) => sql`exists (
      select from jsonb_path_query(${sql.ref(column)}, ${path}::jsonpath) as named
      where named ->> 'id' = any(${names}::text[]) or named ->> 'source_id' = any(${names}::text[])
        or jsonb_typeof(named) = 'string' and named #>> '{}' = any(${names}::text[])
    )`,
  )
  const { rows } = await sql<{ id: string; total: number }>`
    select id, count(*) over () as total from validation_rules
    where project_id = ${ctx.project_id} and (${sql.join(isNamed, sql` or `)})
    order by id limit ${referencesMax}
  `.execute(ctx.db)
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 }
}

async function listSourceIds({ db, project_id }: Ctx, object: NamedObject, ids: readonly string[]): Promise<string[]> {
  if (object !== 'product' && object !== 'sku') return []
  const rows = await db
    .selectFrom(object === 'product' ? 'products' : 'skus')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .where('source_id', 'is not', null)
    .select('source_id')
    .execute()
  return rows.map(({ source_id }) => source_id as string)
}

const isOf = (object: NamedObject) => `@.object == "${object}"`
const hasNoObject = '!exists(@.object ? (@ != null))'

/** Whether the id of a reference, or its source id if it has no id, begins with the prefix. */
const hasPrefix = (prefix: string) =>
  `(exists(@.id ? (@ starts with "${prefix}")) ||
    !exists(@.id ? (@.type() == "string" && @ != "")) && exists(@.source_id ? (@ starts with "${prefix}")))`

const isCollection = `(@.type == "products_collection" || ${hasPrefix('pc_')})`

/** References without `object` are classified by their type and id prefix (docs/reference/rules.md#rule-names). */
const isReference = {
  product: `${isOf('product')} || ${hasNoObject} && !${isCollection} && !${hasPrefix('sku_')}`,
  sku: `${isOf('sku')} || ${hasNoObject} && !${isCollection} && !${hasPrefix('prod_')}`,
  products_collection: `${isOf('products_collection')} || ${hasNoObject} && ${isCollection}`,
}

/** The arguments of rules with one of these names. Sub-rules compare numbers and metadata: they contain no references. */
const argumentsOf = (...rules: string[]) =>
  `$.* ? (${rules.map((name) => `@.name == "${name}"`).join(' || ')}).conditions.*[*]`

const itemsRules = ['any', 'every', 'none', 'cheapest', 'most_expensive'].map((kind) => `order.items.${kind}`)

type Place = [column: 'rules' | 'applicable_to' | 'bundle_rules', path: string]

const goodsPlaces = (object: keyof typeof isReference): Place[] => [
  ['rules', `${argumentsOf(...itemsRules)} ? (${isReference[object]})`],
  ['applicable_to', `$.*[*] ? (${isOf(object)})`],
  ['bundle_rules', `$.*.conditions.*[*] ? (${isReference[object]})`],
]

/** The places in the JSON of a rule that reference such objects, in the SQL/JSON path language. */
const places: Record<NamedObject, Place[]> = {
  product: [...goodsPlaces('product'), ['rules', argumentsOf('product.id')]],
  sku: [...goodsPlaces('sku'), ['rules', argumentsOf('sku.id')]],
  products_collection: goodsPlaces('products_collection'),
  segment: [['rules', argumentsOf('customer.segment', 'customer_segment')]],
}
