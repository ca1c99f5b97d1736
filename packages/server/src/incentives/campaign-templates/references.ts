import type { ApplicableEntry, BundleRules, Discount, Filter, Rule, RuleTree } from '@guerdon/engine/schema'
import type { CollectionMember } from '../../catalogue/product-collections/schema.ts'
import type { TemplateRule } from './schema.ts'

/** Kinds of objects that a rule, a discount or a filter can reference. */
export type TemplateReference = 'product' | 'sku' | 'products_collection' | 'segment' | 'location'

/**
 * Called with each reference and the kinds of object it may mean; returns its replacement. A caller that only collects
 * references returns each unchanged.
 */
export type Rename = (name: string, objects: readonly TemplateReference[]) => string

/** A rule with its references replaced. rules/validation-rules/referencing.ts finds the same places in SQL. */
export function renamedRule(rule: TemplateRule, rename: Rename): TemplateRule {
  const { rules, bundle_rules, applicable_to } = rule
  const renamedEntry = (entry: ApplicableEntry) => renamedReference(entry, [entry.object], rename)
  return {
    ...rule,
    rules: renamedTree(rules, rename),
    ...(bundle_rules === undefined ? {} : { bundle_rules: renamedTree(bundle_rules, rename) }),
    applicable_to: {
      ...applicable_to,
      included: applicable_to.included.map(renamedEntry),
      excluded: applicable_to.excluded.map(renamedEntry),
    },
  }
}

/** Sub-rules compare numbers and metadata: they contain no references. */
const renamedTree = <Tree extends RuleTree | BundleRules>(tree: Tree, rename: Rename): Tree =>
  mapped(tree, (rule) => {
    if (!isRecord(rule)) return rule
    const { name, conditions } = rule as unknown as Rule
    const renamed = renamers[name]
    if (renamed === undefined || conditions == null) return rule
    const inOperator = (operand: unknown) =>
      Array.isArray(operand) ? operand.map((argument) => renamed(argument, rename)) : operand
    return { ...rule, conditions: mapped(conditions, inOperator) }
  })

const good: Renamer = (argument, rename) =>
  isRecord(argument) ? renamedReference(argument, objectsOf(argument), rename) : argument

/** The deprecated rule names also accept bare ids. */
const goodOf =
  (object: 'product' | 'sku'): Renamer =>
  (argument, rename) =>
    isRecord(argument) ? renamedReference(argument, [object], rename) : renamedText(argument, [object], rename)

const segment: Renamer = (argument, rename) => renamedText(argument, ['segment'], rename)

type Renamer = (argument: unknown, rename: Rename) => unknown

/** The rules whose arguments are references. */
const renamers: Readonly<Record<string, Renamer>> = {
  'order.items.any': good,
  'order.items.every': good,
  'order.items.none': good,
  'order.items.cheapest': good,
  'order.items.most_expensive': good,
  'product.id': goodOf('product'),
  'sku.id': goodOf('sku'),
  'customer.segment': segment,
  customer_segment: segment,
}

/**
 * The kinds of object that a reference may mean; without `object`, its type and its id prefix decide
 * (docs/reference/rules.md#rule-names).
 */
function objectsOf({ id, source_id, object, type }: Record<string, unknown>): readonly TemplateReference[] {
  if (object === 'product' || object === 'sku' || object === 'products_collection') return [object]
  const first = [id, source_id].find((name) => typeof name === 'string' && name !== '') ?? ''
  if (type === 'products_collection' || (first as string).startsWith('pc_')) return ['products_collection']
  if ((first as string).startsWith('sku_')) return ['sku']
  return (first as string).startsWith('prod_') ? ['product'] : ['product', 'sku']
}

function renamedReference<T extends object>(reference: T, objects: readonly TemplateReference[], rename: Rename): T {
  const { id, source_id } = reference as { id?: unknown; source_id?: unknown }
  return {
    ...reference,
    ...(id === undefined ? {} : { id: renamedText(id, objects, rename) }),
    ...(source_id === undefined ? {} : { source_id: renamedText(source_id, objects, rename) }),
  }
}

const renamedText = (name: unknown, objects: readonly TemplateReference[], rename: Rename): unknown =>
  typeof name === 'string' && name !== '' ? rename(name, objects) : name

/** A discount with its references to products, SKUs and collections replaced. */
export function renamedDiscount(discount: Discount, rename: Rename): Discount {
  if (discount.type !== 'UNIT') return discount
  const { unit_type, units, effect } = discount
  const objects = effect === 'ADD_SAME_ITEMS' ? (['products_collection'] as const) : (['product', 'sku'] as const)
  return {
    ...discount,
    ...(unit_type == null ? {} : { unit_type: rename(unit_type, objects) }),
    ...(units == null
      ? {}
      : { units: units.map((unit) => ({ ...unit, unit_type: rename(unit.unit_type, ['product', 'sku']) })) }),
  }
}

/** The product of an SKU is renamed without object kinds: it is no member itself, so collectors must not record it. */
export const renamedMember = (member: CollectionMember, rename: Rename): CollectionMember => ({
  ...member,
  id: rename(member.id, [member.object]),
  ...(member.product_id === undefined ? {} : { product_id: rename(member.product_id, []) }),
})

/** A filter with its location ids replaced, in every notation of the list. */
export const renamedFilter = (filter: Filter, rename: Rename): Filter =>
  mapped(filter, (field) => {
    if (!isRecord(field) || !isRecord(field.conditions)) return field
    const inOperator = (operand: unknown, operator: string) =>
      operator === '$in_location' || operator === '$not_in_location' ? renamedList(operand, rename) : operand
    return { ...field, conditions: mapped(field.conditions, inOperator) }
  })

function renamedList(operand: unknown, rename: Rename): unknown {
  if (Array.isArray(operand)) return operand.map((item) => renamedList(item, rename))
  return isRecord(operand)
    ? mapped(operand, (item) => renamedList(item, rename))
    : renamedText(operand, ['location'], rename)
}

const mapped = <T extends object>(record: T, change: (value: unknown, name: string) => unknown): T =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)])) as T

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
