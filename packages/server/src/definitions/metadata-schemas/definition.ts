import type { MetadataType } from '@guerdon/engine/schema'

/** The requirements on the values of one key; constraints that are not set are absent. */
export interface Definition {
  type: MetadataType
  array: boolean
  optional: boolean
  /** For type `object`, the name of a nested schema or `unknown`; null for all other types. */
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

/** A definition in the stored list. A `jsonb` object would lose the order of its keys, which is the column order of exports. */
export interface NamedDefinition extends Definition {
  name: string
}

/** A definition in a request: null means not sent. */
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

/** The `object_type` that accepts any object. */
export const anyObject = 'unknown'

const isNested = (relatedObject: string): boolean => !(describedObjects as readonly string[]).includes(relatedObject)

/** The types that each constraint applies to; it is refused for all other types. */
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

/** A sent definition with defaults for missing fields, as it is stored. */
export function readDefinition(name: string, sent: SentDefinition): NamedDefinition {
  const { type, array, optional, deleted, object_type } = sent
  const sentConstraints = constraintNames.filter(
    (constraint) => constraint !== 'object_type' && sent[constraint] != null,
  )
  return {
    name,
    type,
    array: array ?? false,
    optional: optional ?? true,
    object_type: object_type ?? (type === 'object' ? anyObject : null),
    ...(deleted == null ? {} : { deleted }),
    ...Object.fromEntries(sentConstraints.map((constraint) => [constraint, sent[constraint]])),
  }
}

/** Why a definition is invalid in the schema of this object, as `details` of an error; null if it is valid. */
export function whyNotDefinition(definition: NamedDefinition, relatedObject: string): string | null {
  const { name, type, object_type } = definition
  const at = `Property .properties.${name}`
  if (name === '' || name.length > 255) return 'Property .properties must have names of 1 to 255 characters'
  if (type === 'object' && isNested(relatedObject))
    return `${at}.type cannot be object in a nested schema, which '${relatedObject}' is`
  if (type === 'geopoint' && relatedObject !== 'customer' && relatedObject !== 'product')
    return `${at}.type can be geopoint only for customer and product`
  const misplacedConstraint = constraintNames.find(
    (constraint) => definition[constraint] != null && !(constraints[constraint] as readonly string[]).includes(type),
  )
  if (misplacedConstraint !== undefined) return `${at}.${misplacedConstraint} does not apply to type ${type}`
  if (object_type !== null && !isNested(object_type)) return `${at}.object_type must be the name of a nested schema`
  return whyNotValues(definition, at)
}

function whyNotValues({ type, eq = [], lt, lte, gt, gte }: Definition, at: string): string | null {
  const wrongIndex = eq.findIndex((value) => typeof value !== type)
  if (wrongIndex >= 0) return `${at}.eq[${wrongIndex}] must be ${type}`
  for (const [name, bound] of Object.entries({ lt, lte, gt, gte }))
    if (bound !== undefined && Math.round(bound * 100) / 100 !== bound)
      return `${at}.${name} must NOT have more than 2 decimals`
  return null
}

/**
 * The definitions after an update (docs/reference/metadata-schemas.md#endpoints): sent definitions replace stored ones as a whole,
 * in their position, or are appended; the others are kept. Returns a string with the reason if the update is invalid.
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
