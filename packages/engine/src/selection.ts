import { type Cart, type Line, paidUnits, subtotalOf, unitPrice } from './cart.ts'
import { limitOf } from './discounts/settings.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import { matches } from './goods.ts'
import { compareProducts, inRange } from './money.ts'
import { once } from './once.ts'
import type { ApplicableEntry, Step, UnitLimit, ValidationRule } from './schema/index.ts'
import { ownEntry } from './values.ts'

/**
 * Which goods a redeemable covers: what its rules include and exclude, taken together
 * (docs/reference/discounts.md#covered-goods).
 */
export interface Coverage {
  readonly included: readonly Entry[]
  readonly excluded: readonly ApplicableEntry[]
  /** Lines that no entry takes are covered too. */
  readonly included_all: boolean
  /** Some rule says something about goods at all. */
  readonly is_defined: boolean
}

/** An entry, or lines that a rule picked by itself (`…discount_applicable`). */
export interface Entry extends ApplicableEntry {
  readonly line_indices?: ReadonlySet<number>
}

/** A line that the discount reaches, and how many of its units. */
export interface SelectedLine {
  readonly line: Line
  units: number
  /** Of these, the units that got something off: they count against lifetime limits. */
  discounted_units: number
  /** The units are the first, and then every `step`-th, counted from 1. Null: all units of the line. */
  readonly unit_numbers: { first: number; step: number } | null
}

/** An entry with its lines, in the order in which the discount reaches them. */
export interface SelectedEntry {
  /** Null for the lines that no entry names. */
  readonly entry: Entry | null
  readonly lines: SelectedLine[]
}

/** Rules of the campaign first, then the redeemable's own; `picked` are lines that matched rules added. */
export function coverageOf(rules: readonly ValidationRule[], picked: readonly Entry[] = []): Coverage {
  let included: readonly Entry[] = []
  let excluded: readonly ApplicableEntry[] = []
  let includedAll = false
  for (const { applicable_to } of rules) {
    if (applicable_to == null) continue
    included = joined(included, applicable_to.included)
    excluded = joined(excluded, applicable_to.excluded)
    includedAll ||= applicable_to.included_all
  }
  included = joined(included, picked)
  const isDefined = included.length > 0 || excluded.length > 0 || includedAll
  return { included, excluded, included_all: includedAll || included.length === 0, is_defined: isDefined }
}

const joined = <T>(one: readonly T[], other: readonly T[]): readonly T[] =>
  other.length === 0 ? one : one.length === 0 ? other : [...one, ...other]

/**
 * Selects lines and units (docs/reference/discounts.md#lines-and-units), without caps on units. Lines of `blocked` goods are left
 * out.
 */
export function select(
  cart: Cart,
  coverage: Coverage,
  scene: EvaluationScope,
  blocked: ReadonlySet<string> | null = null,
): SelectedEntry[] {
  const { included } = coverage
  const linesOf: Line[][] = included.map(() => [])
  const others: Line[] = []
  for (const line of cart.lines) {
    // Nobody pays for the units of such a line, so it cannot be the cheapest one, nor the third.
    if (paidUnits(line) <= 0 || (blocked?.has(line.item.good) ?? false)) continue
    if (coverage.excluded.some((entry) => matches(line.item, entry, scene))) continue
    const owner = ownerOf(line, included, scene)
    if (owner >= 0) linesOf[owner]?.push(line)
    else if (coverage.included_all) others.push(line)
  }
  const selected: SelectedEntry[] = included.map((entry, i) => ({ entry, lines: resources(linesOf[i] ?? [], entry) }))
  if (coverage.included_all) selected.push({ entry: null, lines: others.map(wholeLine) })
  return selected
}

/** The most specific entry that matches: an SKU before its product before a collection, the earlier one among equals. */
function ownerOf(line: Line, included: readonly Entry[], scene: EvaluationScope): number {
  let owner = -1
  let best = Number.POSITIVE_INFINITY
  for (const [i, entry] of included.entries()) {
    const rank = specificity[entry.object]
    if (rank >= best) continue
    const isMatch = entry.line_indices?.has(line.item.index) ?? matches(line.item, entry, scene)
    if (isMatch) [owner, best] = [i, rank]
  }
  return owner
}

const specificity = { sku: 0, product: 1, products_collection: 2 }

const wholeLine = (line: Line): SelectedLine => ({
  line,
  units: paidUnits(line),
  discounted_units: 0,
  unit_numbers: null,
})

/** The lines or units of an entry that its effect, `skip_initially` and `repeat` pick, in application order. */
function resources(lines: Line[], entry: Entry): SelectedLine[] {
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

/** Walks lines, not units: a line of a million units costs as much as a line of one. */
function pickUnits(lines: readonly Line[], skip: number, repeat: number): SelectedLine[] {
  const picked: SelectedLine[] = []
  let before = 0 // units in the lines before
  let next = skip // position of the next unit to take, from 0
  for (const line of lines) {
    const end = inRange(before + paidUnits(line))
    if (next < end) {
      const first = next - before + 1
      const onlyOne = repeat === Number.POSITIVE_INFINITY
      const units = onlyOne ? 1 : Math.floor((end - 1 - next) / repeat) + 1
      picked.push({ line, units, discounted_units: 0, unit_numbers: { first, step: onlyOne ? 1 : repeat } })
      next = onlyOne ? Number.POSITIVE_INFINITY : next + units * repeat
    }
    before = end
  }
  return picked
}

/** The price of a unit decides, not the amount of the line; the one without any comes last, up and down. */
function compareUnitPrices(a: Line, b: Line, direction: number): number {
  const [one, other] = [unitPrice(a), unitPrice(b)]
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  return direction * compareProducts(one.amount, other.of, other.amount, one.of)
}

/**
 * Unit caps of an effect that has them (docs/reference/discounts.md#lines-and-units, step 8); a bundle multiplies those of an
 * order.
 */
export function capUnits(
  selected: readonly SelectedEntry[],
  scene: EvaluationScope,
  bundles: number,
  trace: Step[] | null,
): void {
  for (const { entry, lines } of selected) if (entry !== null) capEntry(entry, lines, scene, bundles, trace)
}

function capEntry(
  entry: Entry,
  lines: SelectedLine[],
  scene: EvaluationScope,
  bundles: number,
  trace: Step[] | null,
): void {
  const { quantity_limit, aggregated_quantity_limit } = entry
  const lifetime = lifetimeLimits(entry, scene)
  if (quantity_limit == null && aggregated_quantity_limit == null && lifetime.length === 0) return
  const taken = new Map<string, number>()
  let takenByAll = 0
  for (const chosen of lines) {
    const cap = (limit: string, used: number, allowed: number): void => {
      trace?.push({ step: 'limit', limit, used, allowed, passed: used < allowed })
      chosen.units = Math.max(0, Math.min(chosen.units, allowed - used))
    }
    if (quantity_limit != null) cap('quantity_limit', 0, quantity_limit * bundles)
    if (aggregated_quantity_limit != null) {
      cap('aggregated_quantity_limit', takenByAll, aggregated_quantity_limit * bundles)
    }
    for (const limit of lifetime) {
      const key = unitKey(entry, chosen.line, limit)
      const before = ownEntry(ownEntry(scene.redeemable?.units_used, limit), key) ?? 0
      const allowed = limitOf(entry, limit, scene, chosen.line, trace)
      if (allowed !== null) cap(limit, before + (taken.get(`${limit} ${key}`) ?? 0), allowed)
    }
    for (const limit of lifetime) {
      const counted = `${limit} ${unitKey(entry, chosen.line, limit)}`
      taken.set(counted, (taken.get(counted) ?? 0) + chosen.units)
    }
    takenByAll += chosen.units
  }
}

/** The limits over all redemptions that an entry sets and that can be counted for this redeemable and customer. */
export function lifetimeLimits(entry: Entry, scene: EvaluationScope): readonly UnitLimit[] {
  const limits = limitsOf(entry)
  if (limits.length === 0) return limits
  return limits.filter(
    (limit) =>
      (!limit.includes('_promotion_tier_') || scene.redeemable?.kind === 'promotion_tier') &&
      (!limit.includes('_customer_') || scene.customer?.id != null),
  )
}

const limitsOf = once((entry: Entry): readonly UnitLimit[] =>
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

/** What a lifetime limit counts under: the entry, or each product of it by itself. */
export function unitKey(entry: Entry, { item }: Line, limit: UnitLimit): string {
  const id = entry.id ?? entry.source_id ?? ''
  return limit.startsWith('product_in_collection_') ? `${id}/${item.product?.id ?? item.good}` : id
}
