import type { declaredFields } from '@guerdon/engine/schema'

/** How a value may be written, where the description says what it means: the OpenAPI document says both. */
export const writtenForm = Symbol('written form')

/** The subset of JSON Schema that our schemas use. */
export interface Schema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  discriminator?: { propertyName: string }
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  default?: unknown
  [declaredFields]?: () => Schema
}

/** The types that a value of the schema can have. */
export function typesOf(schema: Schema): string[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(typesOf)
  if (schema.type !== undefined) return [schema.type].flat()
  if ('const' in schema) return [schema.const === null ? 'null' : typeof schema.const]
  return ['string', 'number', 'boolean', 'object', 'array', 'null']
}

export function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}
