import type { Cart, Item } from './cart.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import { matches } from './goods.ts'
import type { CoveredEntries, CoveredEntry } from './schema/index.ts'
import type { Coverage, Entry, SelectedEntry, SelectedLine } from './selection.ts'

/** For orders with more units the unit numbers are not listed. */
const listedUnitsMax = 1_000

/**
 * The entries that a redeemable covers and excludes, as the contract represents them
 * (docs/reference/discounts.md#covered-lines-in-answers): each entry with its order lines, collections also per good.
 */
export function coveredEntries(
  cart: Cart | null,
  coverage: Coverage,
  selected: readonly SelectedEntry[],
  scope: EvaluationScope,
): { applicable_to: CoveredEntries; inapplicable_to: CoveredEntries } {
  if (!coverage.is_defined) return { applicable_to: listOf([]), inapplicable_to: listOf([]) }
  const units = unitsLister(cart)
  const applicable = selected.flatMap(({ entry, lines }) => {
    const selectedLines = lines.filter((selectedLine) => selectedLine.units > 0)
    if (entry === null) return byGood(selectedLines, {}, units)
    const coveredEntry = { ...describeEntry(entry), ...lineFields(selectedLines, units) }
    return entry.object === 'products_collection'
      ? [coveredEntry, ...byGood(selectedLines, entry, units)]
      : [coveredEntry]
  })
  const inapplicable = coverage.excluded.map((entry) => {
    const lines = (cart?.lines ?? []).filter(({ item }) => matches(item, entry, scope))
    const excludedLines = lines.map((line) => ({ line, units: line.quantity, discounted_units: 0, unit_numbers: null }))
    return { ...describeEntry(entry), ...lineFields(excludedLines, units) }
  })
  return { applicable_to: listOf(applicable), inapplicable_to: listOf(inapplicable) }
}

const listOf = (data: CoveredEntry[]): CoveredEntries => ({
  data,
  total: data.length,
  data_ref: 'data',
  object: 'list',
})

/** The entry as defined, with its defaults filled in. */
function describeEntry({ line_indices: _, ...entry }: Entry): CoveredEntry {
  return { ...entry, strict: entry.object === 'sku' || entry.strict === true, ...applicationFields(entry) }
}

const applicationFields = ({ effect, target, skip_initially, repeat }: Partial<Entry>) => ({
  effect: effect ?? 'APPLY_TO_EVERY',
  target: target ?? 'ITEM',
  skip_initially: skip_initially ?? 0,
  repeat: repeat ?? 1,
})

/** One entry per good among the lines. */
function byGood(lines: readonly SelectedLine[], entry: Partial<Entry>, units: UnitsLister): CoveredEntry[] {
  const goods = new Map<string, SelectedLine[]>()
  for (const selectedLine of lines) {
    const { good } = selectedLine.line.item
    const linesOfGood = goods.get(good)
    if (linesOfGood === undefined) goods.set(good, [selectedLine])
    else linesOfGood.push(selectedLine)
  }
  return [...goods.values()].map((linesOfGood) => ({
    ...goodFields((linesOfGood[0] as SelectedLine).line.item),
    strict: true,
    ...applicationFields(entry),
    ...lineFields(linesOfGood, units),
  }))
}

function goodFields({ sku, product, good }: Item): CoveredEntry {
  const ids = sku ?? product
  return {
    object: sku === null ? 'product' : 'sku',
    ...(ids === null ? {} : { id: good }),
    ...(ids?.source_id == null ? {} : { source_id: ids.source_id }),
    ...(sku === null || product?.id == null ? {} : { product_id: product.id }),
    ...(sku === null || product?.source_id == null ? {} : { product_source_id: product.source_id }),
  }
}

type UnitsLister = (selectedLine: SelectedLine) => NonNullable<CoveredEntry['order_item_units']>[number]

function lineFields(lines: readonly SelectedLine[], units: UnitsLister): Partial<CoveredEntry> {
  if (lines.length === 0) return {}
  return {
    order_item_indices: lines.map(({ line }) => line.item.index),
    order_item_units: lines.map(units),
  }
}

/** Lists unit numbers of a line as it was before the discount; a line selected as a whole lists all of them. */
function unitsLister(cart: Cart | null): UnitsLister {
  const totalUnits = (cart?.lines ?? []).reduce((sum, { quantity }) => sum + quantity, 0)
  return ({ line, units, unit_numbers }) => {
    const { index } = line.item
    if (totalUnits > listedUnitsMax) return { index, units_limit_exceeded: true }
    const { first, step } = unit_numbers ?? { first: 1, step: 1 }
    const length = unit_numbers === null ? (cart?.lines[index]?.quantity ?? units) : units
    return { index, units: Array.from({ length }, (_, i) => first + i * step) }
  }
}
