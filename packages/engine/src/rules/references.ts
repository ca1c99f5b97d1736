import type { GoodIds, Item } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import { isInCollection } from '../goods.ts'
import { isRecord, ownEntry } from '../values.ts'
import { argumentsMax, type FaultReporter, reportUnknownOperator } from './conditions.ts'

export type Matcher = (item: Item, scope: EvaluationScope) => boolean

export const anything: Matcher = () => true

/** A reference to a product, an SKU or a collection; `product_or_sku` when the type is not given. */
export interface ItemReference {
  ids: readonly string[]
  object: 'product' | 'sku' | 'product_or_sku' | 'products_collection'
}

/**
 * Parses a reference in a rule's argument (docs/reference/rules.md#rule-names), or returns null. `forcedObject` overrides
 * the reference's own type.
 */
export function readReference(argument: unknown, forcedObject?: 'product' | 'sku'): ItemReference | null {
  // The older rule names also accept plain ids.
  const { id, source_id, object, type } =
    typeof argument === 'string' && forcedObject !== undefined ? { id: argument } : asRecord(argument)
  const ids = [id, source_id].filter((id): id is string => typeof id === 'string' && id !== '')
  const [first] = ids
  if (first === undefined) return null
  if (forcedObject !== undefined) return { ids, object: forcedObject }
  if (object === 'product' || object === 'sku' || object === 'products_collection') return { ids, object }
  if (object != null) return null
  if (type === 'products_collection' || first.startsWith('pc_')) return { ids, object: 'products_collection' }
  if (type != null && type !== 'product_or_sku') return null
  return { ids, object: first.startsWith('sku_') ? 'sku' : first.startsWith('prod_') ? 'product' : 'product_or_sku' }
}

const asRecord = (argument: unknown): { id?: unknown; source_id?: unknown; object?: unknown; type?: unknown } =>
  isRecord(argument) ? argument : {}

/** Whether a line sells one of the referenced goods. */
export function matcherOf(references: readonly ItemReference[]): Matcher {
  const idsOf = (...objects: Array<ItemReference['object']>): ReadonlySet<string> =>
    new Set(references.filter(({ object }) => objects.includes(object)).flatMap(({ ids }) => ids))
  const skus = idsOf('sku', 'product_or_sku')
  const products = idsOf('product', 'product_or_sku')
  const collections = [...idsOf('products_collection')]
  return (item, scope) => {
    if (hasIdIn(item.sku, skus) || hasIdIn(item.product, products)) return true
    for (const id of collections) if (isInCollection(item, id, scope)) return true
    return false
  }
}

const hasIdIn = (goodIds: GoodIds | null, ids: ReadonlySet<string>): boolean =>
  goodIds !== null && ids.size > 0 && (ids.has(goodIds.id ?? '') || ids.has(goodIds.source_id ?? ''))

/** Compiles the conditions of a rule about items to matchers; faults go to `reportFault`. */
export function referenceMatchers(
  conditions: Readonly<Record<string, unknown>>,
  object: 'product' | 'sku' | undefined,
  reportFault: FaultReporter,
): { isInPool: Matcher; matches: Matcher } {
  const referencesByRole: Record<'wanted' | 'unwanted' | 'pool', ItemReference[]> = {
    wanted: [],
    unwanted: [],
    pool: [],
  }
  for (const [operator, args] of Object.entries(conditions)) {
    const role = ownEntry(referenceRoles, operator)
    if (role === undefined) {
      reportUnknownOperator(operator, referenceRoles, reportFault)
      continue
    }
    const references = readReferences(operator, args, object)
    if (typeof references === 'string') reportFault(references)
    else referencesByRole[role].push(...references)
  }
  const [wanted, unwanted, pool] = [referencesByRole.wanted, referencesByRole.unwanted, referencesByRole.pool].map(
    (references) => (references.length === 0 ? null : matcherOf(references)),
  )
  const isWanted = wanted ?? anything
  return {
    isInPool: pool ?? anything,
    matches: unwanted == null ? isWanted : (item, scope) => isWanted(item, scope) && !unwanted(item, scope),
  }
}

function readReferences(operator: string, args: unknown, object?: 'product' | 'sku'): ItemReference[] | string {
  const list = object !== undefined && typeof args === 'string' ? [args] : args
  if (!Array.isArray(list)) return `must have an array of arguments for '${operator}'`
  if (list.length === 0) return `must have an argument for '${operator}'`
  if (list.length > argumentsMax) return `must not have more than ${argumentsMax} arguments for '${operator}'`
  const references = list.map((argument) => readReference(argument, object)).filter((reference) => reference !== null)
  const isFaulty = references.length < list.length
  return isFaulty ? `must have products, SKUs or collections as arguments for '${operator}'` : references
}

/** Every operator of rules about items, and the role of its references. */
export const referenceRoles: Readonly<Record<string, 'wanted' | 'unwanted' | 'pool'>> = {
  $is: 'wanted',
  $in: 'wanted',
  $is_not: 'unwanted',
  $not_in: 'unwanted',
  $from: 'pool',
}
