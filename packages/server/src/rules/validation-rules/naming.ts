import { sql } from 'kysely'
import type { GoodIds } from '../../catalogue/products/goods.ts'
import type { Ctx } from '../../core/context.ts'
import { type ReferencedBy, referencesMax } from '../../core/in-use.ts'

/** What a rule can name by its id. */
export type NamedObject = 'product' | 'sku' | 'products_collection' | 'segment'

/** The rules that name one of some products or, where there are none, one of some SKUs. */
export const rulesNamingGoods = async (ctx: Ctx, { products, skus }: GoodIds): Promise<ReferencedBy | null> =>
  asReferences(await rulesNaming(ctx, 'product', products)) ?? asReferences(await rulesNaming(ctx, 'sku', skus))

export const rulesNamingCollection = async (
  ctx: Ctx,
  { collection_id }: { collection_id: string },
): Promise<ReferencedBy | null> => asReferences(await rulesNaming(ctx, 'products_collection', [collection_id]))

export const rulesNamingSegment = async (
  ctx: Ctx,
  { segment_id }: { segment_id: string },
): Promise<ReferencedBy | null> => asReferences(await rulesNaming(ctx, 'segment', [segment_id]))

const asReferences = (found: { ids: string[]; total: number }): ReferencedBy | null =>
  found.total === 0 ? null : { type: 'validation_rules', ...found }

/**
 * The rules that name one of some objects: in conditions, as goods they cover or leave out, or in a bundle. Products and SKUs are also found by their source ids; the same text in a condition about
 * something else, such as metadata, names nothing.
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
const saysNothing = '!exists(@.object ? (@ != null))'

/** Whether the id of a reference begins so, or its source id where that is all it has. */
const begins = (prefix: string) =>
  `(exists(@.id ? (@ starts with "${prefix}")) ||
    !exists(@.id ? (@.type() == "string" && @ != "")) && exists(@.source_id ? (@ starts with "${prefix}")))`

const isCollection = `(@.type == "products_collection" || ${begins('pc_')})`

/** Goods that do not say what they are go by their type and by what they begin with (docs/reference/rules.md#rule-names). */
const isReference = {
  product: `${isOf('product')} || ${saysNothing} && !${isCollection} && !${begins('sku_')}`,
  sku: `${isOf('sku')} || ${saysNothing} && !${isCollection} && !${begins('prod_')}`,
  products_collection: `${isOf('products_collection')} || ${saysNothing} && ${isCollection}`,
}

/** The arguments of rules with one of some names. Sub-rules compare numbers and metadata: they name nothing. */
const argumentsOf = (...rules: string[]) =>
  `$.* ? (${rules.map((name) => `@.name == "${name}"`).join(' || ')}).conditions.*[*]`

const itemsRules = ['any', 'every', 'none', 'cheapest', 'most_expensive'].map((kind) => `order.items.${kind}`)

type Place = [column: 'rules' | 'applicable_to' | 'bundle_rules', path: string]

const goodsPlaces = (object: keyof typeof isReference): Place[] => [
  ['rules', `${argumentsOf(...itemsRules)} ? (${isReference[object]})`],
  ['applicable_to', `$.*[*] ? (${isOf(object)})`],
  ['bundle_rules', `$.*.conditions.*[*] ? (${isReference[object]})`],
]

/** Where the JSON of a rule names such objects, in the path language of PostgreSQL. */
const places: Record<NamedObject, Place[]> = {
  product: [...goodsPlaces('product'), ['rules', argumentsOf('product.id')]],
  sku: [...goodsPlaces('sku'), ['rules', argumentsOf('sku.id')]],
  products_collection: goodsPlaces('products_collection'),
  segment: [['rules', argumentsOf('customer.segment', 'customer_segment')]],
}
