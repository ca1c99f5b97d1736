import { type Cart, type Item, type Line, paidUnits, subtotalOf, unitPrice } from './cart.ts'
import { limitOf } from './discounts/settings.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import { matches } from './goods.ts'
import { memoize } from './memoize.ts'
import { compareProducts, inRange } from './money.ts'
import type { ApplicableEntry, Step, UnitLimit, ValidationRule } from './schema/index.ts'
import { ownEntry } from './values.ts'

/**
 * The goods that a redeemable covers: the union of what its rules include and exclude
 * (docs/reference/discounts.md#covered-goods).
 */
export interface Coverage {
  readonly included: readonly Entry[]
  readonly excluded: readonly ApplicableEntry[]
  /** Lines that match no entry are covered too. */
  readonly included_all: boolean
  /** At least one rule includes or excludes goods. */
  readonly is_defined: boolean
}

/** An `applicable_to` entry, or the lines that a validation rule includes (`…discount_applicable`). */
export interface Entry extends ApplicableEntry {
  readonly line_indices?: ReadonlySet<number>
}

/** A line that the discount applies to, and how many of its units. */
export interface SelectedLine {
  readonly line: Line
  units: number
  /** Those of the units that received a discount; they count against lifetime limits. */
  discounted_units: number
  /** 1-based unit numbers: `first`, then every `step`-th. Null: all units of the line. */
  readonly unit_numbers: { first: number; step: number } | null
}

/** An entry with its lines, in the order in which the discount is applied to them. */
export interface SelectedEntry {
  /** Null for the lines that match no entry. */
  readonly entry: Entry | null
  readonly lines: SelectedLine[]
}

/**
 * Merges the rules, those of the campaign first, then the redeemable's own; `pickedEntries` are lines included by rules
 * that hold.
 */
export function coverageOf(rules: readonly ValidationRule[], pickedEntries: readonly Entry[] = []): Coverage {
  let included: readonly Entry[] = []
  let excluded: readonly ApplicableEntry[] = []
  let includedAll = false
  for (const { applicable_to } of rules) {
    if (applicable_to == null) continue
    included = concatenate(included, applicable_to.included)
    excluded = concatenate(excluded, applicable_to.excluded)
    includedAll ||= applicable_to.included_all
  }
  included = concatenate(included, pickedEntries)
  const isDefined = included.length > 0 || excluded.length > 0 || includedAll
  return { included, excluded, included_all: includedAll || included.length === 0, is_defined: isDefined }
}

const concatenate = <T>(first: readonly T[], second: readonly T[]): readonly T[] =>
  second.length === 0 ? first : first.length === 0 ? second : [...first, ...second]

/**
 * Selects lines and units (docs/reference/discounts.md#lines-and-units), without unit caps. Lines of `blocked` goods are
 * skipped.
 */
export function select(
  cart: Cart,
  coverage: Coverage,
  scope: EvaluationScope,
  blocked: ReadonlySet<string> | null = null,
): SelectedEntry[] {
  const { included } = coverage
  const linesOf: Line[][] = included.map(() => [])
  const remainingLines: Line[] = []
  const includedIndex = indexOf(included)
  const excludedIndex = indexOf(coverage.excluded)
  scope.work.spend(cart.lines.length * (1 + includedIndex.anywhere.length + excludedIndex.anywhere.length))
  scope.work.spend(includedIndex.pickedLines + excludedIndex.pickedLines)
  for (const line of cart.lines) {
    // A line whose units are all free must not count as the cheapest or as the third line.
    if (paidUnits(line) <= 0 || (blocked?.has(line.item.good) ?? false)) continue
    if (entriesFor(line.item, excludedIndex).some(({ entry }) => matches(line.item, entry, scope))) continue
    const owner = ownerOf(line, includedIndex, scope)
    if (owner >= 0) linesOf[owner]?.push(line)
    else if (coverage.included_all) remainingLines.push(line)
  }
  const selected: SelectedEntry[] = included.map((entry, i) => ({
    entry,
    lines: selectResources(linesOf[i] ?? [], entry),
  }))
  if (coverage.included_all) selected.push({ entry: null, lines: remainingLines.map(wholeLine) })
  return selected
}

/**
 * Index of the most specific matching entry, or -1: an SKU before its product before a collection; on a tie the earlier
 * entry.
 */
function ownerOf(line: Line, included: EntryIndex, scope: EvaluationScope): number {
  let owner = -1
  let best = Number.POSITIVE_INFINITY
  for (const { entry, position } of entriesFor(line.item, included)) {
    const rank = specificity[entry.object]
    if (rank > best || (rank === best && position > owner)) continue
    const isMatch = entry.line_indices?.has(line.item.index) ?? matches(line.item, entry, scope)
    if (isMatch) [owner, best] = [position, rank]
  }
  return owner
}

/** Entries by the ids that they name, so that a line is not compared with a thousand of them. */
interface EntryIndex {
  readonly byId: ReadonlyMap<string, readonly PlacedEntry[]>
  /** Entries of certain lines, by the index of the line; and the number of those lines, each counted for each of its entries. */
  readonly byLine: ReadonlyMap<number, readonly PlacedEntry[]>
  readonly pickedLines: number
  /** Entries that may match a line of any id. */
  readonly anywhere: readonly PlacedEntry[]
}

interface PlacedEntry {
  readonly entry: Entry
  readonly position: number
}

/** Most coverages have few entries: then the index would cost more than it saves. */
const indexOf = (entries: readonly Entry[]): EntryIndex =>
  entries.length === 0
    ? emptyIndex
    : entries.length <= fewEntries
      ? { ...emptyIndex, anywhere: placed(entries) }
      : indexed(entries)

const fewEntries = 4
const emptyIndex: EntryIndex = { byId: new Map(), byLine: new Map(), pickedLines: 0, anywhere: [] }

const placed = (entries: readonly Entry[]): PlacedEntry[] => entries.map((entry, position) => ({ entry, position }))

const indexed = memoize((entries: readonly Entry[]): EntryIndex => {
  const byId = new Map<string, PlacedEntry[]>()
  const byLine = new Map<number, PlacedEntry[]>()
  const anywhere: PlacedEntry[] = []
  let pickedLines = 0
  for (const [position, entry] of entries.entries()) {
    const placed = { entry, position }
    if (entry.line_indices !== undefined) {
      pickedLines += entry.line_indices.size
      for (const index of entry.line_indices) push(byLine, index, placed)
    } else if (entry.object === 'products_collection') anywhere.push(placed)
    else for (const id of new Set([entry.id, entry.source_id])) if (id != null) push(byId, id, placed)
  }
  return { byId, byLine, pickedLines, anywhere }
})

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** The entries that can match a line, in no particular order. */
function entriesFor({ index, sku, product }: Item, { byId, byLine, anywhere }: EntryIndex): readonly PlacedEntry[] {
  let found = byLine.size === 0 ? anywhere : concatenate(anywhere, byLine.get(index) ?? [])
  if (byId.size === 0) return found
  for (const id of [sku?.id, sku?.source_id, product?.id, product?.source_id]) {
    const named = id == null ? undefined : byId.get(id)
    if (named !== undefined) found = found.length === 0 ? named : [...found, ...named]
  }
  return found
}

const specificity = { sku: 0, product: 1, products_collection: 2 }

const wholeLine = (line: Line): SelectedLine => ({
  line,
  units: paidUnits(line),
  discounted_units: 0,
  unit_numbers: null,
})

/** The lines or units that the entry's effect, `skip_initially` and `repeat` select, in application order. */
function selectResources(lines: Line[], entry: Entry): SelectedLine[] {
  const effect = entry.effect ?? 'APPLY_TO_EVERY'
  if (effect !== 'APPLY_TO_EVERY') {
    const direction = effect.endsWith('CHEAPEST') ? 1 : -1
    lines.sort((a, b) => compareUnitPrices(a, b, direction) || (subtotalOf(a) ?? 0) - (subtotalOf(b) ?? 0))
  }
  const onlyFirst = effect === 'APPLY_TO_CHEAPEST' || effect === 'APPLY_TO_MOST_EXPENSIVE'
  const skip = onlyFirst ? 0 : (entry.skip_initially ?? 0)
  const repeat = onlyFirst ? Number.POSITIVE_INFINITY : Math.max(1, entry.repeat ?? 1)
  if (entry.target === 'UNIT') return pickUnits(lines, skip, repeat)
  if (skip === 0 && repeat === 1) return lines.map(wholeLine)
  return lines
    .filter((_, i) => i >= skip && (repeat === Number.POSITIVE_INFINITY ? i === 0 : (i - skip) % repeat === 0))
    .map(wholeLine)
}

/** Iterates over lines, not units: a line of a million units costs as much as a line of one. */
function pickUnits(lines: readonly Line[], skip: number, repeat: number): SelectedLine[] {
  const selectedLines: SelectedLine[] = []
  let unitsBefore = 0 // number of units in the preceding lines
  let nextPosition = skip // 0-based position of the next unit to select
  for (const line of lines) {
    const end = inRange(unitsBefore + paidUnits(line))
    if (nextPosition < end) {
      const first = nextPosition - unitsBefore + 1
      const onlyOne = repeat === Number.POSITIVE_INFINITY
      const units = onlyOne ? 1 : Math.floor((end - 1 - nextPosition) / repeat) + 1
      selectedLines.push({ line, units, discounted_units: 0, unit_numbers: { first, step: onlyOne ? 1 : repeat } })
      nextPosition = onlyOne ? Number.POSITIVE_INFINITY : nextPosition + units * repeat
    }
    unitsBefore = end
  }
  return selectedLines
}

/** Compares unit prices, not line amounts; a line of unknown price sorts last in both directions. */
function compareUnitPrices(a: Line, b: Line, direction: number): number {
  const [priceA, priceB] = [unitPrice(a), unitPrice(b)]
  if (priceA === null || priceB === null) return Number(priceA === null) - Number(priceB === null)
  return direction * compareProducts(priceA.amount, priceB.of, priceB.amount, priceA.of)
}

/**
 * Applies the unit caps (docs/reference/discounts.md#lines-and-units, step 8); the number of bundles multiplies the
 * per-order caps.
 */
export function capUnits(
  selected: readonly SelectedEntry[],
  scope: EvaluationScope,
  bundles: number,
  trace: Step[] | null,
): void {
  for (const { entry, lines } of selected) if (entry !== null) capEntry(entry, lines, scope, bundles, trace)
}

function capEntry(
  entry: Entry,
  lines: SelectedLine[],
  scope: EvaluationScope,
  bundles: number,
  trace: Step[] | null,
): void {
  const { quantity_limit, aggregated_quantity_limit } = entry
  const lifetime = lifetimeLimits(entry, scope)
  if (quantity_limit == null && aggregated_quantity_limit == null && lifetime.length === 0) return
  const unitsByKey = new Map<string, number>()
  let unitsInEntry = 0
  for (const selectedLine of lines) {
    const cap = (limit: string, used: number, allowed: number): void => {
      trace?.push({ step: 'limit', limit, used, allowed, passed: used < allowed })
      selectedLine.units = Math.max(0, Math.min(selectedLine.units, allowed - used))
    }
    if (quantity_limit != null) cap('quantity_limit', 0, quantity_limit * bundles)
    if (aggregated_quantity_limit != null) {
      cap('aggregated_quantity_limit', unitsInEntry, aggregated_quantity_limit * bundles)
    }
    for (const limit of lifetime) {
      const key = unitKey(entry, selectedLine.line, limit)
      const usedBefore = ownEntry(ownEntry(scope.redeemable?.units_used, limit), key) ?? 0
      const allowed = limitOf(entry, limit, scope, selectedLine.line, trace)
      if (allowed !== null) cap(limit, usedBefore + (unitsByKey.get(`${limit} ${key}`) ?? 0), allowed)
    }
    for (const limit of lifetime) {
      const countedKey = `${limit} ${unitKey(entry, selectedLine.line, limit)}`
      unitsByKey.set(countedKey, (unitsByKey.get(countedKey) ?? 0) + selectedLine.units)
    }
    unitsInEntry += selectedLine.units
  }
}

/** The lifetime limits of an entry that can be counted for this redeemable and customer. */
export function lifetimeLimits(entry: Entry, scope: EvaluationScope): readonly UnitLimit[] {
  const limits = limitsOf(entry)
  if (limits.length === 0) return limits
  return limits.filter(
    (limit) =>
      (!limit.includes('_promotion_tier_') || scope.redeemable?.kind === 'promotion_tier') &&
      (!limit.includes('_customer_') || scope.customer?.id != null),
  )
}

const limitsOf = memoize((entry: Entry): readonly UnitLimit[] =>
  unitLimits.filter((limit) => entry[limit] != null || entry[`${limit}_formula`] != null),
)

const unitLimits = [
  'product_campaign_quantity_limit',
  'product_customer_campaign_quantity_limit',
  'product_promotion_tier_quantity_limit',
  'product_customer_promotion_tier_quantity_limit',
  'product_in_collection_campaign_quantity_limit',
  'product_in_collection_customer_campaign_quantity_limit',
  'product_in_collection_promotion_tier_quantity_limit',
  'product_in_collection_customer_promotion_tier_quantity_limit',
] as const satisfies readonly UnitLimit[]

/** The counter key of a lifetime limit: the entry, or the entry and the product for limits per product of a collection. */
export function unitKey(entry: Entry, { item }: Line, limit: UnitLimit): string {
  const id = entry.id ?? entry.source_id ?? ''
  return limit.startsWith('product_in_collection_') ? `${id}/${item.product?.id ?? item.good}` : id
}
