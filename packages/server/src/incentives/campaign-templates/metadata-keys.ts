import type { Discount, Filter, Rule, RuleTree } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { active } from '../../definitions/metadata-schemas/check.ts'
import { type DescribedObject, refuseFaults } from '../../definitions/metadata-schemas/rules.ts'
import { listDefinitions } from '../../definitions/metadata-schemas/store.ts'
import type { TemplateCollection, TemplateSegment, TypedKey } from './content.ts'
import { isRecord } from './references.ts'
import type { TemplateRule } from './schema.ts'

/** What may ask for metadata. */
export interface Asking {
  rules: readonly TemplateRule[]
  discount: Discount | undefined
  segments: readonly TemplateSegment[]
  collections: readonly TemplateCollection[]
}

/** The metadata keys that are asked for and have a type in this project, with that type. */
export async function typedKeys(ctx: Ctx, asking: Asking): Promise<TypedKey[]> {
  const asked = new Map<DescribedObject, Set<string>>()
  for (const [object, key] of keysIn(asking)) asked.set(object, (asked.get(object) ?? new Set()).add(key))
  const typed: TypedKey[] = []
  for (const [object, keys] of asked)
    for (const { name, type, array } of active(await listDefinitions(ctx, object)))
      if (keys.has(name)) typed.push({ object, key: name, type, array })
  return typed
}

/**
 * Refuses when a key has another type here; a key that has none is nobody's fault
 * (docs/reference/campaign-templates.md#what-the-use-of-a-template-makes).
 */
export async function refuseOtherTypes(ctx: Ctx, keys: readonly TypedKey[]): Promise<void> {
  const faults: string[] = []
  for (const [object, ofObject] of Map.groupBy(keys, (key) => key.object)) {
    const here = new Map(active(await listDefinitions(ctx, object)).map((known) => [known.name, known]))
    for (const wanted of ofObject) {
      const known = here.get(wanted.key)
      if (known === undefined || (known.type === wanted.type && known.array === wanted.array)) continue
      faults.push(
        `${wanted.key}: must be ${typeText(wanted)} in the ${object} schema (actual type is ${typeText(known)})`,
      )
    }
  }
  refuseFaults(faults)
}

const typeText = ({ type, array }: Pick<TypedKey, 'type' | 'array'>): string => (array ? `array of ${type}` : type)

type Key = [object: DescribedObject, key: string]

function keysIn({ rules, discount, segments, collections }: Asking): Key[] {
  return [
    ...rules.flatMap(({ rules, applicable_to }) => [...propertiesIn(rules), ...formulaKeysIn(applicable_to)]),
    ...formulaKeysIn(discount),
    ...segments.flatMap(({ filter }) => filteredBy('customer', filter)),
    ...collections.flatMap((one) => (one.type === 'AUTO_UPDATE' ? filteredBy('product', one.filter) : [])),
  ]
}

/** Whose schema gives a type to the property of a rule; the first that does decides, so that all are asked. */
const schemas: Readonly<Record<string, readonly DescribedObject[]>> = {
  'customer.metadata': ['customer'],
  'order.metadata': ['order'],
  'order.items.metadata': ['order_item', 'product'],
  'order.items.metadata_any': ['order_item', 'product'],
  'order.items.metadata_each': ['order_item', 'product'],
  'product.metadata': ['product'],
  'redemption.metadata': ['redemption'],
}

function propertiesIn(tree: RuleTree): Key[] {
  return Object.values(tree).flatMap((rule): Key[] => {
    if (!isRecord(rule)) return []
    const { name, property, rules } = rule as unknown as Rule
    const own = property == null ? [] : (schemas[name] ?? []).flatMap((object) => keysAt(object, property))
    return [...own, ...propertiesIn(rules ?? {})]
  })
}

/** `billing.country` may be a key of that name, or lead into the object `billing`. */
function keysAt(object: DescribedObject, property: string): Key[] {
  const [outer] = property.split('.') as [string]
  return outer === property
    ? [[object, property]]
    : [
        [object, property],
        [object, outer],
      ]
}

const filteredBy = (object: DescribedObject, filter: Filter): Key[] =>
  Object.keys(filter).flatMap((field) =>
    field.startsWith('metadata.') ? keysAt(object, field.slice('metadata.'.length)) : [],
  )

/** Keys in formulas, which stand in members that are called so, at any depth. */
function formulaKeysIn(value: unknown): Key[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]): Key[] =>
    name.endsWith('_formula') && typeof member === 'string' ? keysOfFormula(member) : formulaKeysIn(member),
  )
}

function keysOfFormula(formula: string): Key[] {
  const named = formula.matchAll(/([A-Z_]+)_METADATA\s*\(\s*"((?:[^"\\]|\\[\s\S])*)"/g)
  return [...named].flatMap(([, operand, key]): Key[] => {
    const object = formulaObjects.find(([suffix]) => operand?.endsWith(suffix))?.[1]
    return object === undefined ? [] : [[object, (key as string).replace(/\\(["\\])/g, '$1')]]
  })
}

/** Those of lines have words before them that say of which line. */
const formulaObjects: ReadonlyArray<[suffix: string, object: DescribedObject]> = [
  ['ORDER_ITEM_PRODUCT', 'product'],
  ['ORDER_ITEM', 'order_item'],
  ['ORDER', 'order'],
  ['CUSTOMER', 'customer'],
  ['REDEMPTION', 'redemption'],
  ['PUBLICATION', 'publication'],
]

/** Names of the custom events that filters count: `events.<name>.count`. */
export const customEventsIn = (segments: readonly TemplateSegment[]): string[] => [
  ...new Set(
    segments.flatMap(({ filter }) =>
      Object.keys(filter).flatMap((field) => /^events\.(.+)\.(?:count|first|last)$/.exec(field)?.[1] ?? []),
    ),
  ),
]
