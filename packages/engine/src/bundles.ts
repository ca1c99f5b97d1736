import type { Cart, Line } from './cart.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import { once } from './once.ts'
import { isRuleKey, parseLogic, ruleKeys } from './rules/logic.ts'
import { type ItemReference, type Matcher, matcherOf, readReference } from './rules/references.ts'
import type { BundleResult, BundleRules, ValidationRule } from './schema/index.ts'
import { isRecord, isScalar, toNumber } from './values.ts'

/**
 * How many complete sets of the goods that rules demand are in an order (docs/reference/rules.md#bundle-rules); null when they
 * demand none. Units go to SKUs first, then to products, then to collections, in the order of the lines, and each unit serves
 * once. Of several rules that demand bundles all must be met, each by itself: the one with the fewest sets decides, and is told.
 *
 * 1 green tea and 2 teas of any kind, in an order of 3 green and 3 black: two sets, since three would need 9 units.
 */
export function findBundles(
  rules: readonly ValidationRule[],
  cart: Cart | null,
  scene: EvaluationScope,
): BundleResult | null {
  let fewest: BundleResult | null = null
  for (const { bundle_rules } of rules) {
    const bundle = isRecord(bundle_rules) ? compileBundle(bundle_rules) : null
    if (bundle === null) continue
    const found = findBundle(bundle, cart?.lines ?? [], scene)
    if (fewest === null || found.quantity < fewest.quantity) fewest = found
  }
  return fewest
}

/** What is wrong with bundle rules, in words for `details`; empty when nothing is. */
export function checkBundleRules(bundleRules: unknown): string[] {
  const faults: string[] = []
  readBundle(bundleRules, (fault) => faults.push(fault))
  return faults
}

interface Bundle {
  readonly limit: number
  readonly demands: readonly Demand[]
}

/** So many units of one good, or of goods of one kind, for one set. */
interface Demand {
  readonly reference: ItemReference
  readonly matches: Matcher
  readonly quantity: number
}

const limitMax = 100
const demandsMax = 100
/** Times the largest limit it is still an exact number. */
const quantityMax = 1_000_000_000

const compileBundle = once((bundleRules: BundleRules): Bundle | null => {
  let isFaulty = false
  const bundle = readBundle(bundleRules, () => {
    isFaulty = true
  })
  // What cannot be understood cannot be in the order either.
  return isFaulty && bundle !== null ? { ...bundle, demands: [...bundle.demands, impossible] } : bundle
})

const impossible: Demand = {
  reference: { ids: ['unknown'], object: 'product' },
  matches: () => false,
  quantity: 1,
}

function readBundle(bundleRules: unknown, refuse: (fault: string) => void): Bundle | null {
  if (bundleRules === undefined || bundleRules === null) return null
  if (!isRecord(bundleRules)) {
    refuse('Bundle rules must be an object')
    return null
  }
  const { limit: sentLimit = null, logic = null } = bundleRules
  const keys = ruleKeys(bundleRules, ['limit'])
  if (keys.length === 0) return null
  const limit = sentLimit === null ? 1 : isWhole(sentLimit, limitMax) ? sentLimit : 0
  if (limit === 0) refuse(`Bundle rules must have a 'limit' from 1 to ${limitMax}`)
  checkLogic(logic, bundleRules, refuse)
  if (keys.length > demandsMax) refuse(`Bundle rules must not be more than ${demandsMax}`)
  const demands = keys.slice(0, demandsMax).flatMap((key) => readDemand(key, bundleRules[key], refuse) ?? [])
  // Stable: of the same kind, the lower key comes first.
  demands.sort((a, b) => ranks[a.reference.object] - ranks[b.reference.object])
  return { limit: Math.max(1, limit), demands }
}

/** Every numbered rule is required, whatever logic says; but it may not name what is not there. */
function checkLogic(logic: unknown, bundleRules: Record<string, unknown>, refuse: (fault: string) => void): void {
  if (logic === null) return
  const parsed = typeof logic === 'string' ? parseLogic(logic) : { fault: 'must be a string', position: 0 }
  if (parsed === null) return
  if ('fault' in parsed) refuse(`Property 'logic' ${parsed.fault} at position ${parsed.position}`)
  else
    for (const word of (logic as string).match(/[^\s()]+/g) ?? [])
      if (!/^(?:and|or)$/i.test(word) && !Object.hasOwn(bundleRules, word))
        refuse(`Property 'logic' names rule '${word}', which does not exist`)
}

const isWhole = (value: unknown, maximum: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= maximum

/** A good is more specific than its kind. */
const ranks: Readonly<Record<ItemReference['object'], number>> = {
  sku: 0,
  product: 1,
  product_or_sku: 1,
  products_collection: 2,
}

function readDemand(key: string, rule: unknown, refuse: (fault: string) => void): Demand | null {
  if (!isRuleKey(key) || !isRecord(rule) || rule.name !== 'order.items.any') {
    refuse(`Bundle rule '${key}' must be 'order.items.any'`)
    return null
  }
  const given = onlyArgument(rule.conditions)
  const reference = given === undefined ? null : readReference(given)
  if (reference === null) refuse(`Bundle rule '${key}' must have one product, SKU or collection as argument for '$is'`)
  const quantity = readQuantity(rule.rules)
  if (quantity === null)
    refuse(`Bundle rule '${key}' must have one sub-rule 'order.items.aggregated_quantity' with a number from 1`)
  return reference === null || quantity === null ? null : { reference, matches: matcherOf([reference]), quantity }
}

/** The one argument of the one operator. */
function onlyArgument(conditions: unknown): unknown {
  if (!isRecord(conditions) || Object.keys(conditions).length !== 1) return undefined
  const { $is } = conditions
  return Array.isArray($is) && $is.length === 1 ? $is[0] : isScalar($is) ? $is : undefined
}

/** One unit, unless a sub-rule says how many. */
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

function findBundle({ limit, demands }: Bundle, lines: readonly Line[], scene: EvaluationScope): BundleResult {
  const matched = demands.map(({ matches }) => lines.filter(({ item }) => matches(item, scene)))
  // More sets never leave more units on any line, so that success ends once and for all: the largest is found by halving.
  let [quantity, tooMany] = [0, limit + 1]
  while (tooMany - quantity > 1) {
    const sets = Math.floor((quantity + tooMany) / 2)
    if (allocate(demands, matched, sets).missing.length === 0) quantity = sets
    else tooMany = sets
  }
  const { taken, missing } = allocate(demands, matched, Math.max(1, quantity))
  const identified = lines.flatMap((line) => {
    const itemQuantity = taken.get(line) ?? 0
    const { sku, product, good, index } = line.item
    const object = sku === null ? ('product' as const) : ('sku' as const)
    const known = sku ?? product
    return itemQuantity === 0
      ? []
      : { id: known?.id ?? known?.source_id ?? good, object, item_index: index, item_quantity: itemQuantity }
  })
  return quantity > 0 ? { quantity, limit, identified } : { quantity, limit, identified, missing }
}

/** Takes the units for so many sets from the lines, and tells what they lack. */
function allocate(demands: readonly Demand[], matched: ReadonlyArray<readonly Line[]>, sets: number) {
  const taken = new Map<Line, number>()
  const missing: NonNullable<BundleResult['missing']> = []
  for (const [i, { reference, quantity }] of demands.entries()) {
    let needed = quantity * sets
    for (const line of matched[i] as readonly Line[]) {
      const before = taken.get(line) ?? 0
      const units = Math.min(needed, line.quantity - before)
      if (units <= 0) continue
      taken.set(line, before + units)
      needed -= units
    }
    const { ids, object } = reference
    if (needed > 0)
      missing.push({
        id: ids[0] as string,
        object: object === 'product_or_sku' ? 'product' : object,
        item_quantity: needed,
      })
  }
  return { taken, missing }
}
