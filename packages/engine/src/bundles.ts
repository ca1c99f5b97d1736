import type { Cart, Line } from './cart.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import { memoize } from './memoize.ts'
import { isRuleKey, parseLogic, ruleKeys } from './rules/logic.ts'
import { type ItemReference, type Matcher, matcherOf, readReference } from './rules/references.ts'
import type { BundleResult, BundleRules, ValidationRule } from './schema/index.ts'
import { isRecord, isScalar, toNumber } from './values.ts'

/**
 * Counts the complete bundles in an order (docs/reference/rules.md#bundle-rules); null when no rule has bundle rules. Units
 * are allocated to SKUs first, then to products, then to collections, in line order, and each unit counts once. With
 * several bundle rules each must be met on its own: the one with the fewest bundles is the result.
 *
 * 1 green tea and 2 teas of any kind, in an order of 3 green and 3 black: two bundles, since three would need 9 units.
 * /
 */
export function findBundles(
  rules: readonly ValidationRule[],
  cart: Cart | null,
  scope: EvaluationScope,
): BundleResult | null {
  let smallestResult: BundleResult | null = null
  for (const { bundle_rules } of rules) {
    const bundle = isRecord(bundle_rules) ? compileBundle(bundle_rules) : null
    if (bundle === null) continue
    const result = findBundle(bundle, cart?.lines ?? [], scope)
    if (smallestResult === null || result.quantity < smallestResult.quantity) smallestResult = result
  }
  return smallestResult
}

/** Faults of bundle rules as texts for `details`; empty when they are valid. */
export function checkBundleRules(bundleRules: unknown): string[] {
  const faults: string[] = []
  readBundle(bundleRules, (fault) => faults.push(fault))
  return faults
}

interface Bundle {
  readonly limit: number
  readonly demands: readonly Demand[]
}

/** The units of one good, or of one collection, that a bundle needs. */
interface Demand {
  readonly reference: ItemReference
  readonly matches: Matcher
  readonly quantity: number
}

const limitMax = 100
const demandsMax = 100
/** The product with the largest limit is still a safe integer. */
const quantityMax = 1_000_000_000

const compileBundle = memoize((bundleRules: BundleRules): Bundle | null => {
  let isFaulty = false
  const bundle = readBundle(bundleRules, () => {
    isFaulty = true
  })
  // An invalid demand can never be met.
  return isFaulty && bundle !== null ? { ...bundle, demands: [...bundle.demands, impossibleDemand] } : bundle
})

const impossibleDemand: Demand = {
  reference: { ids: ['unknown'], object: 'product' },
  matches: () => false,
  quantity: 1,
}

function readBundle(bundleRules: unknown, reportFault: (fault: string) => void): Bundle | null {
  if (bundleRules === undefined || bundleRules === null) return null
  if (!isRecord(bundleRules)) {
    reportFault('Bundle rules must be an object')
    return null
  }
  const { limit: sentLimit = null, logic = null } = bundleRules
  const keys = ruleKeys(bundleRules, ['limit'])
  if (keys.length === 0) return null
  const limit = sentLimit === null ? 1 : isWhole(sentLimit, limitMax) ? sentLimit : 0
  if (limit === 0) reportFault(`Bundle rules must have a 'limit' from 1 to ${limitMax}`)
  checkLogic(logic, bundleRules, reportFault)
  if (keys.length > demandsMax) reportFault(`Bundle rules must not be more than ${demandsMax}`)
  const demands = keys.slice(0, demandsMax).flatMap((key) => readDemand(key, bundleRules[key], reportFault) ?? [])
  // Stable sort: within a kind, the lower key comes first.
  demands.sort((a, b) => ranks[a.reference.object] - ranks[b.reference.object])
  return { limit: Math.max(1, limit), demands }
}

/** Every numbered rule is required regardless of `logic`, but `logic` must not name a missing rule. */
function checkLogic(logic: unknown, bundleRules: Record<string, unknown>, reportFault: (fault: string) => void): void {
  if (logic === null) return
  const parsed = typeof logic === 'string' ? parseLogic(logic) : { fault: 'must be a string', position: 0 }
  if (parsed === null) return
  if ('fault' in parsed) reportFault(`Property 'logic' ${parsed.fault} at position ${parsed.position}`)
  else
    for (const word of (logic as string).match(/[^\s()]+/g) ?? [])
      if (!/^(?:and|or)$/i.test(word) && !Object.hasOwn(bundleRules, word))
        reportFault(`Property 'logic' names rule '${word}', which does not exist`)
}

const isWhole = (value: unknown, maximum: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= maximum

/** A single good is more specific than a collection. */
const ranks: Readonly<Record<ItemReference['object'], number>> = {
  sku: 0,
  product: 1,
  product_or_sku: 1,
  products_collection: 2,
}

function readDemand(key: string, rule: unknown, reportFault: (fault: string) => void): Demand | null {
  if (!isRuleKey(key) || !isRecord(rule) || rule.name !== 'order.items.any') {
    reportFault(`Bundle rule '${key}' must be 'order.items.any'`)
    return null
  }
  const argument = onlyArgument(rule.conditions)
  const reference = argument === undefined ? null : readReference(argument)
  if (reference === null)
    reportFault(`Bundle rule '${key}' must have one product, SKU or collection as argument for '$is'`)
  const quantity = readQuantity(rule.rules)
  if (quantity === null)
    reportFault(`Bundle rule '${key}' must have one sub-rule 'order.items.aggregated_quantity' with a number from 1`)
  return reference === null || quantity === null ? null : { reference, matches: matcherOf([reference]), quantity }
}

/** The argument of `$is`, if it is the only operator and has exactly one argument. */
function onlyArgument(conditions: unknown): unknown {
  if (!isRecord(conditions) || Object.keys(conditions).length !== 1) return undefined
  const { $is } = conditions
  return Array.isArray($is) && $is.length === 1 ? $is[0] : isScalar($is) ? $is : undefined
}

/** One unit, unless a sub-rule sets the quantity. */
function readQuantity(tree: unknown): number | null {
  if (tree === undefined || tree === null) return 1
  if (!isRecord(tree)) return null
  const keys = ruleKeys(tree)
  if (keys.length === 0) return 1
  const rule = tree[keys[0] as string]
  if (keys.length > 1 || !isRecord(rule) || rule.name !== 'order.items.aggregated_quantity') return null
  const quantity = toNumber(onlyArgument(rule.conditions))
  return isWhole(quantity, quantityMax) ? quantity : null
}

function findBundle({ limit, demands }: Bundle, lines: readonly Line[], scope: EvaluationScope): BundleResult {
  scope.work.spend(demands.length * lines.length)
  const matched = demands.map(({ matches }) => lines.filter(({ item }) => matches(item, scope)))
  // Binary search for the largest number of bundles: if n bundles do not fit, n + 1 do not fit either, because more bundles
  // never leave more units on a line.
  let [quantity, tooMany] = [0, limit + 1]
  while (tooMany - quantity > 1) {
    const sets = Math.floor((quantity + tooMany) / 2)
    if (allocate(demands, matched, sets).missing.length === 0) quantity = sets
    else tooMany = sets
  }
  const { taken: unitsByLine, missing } = allocate(demands, matched, Math.max(1, quantity))
  const identified = lines.flatMap((line) => {
    const itemQuantity = unitsByLine.get(line) ?? 0
    const { sku, product, good, index } = line.item
    const object = sku === null ? ('product' as const) : ('sku' as const)
    const ids = sku ?? product
    return itemQuantity === 0
      ? []
      : { id: ids?.id ?? ids?.source_id ?? good, object, item_index: index, item_quantity: itemQuantity }
  })
  return quantity > 0 ? { quantity, limit, identified } : { quantity, limit, identified, missing }
}

/** Allocates the units for a number of bundles to the lines, and lists the missing units. */
function allocate(demands: readonly Demand[], matched: ReadonlyArray<readonly Line[]>, sets: number) {
  const unitsByLine = new Map<Line, number>()
  const missing: NonNullable<BundleResult['missing']> = []
  for (const [i, { reference, quantity }] of demands.entries()) {
    let missingUnits = quantity * sets
    for (const line of matched[i] as readonly Line[]) {
      const unitsBefore = unitsByLine.get(line) ?? 0
      const units = Math.min(missingUnits, line.quantity - unitsBefore)
      if (units <= 0) continue
      unitsByLine.set(line, unitsBefore + units)
      missingUnits -= units
    }
    const { ids, object } = reference
    if (missingUnits > 0)
      missing.push({
        id: ids[0] as string,
        object: object === 'product_or_sku' ? 'product' : object,
        item_quantity: missingUnits,
      })
  }
  return { taken: unitsByLine, missing }
}
