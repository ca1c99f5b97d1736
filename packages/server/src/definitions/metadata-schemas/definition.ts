import type { MetadataType } from '@guerdon/engine/schema'

/** What a schema demands of the values of one key; a constraint that is not set is not there. */
export interface Definition {
  type: MetadataType
  array: boolean
  optional: boolean
  /** For objects, the name of a nested schema or `unknown`; null for all others. */
  object_type: string | null
  deleted?: boolean
  min_length?: number
  max_length?: number
  exact_length?: number
  eq?: Array<string | number>
  ne?: number[]
  lt?: number
  lte?: number
  gt?: number
  gte?: number
}

/** As it is stored, in a list: the keys of a `jsonb` object would lose their order, which is that of the exports. */
export interface NamedDefinition extends Definition {
  name: string
}

/** As it is sent: null means the same as nothing. */
export type SentDefinition = { type: MetadataType } & { [K in keyof Definition]?: Definition[K] | null | undefined }

/** The objects that have metadata (docs/reference/metadata-schemas.md#the-schema-object); any other name is a nested schema. */
const describedObjects = [
  'campaign',
  'customer',
  'earning_rule',
  'loyalty_tier',
  'order',
  'order_item',
  'product',
  'promotion_tier',
  'publication',
  'redemption',
  'reward',
  'voucher',
] as const
export type DescribedObject = (typeof describedObjects)[number]

/** In place of the name of a nested schema: any object will do. */
export const anyObject = 'unknown'

const isNested = (relatedObject: string): boolean => !(describedObjects as readonly string[]).includes(relatedObject)

/** The types that a constraint is for. Of the others it must not even be said. */
const constraints = {
  object_type: ['object'],
  min_length: ['string'],
  max_length: ['string'],
  exact_length: ['string'],
  eq: ['string', 'number'],
  ne: ['number'],
  lt: ['number'],
  lte: ['number'],
  gt: ['number'],
  gte: ['number'],
} as const satisfies Partial<Record<keyof Definition, MetadataType[]>>
const constraintNames = Object.keys(constraints) as Array<keyof typeof constraints>

/** A definition as it is stored: whatever was not sent has its default. */
export function readDefinition(name: string, sent: SentDefinition): NamedDefinition {
  const { type, array, optional, deleted, object_type } = sent
  const set = constraintNames.filter((constraint) => constraint !== 'object_type' && sent[constraint] != null)
  return {
    name,
    type,
    array: array ?? false,
    optional: optional ?? true,
    object_type: object_type ?? (type === 'object' ? anyObject : null),
    ...(deleted == null ? {} : { deleted }),
    ...Object.fromEntries(set.map((constraint) => [constraint, sent[constraint]])),
  }
}

/** What is wrong with a definition in the schema of some object, as `details` of an error; null when nothing is. */
export function whyNotDefinition(definition: NamedDefinition, relatedObject: string): string | null {
  const { name, type, object_type } = definition
  const at = `Property .properties.${name}`
  if (name === '' || name.length > 255) return 'Property .properties must have names of 1 to 255 characters'
  if (type === 'object' && isNested(relatedObject))
    return `${at}.type cannot be object in a nested schema, which '${relatedObject}' is`
  if (type === 'geopoint' && relatedObject !== 'customer' && relatedObject !== 'product')
    return `${at}.type can be geopoint only for customer and product`
  const misplaced = constraintNames.find(
    (constraint) => definition[constraint] != null && !(constraints[constraint] as readonly string[]).includes(type),
  )
  if (misplaced !== undefined) return `${at}.${misplaced} does not apply to type ${type}`
  if (object_type !== null && !isNested(object_type)) return `${at}.object_type must be the name of a nested schema`
  return whyNotValues(definition, at)
}

function whyNotValues({ type, eq = [], lt, lte, gt, gte }: Definition, at: string): string | null {
  const wrong = eq.findIndex((value) => typeof value !== type)
  if (wrong >= 0) return `${at}.eq[${wrong}] must be ${type}`
  for (const [name, bound] of Object.entries({ lt, lte, gt, gte }))
    if (bound !== undefined && Math.round(bound * 100) / 100 !== bound)
      return `${at}.${name} must NOT have more than 2 decimals`
  return null
}

/**
 * The definitions after an update (docs/reference/metadata-schemas.md#endpoints): those that are sent replace the stored ones
 * whole, in their place, or come last; the others stay. A text is what is wrong.
 */
export function mergedDefinitions(
  stored: readonly NamedDefinition[],
  sent: readonly NamedDefinition[],
): NamedDefinition[] | string {
  const merged = new Map(stored.map((definition) => [definition.name, definition]))
  for (const definition of sent) {
    const before = merged.get(definition.name)
    if (before !== undefined && before.type !== definition.type)
      return `Property .properties.${definition.name}.type cannot be changed`
    merged.set(definition.name, definition)
  }
  return [...merged.values()]
}
