import type { Cart, Item } from './cart.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import { matches } from './goods.ts'
import type { CoveredEntries, CoveredEntry } from './schema/index.ts'
import type { Coverage, Entry, SelectedEntry, SelectedLine } from './selection.ts'

/** Orders of more units get no list of unit numbers. */
const listedUnitsMax = 1_000

/**
 * What a redeemable covers and leaves out, in the words of the contract (docs/reference/discounts.md#covered-lines-in-answers):
 * each entry with the lines of the order that it took, collections also good by good.
 */
export function coveredEntries(
  cart: Cart | null,
  coverage: Coverage,
  selected: readonly SelectedEntry[],
  scene: EvaluationScope,
): { applicable_to: CoveredEntries; inapplicable_to: CoveredEntries } {
  if (!coverage.is_defined) return { applicable_to: listOf([]), inapplicable_to: listOf([]) }
  const units = unitsLister(cart)
  const applicable = selected.flatMap(({ entry, lines }) => {
    const taken = lines.filter((chosen) => chosen.units > 0)
    if (entry === null) return byGood(taken, {}, units)
    const shown = { ...described(entry), ...lineFields(taken, units) }
    return entry.object === 'products_collection' ? [shown, ...byGood(taken, entry, units)] : [shown]
  })
  const inapplicable = coverage.excluded.map((entry) => {
    const lines = (cart?.lines ?? []).filter(({ item }) => matches(item, entry, scene))
    const taken = lines.map((line) => ({ line, units: line.quantity, discounted_units: 0, unit_numbers: null }))
    return { ...described(entry), ...lineFields(taken, units) }
  })
  return { applicable_to: listOf(applicable), inapplicable_to: listOf(inapplicable) }
}

const listOf = (data: CoveredEntry[]): CoveredEntries => ({
  data,
  total: data.length,
  data_ref: 'data',
  object: 'list',
})

/** The entry as it was defined, its defaults spelled out. */
function described({ line_indices: _, ...entry }: Entry): CoveredEntry {
  return { ...entry, strict: entry.object === 'sku' || entry.strict === true, ...manner(entry) }
}

const manner = ({ effect, target, skip_initially, repeat }: Partial<Entry>) => ({
  effect: effect ?? 'APPLY_TO_EVERY',
  target: target ?? 'ITEM',
  skip_initially: skip_initially ?? 0,
  repeat: repeat ?? 1,
})

/** One entry for each good among the lines. */
function byGood(lines: readonly SelectedLine[], entry: Partial<Entry>, units: UnitsLister): CoveredEntry[] {
  const goods = new Map<string, SelectedLine[]>()
  for (const chosen of lines) {
    const { good } = chosen.line.item
    const same = goods.get(good)
    if (same === undefined) goods.set(good, [chosen])
    else same.push(chosen)
  }
  return [...goods.values()].map((same) => ({
    ...good((same[0] as SelectedLine).line.item),
    strict: true,
    ...manner(entry),
    ...lineFields(same, units),
  }))
}

function good({ sku, product, good }: Item): CoveredEntry {
  const known = sku ?? product
  return {
    object: sku === null ? 'product' : 'sku',
    ...(known === null ? {} : { id: good }),
    ...(known?.source_id == null ? {} : { source_id: known.source_id }),
    ...(sku === null || product?.id == null ? {} : { product_id: product.id }),
    ...(sku === null || product?.source_id == null ? {} : { product_source_id: product.source_id }),
  }
}

type UnitsLister = (chosen: SelectedLine) => NonNullable<CoveredEntry['order_item_units']>[number]

function lineFields(lines: readonly SelectedLine[], units: UnitsLister): Partial<CoveredEntry> {
  if (lines.length === 0) return {}
  return {
    order_item_indices: lines.map(({ line }) => line.item.index),
    order_item_units: lines.map(units),
  }
}

/** Numbers the units of a line as it was before the discount; a whole line has all of them. */
function unitsLister(cart: Cart | null): UnitsLister {
  const all = (cart?.lines ?? []).reduce((sum, { quantity }) => sum + quantity, 0)
  return ({ line, units, unit_numbers }) => {
    const { index } = line.item
    if (all > listedUnitsMax) return { index, units_limit_exceeded: true }
    const { first, step } = unit_numbers ?? { first: 1, step: 1 }
    const length = unit_numbers === null ? (cart?.lines[index]?.quantity ?? units) : units
    return { index, units: Array.from({ length }, (_, i) => first + i * step) }
  }
}
