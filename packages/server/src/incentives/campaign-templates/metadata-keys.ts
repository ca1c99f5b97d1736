import type { Discount, Filter, Rule, RuleTree } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { active } from '../../definitions/metadata-schemas/check.ts'
import { type DescribedObject, throwIfFaults } from '../../definitions/metadata-schemas/rules.ts'
import { listDefinitions } from '../../definitions/metadata-schemas/store.ts'
import type { TemplateCollection, TemplateSegment, TypedKey } from './content.ts'
import { isRecord } from './references.ts'
import type { TemplateRule } from './schema.ts'

/** The parts of a template that may read metadata. */
export interface MetadataReaders {
  rules: readonly TemplateRule[]
  discount: Discount | undefined
  segments: readonly TemplateSegment[]
  collections: readonly TemplateCollection[]
}

/** The metadata keys that a template reads and that have a type in this project, with that type. */
export async function typedKeys(ctx: Ctx, readers: MetadataReaders): Promise<TypedKey[]> {
  const keysByObject = new Map<DescribedObject, Set<string>>()
  for (const [object, key] of keysIn(readers))
    keysByObject.set(object, (keysByObject.get(object) ?? new Set()).add(key))
  const result: TypedKey[] = []
  for (const [object, keys] of keysByObject)
    for (const { name, type, array } of active(await listDefinitions(ctx, object)))
      if (keys.has(name)) result.push({ object, key: name, type, array })
  return result
}

/**
 * Refuses the template if this project defines a key with another type; an undefined key is accepted
 * (docs/reference/campaign-templates.md#what-the-use-of-a-template-makes).
 */
export async function refuseOtherTypes(ctx: Ctx, keys: readonly TypedKey[]): Promise<void> {
  const errors: string[] = []
  for (const [object, ofObject] of Map.groupBy(keys, (key) => key.object)) {
    const definitions = new Map(
      active(await listDefinitions(ctx, object)).map((definition) => [definition.name, definition]),
    )
    for (const wanted of ofObject) {
      const definition = definitions.get(wanted.key)
      if (definition === undefined || (definition.type === wanted.type && definition.array === wanted.array)) continue
      errors.push(
        `${wanted.key}: must be ${typeText(wanted)} in the ${object} schema (actual type is ${typeText(definition)})`,
      )
    }
  }
  throwIfFaults(errors)
}

const typeText = ({ type, array }: Pick<TypedKey, 'type' | 'array'>): string => (array ? `array of ${type}` : type)

type Key = [object: DescribedObject, key: string]

function keysIn({ rules, discount, segments, collections }: MetadataReaders): Key[] {
  return [
    ...rules.flatMap(({ rules, applicable_to }) => [...propertiesIn(rules), ...formulaKeysIn(applicable_to)]),
    ...formulaKeysIn(discount),
    ...segments.flatMap(({ filter }) => filteredBy('customer', filter)),
    ...collections.flatMap((collection) =>
      collection.type === 'AUTO_UPDATE' ? filteredBy('product', collection.filter) : [],
    ),
  ]
}

/**
 * Metadata schemas that may define the property of a rule. The first schema with a definition decides, so all are listed.
 */
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
    const ownKeys = property == null ? [] : (schemas[name] ?? []).flatMap((object) => keysAt(object, property))
    return [...ownKeys, ...propertiesIn(rules ?? {})]
  })
}

/** `billing.country` may be a key of that name, or a path into the object `billing`. */
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

/** Keys in formulas: members at any depth whose name ends in `_formula`. */
function formulaKeysIn(value: unknown): Key[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]): Key[] =>
    name.endsWith('_formula') && typeof member === 'string' ? keysOfFormula(member) : formulaKeysIn(member),
  )
}

function keysOfFormula(formula: string): Key[] {
  return [...formula.matchAll(metadataOperand)].map(
    ([, operand, key]): Key => [
      formulaObjects[operand as keyof typeof formulaObjects],
      (key as string).replace(/\\(["\\])/g, '$1'),
    ],
  )
}

/** Operands of order lines have a prefix that selects the line, so only the end of the name is compared. */
const metadataOperand =
  /(ORDER_ITEM_PRODUCT|ORDER_ITEM|ORDER|CUSTOMER|REDEMPTION|PUBLICATION)_METADATA\s*\(\s*"((?:[^"\\]|\\[\s\S])*)"/g

const formulaObjects = {
  ORDER_ITEM_PRODUCT: 'product',
  ORDER_ITEM: 'order_item',
  ORDER: 'order',
  CUSTOMER: 'customer',
  REDEMPTION: 'redemption',
  PUBLICATION: 'publication',
} as const satisfies Record<string, DescribedObject>

/** Names of the custom events that filters count: `events.<name>.count`. */
export const customEventsIn = (segments: readonly TemplateSegment[]): string[] => [
  ...new Set(
    segments.flatMap(({ filter }) =>
      Object.keys(filter).flatMap((field) => /^events\.(.+)\.(?:count|first|last)$/.exec(field)?.[1] ?? []),
    ),
  ),
]
