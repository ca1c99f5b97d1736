import type { TSchema } from 'typebox'

/** A published schema: the subset of JSON Schema 2020-12 that we use. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  allOf?: JsonSchema[]
  discriminator?: { propertyName: string; mapping?: Record<string, string> }
  description?: string
  title?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  patternProperties?: Record<string, JsonSchema>
  items?: JsonSchema
  format?: string
  pattern?: string
  default?: unknown
  examples?: unknown[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  maxProperties?: number
  deprecated?: boolean
  readOnly?: boolean
  writeOnly?: boolean
}

export interface SchemaBook {
  /** The published form of a schema: a `$ref` if it has a name. */
  publish(schema: TSchema): JsonSchema
  /** The published form of each of its properties. */
  publishProperties(schema: TSchema): Record<string, JsonSchema>
  /** The name of a schema, or undefined. */
  nameOf(schema: TSchema): string | undefined
  /** The targets of the references: every named schema published so far, by name. */
  components(): Record<string, JsonSchema>
}

/** Publishes schemas; those in `named` become components that other schemas reference. */
export function newSchemaBook(named: Iterable<readonly [name: string, schema: TSchema]>): SchemaBook {
  const known = new Map<object, { name: string; schema: JsonSchema }>()
  for (const [name, schema] of named) {
    const identity = identityOf(schema)
    if (identity === undefined) continue
    const isCopy = known.has(identity) && allowsNull(schema) // `Nullable(X)` is published as X or null, not as a component
    if (!isCopy) known.set(identity, { name, schema })
  }
  const components = new Map<string, { source: JsonSchema; published: JsonSchema }>()

  function publish(schema: JsonSchema): JsonSchema {
    const found = known.get(identityOf(schema) ?? schema)
    if (found === undefined) return publishPlain(schema)
    addComponent(found.name, found.schema)
    const reference = { $ref: `#/components/schemas/${found.name}` }
    if (allowsNull(schema) && !allowsNull(found.schema)) return { anyOf: [reference, { type: 'null' }] }
    if (schema.description === undefined || schema.description === found.schema.description) return reference
    return { ...reference, description: schema.description }
  }

  function addComponent(name: string, source: JsonSchema): void {
    const existing = components.get(name)
    if (existing === undefined) {
      const component = { source, published: {} }
      components.set(name, component) // before it is filled: a schema may contain itself
      component.published = publishPlain(source)
    } else if (identityOf(existing.source) !== identityOf(source)) throw new Error(`Two schemas are called ${name}`)
  }

  function publishPlain(schema: JsonSchema): JsonSchema {
    const published: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema)) {
      if (value !== undefined) published[keyword] = publishKeyword(keyword as keyof JsonSchema, value)
    }
    const result = withPublicFormat(published as JsonSchema)
    return result.discriminator === undefined ? result : withMapping(result, schema)
  }

  function publishKeyword(keyword: keyof JsonSchema, value: unknown): unknown {
    const kind = keywords[keyword]
    if (kind === undefined)
      throw new Error(`Unknown schema keyword ${keyword}: add it to "keywords" in openapi-schema.ts`)
    return publishers[kind](value, publish)
  }

  return {
    publish: (schema) => publish(schema as JsonSchema),
    publishProperties: (schema) =>
      publishKeyword('properties', (schema as JsonSchema).properties) as Record<string, JsonSchema>,
    nameOf: (schema) => known.get(identityOf(schema as JsonSchema) ?? schema)?.name,
    components: () => Object.fromEntries([...components].map(([name, { published }]) => [name, published])),
  }
}

/** Adds the mapping from tag to named variant; without a name for every variant, drops the discriminator: the tags suffice. */
function withMapping(published: JsonSchema, { anyOf = [], discriminator }: JsonSchema): JsonSchema {
  const { discriminator: _, ...rest } = published
  const tag = discriminator?.propertyName as string
  const mapping: Record<string, string> = {}
  for (const [index, variant] of anyOf.entries()) {
    const reference = published.anyOf?.[index]?.$ref
    if (reference === undefined) return rest
    const { enum: words, const: word } = variant.properties?.[tag] ?? {}
    for (const each of words ?? [word]) mapping[String(each)] = reference
  }
  return { ...rest, discriminator: { propertyName: tag, mapping } }
}

/**
 * The object that identifies a schema. `Type.Optional`, `Nullable` and `Type.Unsafe` copy a schema, but not the object that
 * holds its properties or variants. A list is identified by its own schema object: other lists may share its items. Plain
 * strings and numbers are too small for a name.
 */
function identityOf(schema: JsonSchema): object | undefined {
  return schema.properties ?? schema.anyOf ?? (schema.items === undefined ? undefined : schema)
}

const allowsNull = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null')

/** Publishes the value of a keyword, by what it holds: schemas inside it are published too. */
const publishers = {
  value: (value) => value,
  schema: (value, publish) => (typeof value === 'boolean' ? value : publish(value as JsonSchema)),
  list: (value, publish) => (value as JsonSchema[]).map(publish),
  map: (value, publish) =>
    Object.fromEntries(
      Object.entries(value as Record<string, JsonSchema>).map(([name, schema]) => [name, publish(schema)]),
    ),
} satisfies Record<string, (value: unknown, publish: (schema: JsonSchema) => JsonSchema) => unknown>

const keywords: { [K in keyof Required<JsonSchema>]: keyof typeof publishers } = {
  $ref: 'value',
  type: 'value',
  const: 'value',
  enum: 'value',
  anyOf: 'list',
  allOf: 'list',
  discriminator: 'value',
  description: 'value',
  title: 'value',
  properties: 'map',
  required: 'value',
  additionalProperties: 'schema',
  patternProperties: 'map',
  items: 'schema',
  format: 'value',
  pattern: 'value',
  default: 'value',
  examples: 'value',
  minLength: 'value',
  maxLength: 'value',
  minimum: 'value',
  maximum: 'value',
  exclusiveMinimum: 'value',
  exclusiveMaximum: 'value',
  multipleOf: 'value',
  minItems: 'value',
  maxItems: 'value',
  uniqueItems: 'value',
  minProperties: 'value',
  maxProperties: 'value',
  deprecated: 'value',
  readOnly: 'value',
  writeOnly: 'value',
}

/** How formats are published: those of JSON Schema, and a description for our own (core/http/validation.ts). */
const formats: Record<string, JsonSchema> = {
  'date-time': { format: 'date-time' },
  // Not `date-time`: a date without a time is accepted here, and a strict client would refuse to send it.
  'date-input': {
    description: 'ISO 8601 date, with or without a time; without a zone it is UTC.',
    examples: ['2026-01-01T00:00:00.000Z'],
  },
  date: { format: 'date', examples: ['1990-03-01'] },
  'day-input': { description: 'ISO 8601 date; a time is accepted and left out.', examples: ['1990-03-01'] },
  duration: { description: 'ISO 8601 duration of whole numbers.', examples: ['P1D'] },
  email: { format: 'email', examples: ['owner@shop.example'] },
  url: { format: 'uri', examples: ['https://shop.example/hook'] },
  'url-or-host': { description: 'Absolute URL or host name.', examples: ['https://shop.example/terms'] },
  timezone: { description: 'IANA time zone name.', examples: ['Europe/Warsaw'] },
  currency: { description: 'ISO 4217 currency code.', pattern: '^[A-Z]{3}$', examples: ['USD'] },
  address: { description: 'IP address or CIDR range.', examples: ['192.0.2.0/24'] },
  binary: { type: 'string', format: 'binary' },
}

function withPublicFormat({ format, ...schema }: JsonSchema): JsonSchema {
  if (format === undefined) return schema
  const known = formats[format]
  if (known === undefined) throw new Error(`Unknown schema format ${format}: add it to "formats" in openapi-schema.ts`)
  return { ...known, ...schema, ...(known.format === undefined ? {} : { format: known.format }) }
}
