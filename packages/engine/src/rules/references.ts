import type { Item, Known } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import { isInCollection } from '../goods.ts'
import { isRecord, ownEntry } from '../values.ts'
import { argumentsMax } from './conditions.ts'

export type Matcher = (item: Item, scene: EvaluationScope) => boolean

export const anything: Matcher = () => true

/** A product, an SKU or a collection; where nothing says which of the first two, either. */
export interface ItemReference {
  ids: readonly string[]
  object: 'product' | 'sku' | 'product_or_sku' | 'products_collection'
}

/**
 * Reads the reference of a rule's argument (docs/reference/rules.md#rule-names), or answers null. A forced object beats what it
 * says itself.
 */
export function readReference(given: unknown, forced?: 'product' | 'sku'): ItemReference | null {
  // The old spellings also wrote bare ids.
  const { id, source_id, object, type } =
    typeof given === 'string' && forced !== undefined ? { id: given } : asRecord(given)
  const ids = [id, source_id].filter((id): id is string => typeof id === 'string' && id !== '')
  const [first] = ids
  if (first === undefined) return null
  if (forced !== undefined) return { ids, object: forced }
  if (object === 'product' || object === 'sku' || object === 'products_collection') return { ids, object }
  if (object != null) return null
  if (type === 'products_collection' || first.startsWith('pc_')) return { ids, object: 'products_collection' }
  if (type != null && type !== 'product_or_sku') return null
  return { ids, object: first.startsWith('sku_') ? 'sku' : first.startsWith('prod_') ? 'product' : 'product_or_sku' }
}

const asRecord = (given: unknown): { id?: unknown; source_id?: unknown; object?: unknown; type?: unknown } =>
  isRecord(given) ? given : {}

/** Whether a line sells what one of the references names. */
export function matcherOf(references: readonly ItemReference[]): Matcher {
  const idsOf = (...objects: Array<ItemReference['object']>): ReadonlySet<string> =>
    new Set(references.filter(({ object }) => objects.includes(object)).flatMap(({ ids }) => ids))
  const skus = idsOf('sku', 'product_or_sku')
  const products = idsOf('product', 'product_or_sku')
  const collections = [...idsOf('products_collection')]
  return (item, scene) => {
    if (isOneOf(item.sku, skus) || isOneOf(item.product, products)) return true
    for (const id of collections) if (isInCollection(item, id, scene)) return true
    return false
  }
}

const isOneOf = (known: Known | null, ids: ReadonlySet<string>): boolean =>
  known !== null && ids.size > 0 && (ids.has(known.id ?? '') || ids.has(known.source_id ?? ''))

/** How the conditions of a rule about items pick lines; what is wrong with them is told to `refuse`. */
export function referenceMatchers(
  conditions: Readonly<Record<string, unknown>>,
  object: 'product' | 'sku' | undefined,
  refuse: (fault: string) => void,
): { isInPool: Matcher; matches: Matcher } {
  const named: Record<'wanted' | 'unwanted' | 'pool', ItemReference[]> = { wanted: [], unwanted: [], pool: [] }
  for (const [operator, given] of Object.entries(conditions)) {
    const role = ownEntry(referenceRoles, operator)
    if (role === undefined) {
      refuse(`has an unknown operator '${operator}'`)
      continue
    }
    const references = readReferences(operator, given, object)
    if (typeof references === 'string') refuse(references)
    else named[role].push(...references)
  }
  const [wanted, unwanted, pool] = [named.wanted, named.unwanted, named.pool].map((references) =>
    references.length === 0 ? null : matcherOf(references),
  )
  const isWanted = wanted ?? anything
  return {
    isInPool: pool ?? anything,
    matches: unwanted == null ? isWanted : (item, scene) => isWanted(item, scene) && !unwanted(item, scene),
  }
}

function readReferences(operator: string, given: unknown, object?: 'product' | 'sku'): ItemReference[] | string {
  const list = object !== undefined && typeof given === 'string' ? [given] : given
  if (!Array.isArray(list)) return `must have an array of arguments for '${operator}'`
  if (list.length === 0) return `must have an argument for '${operator}'`
  if (list.length > argumentsMax) return `must not have more than ${argumentsMax} arguments for '${operator}'`
  const references = list.map((argument) => readReference(argument, object)).filter((reference) => reference !== null)
  const isFaulty = references.length < list.length
  return isFaulty ? `must have products, SKUs or collections as arguments for '${operator}'` : references
}

/** Every operator of the rules about items, and what the goods are that it names. */
export const referenceRoles: Readonly<Record<string, 'wanted' | 'unwanted' | 'pool'>> = {
  $is: 'wanted',
  $in: 'wanted',
  $is_not: 'unwanted',
  $not_in: 'unwanted',
  $from: 'pool',
}
