import { useRead, useReads } from './queries.ts'

export type NamedKind = 'segment' | 'product' | 'sku' | 'collection' | 'customer' | 'loyalty tier'

/** Something that is known by an id, or by the id of the shop's own system. */
export interface Reference {
  kind: NamedKind
  id: string
}

const prefixes: readonly [prefix: string, kind: NamedKind][] = [
  ['seg_', 'segment'],
  ['prod_', 'product'],
  ['sku_', 'sku'],
  ['pc_', 'collection'],
  ['cust_', 'customer'],
  ['ltr_', 'loyalty tier'],
]

/** What an id is of, by its prefix. */
export const kindOf = (id: string): NamedKind | undefined => prefixes.find(([prefix]) => id.startsWith(prefix))?.[1]

/** More names than a person reads: the others stay ids, and no page asks for hundreds of objects. */
const namesMax = 40

/** The names of things that are referred to; undefined while they are read, and for what does not exist. */
export function useNames(references: readonly Reference[]): (id: string) => string | undefined {
  const wanted = new Map(references.map((reference) => [`${reference.kind} ${reference.id}`, reference]))
  const all = [...wanted.values()].slice(0, namesMax)
  const ids = (kind: NamedKind) => all.flatMap((reference) => (reference.kind === kind ? [reference.id] : []))
  const [segments, products, skus, collections, customers] = [
    ids('segment'),
    ids('product'),
    ids('sku'),
    ids('collection').filter((id) => id !== everything),
    ids('customer'),
  ]
  const found = [
    ...pairs(
      segments,
      useReads(
        'GET /v1/segments/{segmentId}',
        segments.map((segmentId) => ({ path: { segmentId } })),
      ),
      ({ name }) => name,
    ),
    ...pairs(
      products,
      useReads(
        'GET /v1/products/{productId}',
        products.map((productId) => ({ path: { productId } })),
      ),
      ({ name, source_id }) => name ?? source_id,
    ),
    ...pairs(
      skus,
      useReads(
        'GET /v1/skus/{skuId}',
        skus.map((skuId) => ({ path: { skuId } })),
      ),
      ({ sku, source_id }) => sku ?? source_id,
    ),
    ...pairs(
      collections,
      useReads(
        'GET /v1/product-collections/{productCollectionId}',
        collections.map((productCollectionId) => ({ path: { productCollectionId } })),
      ),
      ({ name }) => name,
    ),
    ...pairs(
      customers,
      useReads(
        'GET /v1/customers/{customerId}',
        customers.map((customerId) => ({ path: { customerId } })),
      ),
      ({ name, email, source_id }) => name ?? email ?? source_id,
    ),
    ...useTierNames(ids('loyalty tier').length > 0),
  ]
  const names = new Map<string, string>([[everything, 'any product'], ...found])
  return (id) => names.get(id)
}

/** The collection of all products, which every project has. */
const everything = 'pc_a11pr0dUc75'

function pairs<Thing>(
  ids: readonly string[],
  things: readonly (Thing | undefined)[],
  nameOf: (thing: Thing) => string | null | undefined,
): [string, string][] {
  return ids.flatMap((id, index) => {
    const thing = things[index]
    const name = thing === undefined ? undefined : nameOf(thing)
    return name ? [[id, name] as [string, string]] : []
  })
}

/** The API knows tiers by their program only, and a project has few programs. */
function useTierNames(isNeeded: boolean): [string, string][] {
  const programs = useRead('GET /v1/loyalties', { query: { limit: 20 } }, { enabled: isNeeded })
  const tiers = useReads(
    'GET /v1/loyalties/{campaignId}/tiers',
    (programs.data?.campaigns ?? []).map(({ id }) => ({ path: { campaignId: id }, query: {} })),
  )
  return tiers.flatMap((list) => (list?.data ?? []).map(({ id, name }) => [id, name] as [string, string]))
}
