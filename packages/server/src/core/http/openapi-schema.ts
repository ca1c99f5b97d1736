import { declaredFields, Nullable, shownAs } from '@guerdon/engine/schema'
import type { TSchema } from 'typebox'
import { writtenForm } from './json-schema.ts'
import type { Describer } from './openapi-descriptions.ts'

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
  /** The published form of a schema: a `$ref` if it has a name. The path is where an unnamed one is described. */
  publish(schema: TSchema, path: Path): JsonSchema
  /** The published form of each of its properties. */
  publishProperties(schema: TSchema, path: Path): Record<string, JsonSchema>
  /** The name of a schema, or undefined. */
  nameOf(schema: TSchema): string | undefined
  /** The targets of the references: every named schema published so far, by name. */
  components(): Record<string, JsonSchema>
}

/** A schema before it is published. */
interface Source extends JsonSchema {
  [declaredFields]?: () => JsonSchema
  [shownAs]?: () => JsonSchema
  [writtenForm]?: string
}

/** Where a schema is: the name of the component or operation, and the properties below it. */
type Path = readonly string[]

/** Publishes schemas; those in `named` become components that other schemas reference. */
export function newSchemaBook(
  named: Iterable<readonly [name: string, schema: TSchema]>,
  describer: Describer,
): SchemaBook {
  const known = new Map<object, { name: string; schema: JsonSchema }>()
  for (const [name, source] of named) {
    const schema = shown(source as JsonSchema)
    const identity = identityOf(schema)
    if (identity === undefined) continue
    const isCopy = known.has(identity) && allowsNull(schema) // `Nullable(X)` is published as X or null, not as a component
    if (!isCopy) known.set(identity, { name, schema })
  }
  const components = new Map<string, { source: JsonSchema; published: JsonSchema }>()

  function publish(source: JsonSchema, path: Path): JsonSchema {
    const schema = shown(source)
    const found = known.get(identityOf(schema) ?? schema)
    if (found === undefined) return publishPlain(schema, path)
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
      const description = describer.ofName(name)
      component.published = { ...(description === undefined ? {} : { description }), ...publishPlain(source, [name]) }
    } else if (identityOf(existing.source) !== identityOf(source)) throw new Error(`Two schemas are called ${name}`)
  }

  function publishPlain(source: Source, path: Path): JsonSchema {
    const schema = withDeclaredFields(source)
    const published: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema)) {
      if (value !== undefined) published[keyword] = publishKeyword(keyword as keyof JsonSchema, value, path)
    }
    const result = withPublicFormat(withWrittenForm(published as JsonSchema, source))
    return result.discriminator === undefined ? result : withMapping(result, schema)
  }

  function publishKeyword(keyword: keyof JsonSchema, value: unknown, path: Path): unknown {
    const kind = keywords[keyword]
    if (kind === undefined)
      throw new Error(`Unknown schema keyword ${keyword}: add it to "keywords" in openapi-schema.ts`)
    return publishers[kind](value, (schema, name) =>
      name === undefined ? publish(schema, path) : publishProperty(schema, [...path, name]),
    )
  }

  function publishProperty(schema: Source, path: Path): JsonSchema {
    const published = publish(schema, path)
    // A reference repeats no description of its target.
    const own = published.$ref === undefined ? schema.description : published.description
    const meaning = own ?? innerDescription(schema, published) ?? describer.ofProperty(path, alwaysOf(published))
    if (meaning === undefined) return published
    // How it is written comes second: "When it ends. ISO 8601 date …".
    const form = own === undefined && published.$ref === undefined ? published.description : schema[writtenForm]
    return { ...published, description: form === undefined ? meaning : `${meaning} ${form}` }
  }

  return {
    publish: (schema, path) => publish(schema as JsonSchema, path),
    publishProperties: (schema, path) =>
      publishKeyword('properties', (schema as JsonSchema).properties, path) as Record<string, JsonSchema>,
    nameOf: (schema) => known.get(identityOf(shown(schema as JsonSchema)) ?? schema)?.name,
    components: () => Object.fromEntries([...components].map(([name, { published }]) => [name, published])),
  }
}

/** What the document shows of a schema: of one whose values are checked elsewhere, what that check accepts. */
function shown(schema: Source): Source {
  const form = schema[shownAs]?.()
  if (form === undefined) return schema
  const { description, [writtenForm]: written } = schema
  const nullable = allowsNull(schema) ? (Nullable(form as TSchema) as JsonSchema) : form
  return {
    ...nullable,
    ...(description === undefined ? {} : { description }),
    ...(written === undefined ? {} : { [writtenForm]: written }),
  }
}

/** A schema that contains itself declares its fields behind a function. One that accepts others beside them is published open. */
function withDeclaredFields(schema: Source): JsonSchema {
  const declared = schema[declaredFields]
  return declared === undefined || schema.additionalProperties === true ? schema : { ...declared(), ...schema }
}

/** Of `Nullable(X)`: the description of X, unless X is published as a reference, which leads to it. */
const innerDescription = ({ anyOf = [] }: JsonSchema, published: JsonSchema): string | undefined =>
  anyOf.length === 2 && anyOf[1]?.type === 'null' && published.anyOf?.[0]?.$ref === undefined
    ? anyOf[0]?.description
    : undefined

/** The description of how a value is written, where the schema has no other. */
const withWrittenForm = (published: JsonSchema, { [writtenForm]: form }: Source): JsonSchema =>
  form === undefined || published.description !== undefined ? published : { ...published, description: form }

/** The description of a property that has only one value. */
const alwaysOf = ({ const: only }: JsonSchema): string | undefined =>
  only === undefined ? undefined : `Always \`${typeof only === 'string' ? only : JSON.stringify(only)}\`.`

/** Adds the mapping from tag to named variant; without a name for every variant, drops the discriminator: the tags suffice. */
function withMapping(published: JsonSchema, { anyOf = [], discriminator }: JsonSchema): JsonSchema {
  const { discriminator: _, ...rest } = published
  const tag = discriminator?.propertyName as string
  const mapping: Record<string, string> = {}
  for (const [index, variant] of anyOf.entries()) {
    const reference = published.anyOf?.[index]?.$ref
    if (reference === undefined) return rest
    const { enum: words, const: word } = withDeclaredFields(variant).properties?.[tag] ?? {}
    for (const each of words ?? [word]) mapping[String(each)] = reference
  }
  return { ...rest, discriminator: { propertyName: tag, mapping } }
}

/**
 * The object that identifies a schema. `Type.Optional`, `Nullable` and `Type.Unsafe` copy a schema, but not the object that
 * holds its properties or variants. A list is identified by its own schema object: other lists may share its items. Plain
 * strings and numbers are too small for a name.
 */
function identityOf(schema: Source): object | undefined {
  return (
    schema.properties ?? schema.anyOf ?? schema[declaredFields] ?? (schema.items === undefined ? undefined : schema)
  )
}

const allowsNull = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null')

/** Publishes the value of a keyword, by what it holds: schemas inside it are published too. */
const publishers = {
  value: (value) => value,
  schema: (value, publish) => (typeof value === 'boolean' ? value : publish(value as JsonSchema)),
  list: (value, publish) => (value as JsonSchema[]).map((schema) => publish(schema)),
  map: (value, publish) =>
    Object.fromEntries(
      Object.entries(value as Record<string, JsonSchema>).map(([name, schema]) => [name, publish(schema, name)]),
    ),
} satisfies Record<string, (value: unknown, publish: PublishPart) => unknown>

/** Publishes a schema inside another; with a name if it is a property. */
type PublishPart = (schema: JsonSchema, name?: string) => JsonSchema

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
