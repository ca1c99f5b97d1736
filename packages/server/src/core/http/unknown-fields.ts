import { didYouMean } from '@guerdon/engine'
import { declaredFields } from '@guerdon/engine/schema'
import { limits } from '../lib/limits.ts'
import type { Fault } from './errors.ts'
import { type Schema, typesOf } from './json-schema.ts'

/** A field that a request sends and its schema does not declare, so that it has no effect. */
export interface UnknownField {
  /** From the root: `.order.items[0].prize` */
  path: string
  name: string
  /** The fields that the schema declares in its place. */
  known: readonly string[]
  /** Whether it stands in an object that an answer has shown, as its `object` says: the client sends back what it has read. */
  is_sent_back: boolean
}

/**
 * Compiles a schema to a function that lists the fields of a value which the schema does not declare
 * (docs/reference/http.md#unknown-fields). Most values have none: one pass over their keys, which builds no path, decides that.
 */
export function unknownFieldFinder(schema: Schema): (value: unknown) => UnknownField[] {
  let shape: Shape | undefined
  return (value) => {
    shape ??= shapeOf(schema, new Map())
    if (!hasUnknown(shape, value)) return []
    const found: UnknownField[] = []
    listUnknown(shape, value, '', found)
    return found
  }
}

/** The faults of a request that wants unknown fields to be refused. */
export const unknownFieldFaults = (fields: readonly UnknownField[]): Fault[] =>
  fields.map(({ path, name, known }) => ({ path, details: `Property ${path} is not known${didYouMean(name, known)}` }))

/** The same for the answer to a request whose unknown fields are ignored. */
export const unknownFieldWarnings = (fields: readonly UnknownField[]): string[] =>
  fields.map(
    ({ path, name, known }) => `Property ${path} is not known and was ignored${didYouMean(name, known) || '.'}`,
  )

/** A name as it appears in a path: a client may send one of a million characters. */
export const shortName = (name: string): string =>
  name.length > nameLengthMax ? `${name.slice(0, nameLengthMax).toWellFormed()}…` : name

const nameLengthMax = 100

/** Which fields a value may have. */
interface Shape {
  /** The declared fields. */
  fields: Map<string, Shape>
  /** The shape of all other fields; null: there are none, so other fields are unknown. */
  others: Shape | null
  /** The shape of the elements of a list; null: they have no fields to look at. */
  elements: Shape | null
}

/** A value without fields of its own. */
const plain: Shape = { fields: new Map(), others: null, elements: null }
/** Metadata and other values of any content. */
const anything: Shape = { fields: new Map(), others: null, elements: null }

/** `shapes` has the shapes that are being built: a schema may contain itself. */
function shapeOf(schema: Schema, shapes: Map<Schema, Shape>): Shape {
  const declared = schema[declaredFields]?.() ?? schema
  const existing = shapes.get(declared)
  if (existing !== undefined) return existing
  if (declared.anyOf !== undefined) return declared.anyOf.map((choice) => shapeOf(choice, shapes)).reduce(merged, plain)
  const { properties, additionalProperties, items } = declared
  const types = typesOf(declared)
  if (!types.includes('object') && !types.includes('array')) return plain
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
  if (items === undefined && others === undefined && (properties === undefined || additionalProperties === true))
    return anything
  const shape: Shape = { fields: new Map(), others: null, elements: null }
  shapes.set(declared, shape)
  for (const [name, property] of Object.entries(properties ?? {})) shape.fields.set(name, shapeOf(property, shapes))
  if (others !== undefined) shape.others = shapeOf(others, shapes)
  if (items !== undefined) shape.elements = shapeOf(items, shapes)
  // Elements without fields need not be visited.
  if (items !== undefined && (shape.elements === plain || shape.elements === anything)) return plain
  return shape
}

/** Whether it says what it is, as objects of answers do. */
const isAnswer = (value: object): boolean => 'object' in value && typeof value.object === 'string'

/** The shape of a union: a field is known if one of the variants declares it. */
function merged(a: Shape, b: Shape): Shape {
  if (a === anything || b === anything) return anything
  if (a === plain || a === b) return b
  if (b === plain) return a
  const fields = new Map(a.fields)
  for (const [name, shape] of b.fields) {
    const same = fields.get(name)
    fields.set(name, same === undefined ? shape : merged(same, shape))
  }
  return { fields, others: mergedOr(a.others, b.others), elements: mergedOr(a.elements, b.elements) }
}

const mergedOr = (a: Shape | null, b: Shape | null): Shape | null =>
  a === null || b === null ? (a ?? b) : merged(a, b)

function hasUnknown(shape: Shape, value: unknown): boolean {
  if (shape === plain || shape === anything || typeof value !== 'object' || value === null) return false
  const { fields, others, elements } = shape
  if (Array.isArray(value)) {
    if (elements !== null) for (const item of value) if (hasUnknown(elements, item)) return true
    return false
  }
  for (const name in value) {
    const field = fields.get(name) ?? others
    if (field === null || hasUnknown(field, (value as Record<string, unknown>)[name])) return true
  }
  return false
}

function listUnknown(shape: Shape, value: unknown, path: string, found: UnknownField[]): void {
  if (shape === plain || shape === anything || typeof value !== 'object' || value === null) return
  const { fields, others, elements } = shape
  const isList = Array.isArray(value)
  for (const [name, member] of Object.entries(value)) {
    if (found.length >= limits.listed_faults_max) return
    const field = isList ? elements : (fields.get(name) ?? others)
    const memberPath = isList ? `${path}[${name}]` : `${path}.${shortName(name)}`
    if (field !== null) listUnknown(field, member, memberPath, found)
    else if (!isList)
      found.push({
        path: memberPath,
        name,
        known: [...fields.keys()],
        is_sent_back: isAnswer(value) && !fields.has('object'),
      })
  }
}
