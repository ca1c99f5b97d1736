import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import { newTimeSlice } from '../lib/time-slice.ts'

/**
 * Serialises a reply by its schema: only declared fields are sent. Fastify compiles the schema on first use, because most
 * operations of an installation are never called.
 */
export function serialise(reply: FastifyReply, schema: TSchema, result: unknown): string {
  return serialiseAs(reply, serialisableOf(schema), result)
}

/** The same for replies that may have long lists, such as pages and orders: an element at a time, in slices. */
export async function serialiseInSlices(reply: FastifyReply, schema: TSchema, result: unknown): Promise<string> {
  const slice = newTimeSlice()
  return write(serialisableOf(schema), result)

  async function write(schema: Schema, value: unknown): Promise<string> {
    const parts: string[] = []
    if (isLongList(schema, value)) {
      const serialiseElement = serialiserOf(reply, schema.items as Schema)
      for (const element of value) {
        const isLong = holdsLongList(schema.items as Schema, element)
        parts.push(isLong ? await write(schema.items as Schema, element) : serialiseElement(element as Element))
        if (slice.isOver()) await slice.pause()
      }
      return `[${parts.join(',')}]`
    }
    if (!holdsLongList(schema, value)) return serialiseAs(reply, schema, value)
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      if (value[name] !== undefined) parts.push(`${JSON.stringify(name)}:${await write(property, value[name])}`)
    return `{${parts.join(',')}}`
  }
}

type Element = Record<string, unknown>

const isLongList = ({ items }: Schema, value: unknown): value is unknown[] =>
  items !== undefined &&
  Array.isArray(value) &&
  (value.length >= longListLength || value.some((element) => holdsLongList(items, element)))

/** Shorter lists are serialised at once: that takes less time in total. */
const longListLength = 20

function holdsLongList(schema: Schema, value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  return listPropertiesOf(schema).some(([name, property]) => {
    const part = (value as Record<string, unknown>)[name]
    return isLongList(property, part) || holdsLongList(property, part)
  })
}

/** The properties of an object that are lists or hold some, found once for each schema: most have none. */
function listPropertiesOf(schema: Schema): ReadonlyArray<readonly [name: string, property: Schema]> {
  const known = listProperties.get(schema)
  if (known !== undefined) return known
  const { properties, additionalProperties } = schema
  const found =
    typeof additionalProperties === 'object'
      ? []
      : Object.entries(properties ?? {}).filter(
          ([, property]) => property.items !== undefined || listPropertiesOf(property).length > 0,
        )
  listProperties.set(schema, found)
  return found
}

const listProperties = new WeakMap<Schema, ReadonlyArray<readonly [name: string, property: Schema]>>()

function serialisableOf(schema: TSchema): Schema {
  let serialisable = serialisableSchemas.get(schema)
  if (serialisable === undefined) {
    serialisable = withoutUnions(schema as Schema)
    serialisableSchemas.set(schema, serialisable)
  }
  return serialisable
}

/** Compiled once: to look it up for every element of a list costs as much as a small element. */
const serialiserOf = (reply: FastifyReply, schema: Schema) =>
  reply.compileSerializationSchema(schema as Record<string, unknown>)

const serialiseAs = (reply: FastifyReply, schema: Schema, value: unknown): string =>
  reply.serializeInput(value as Record<string, unknown>, schema as Record<string, unknown>)

const serialisableSchemas = new WeakMap<TSchema, Schema>()

interface Schema {
  type?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  nullable?: boolean
}

/**
 * Removes unions from the schema: the serialiser could choose a variant only by validating the value, which takes longer
 * than serialising it. A value of a union type is serialised without a schema.
 */
function withoutUnions(schema: Schema): Schema {
  const { anyOf, properties, additionalProperties, items, ...rest } = schema
  if (anyOf !== undefined) {
    const [only, ...others] = anyOf.filter(({ type }) => type !== 'null')
    return only !== undefined && others.length === 0 ? { ...withoutUnions(only), nullable: true } : {}
  }
  return {
    ...rest,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, withoutUnions(each)])),
        }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object' ? withoutUnions(additionalProperties) : additionalProperties,
        }),
    ...(items === undefined ? {} : { items: withoutUnions(items) }),
  }
}
