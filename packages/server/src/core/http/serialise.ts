import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'

/**
 * Serialises a reply by its schema: only declared fields are sent. Fastify compiles the schema on first use, because most
 * operations of an installation are never called.
 */
export function serialise(reply: FastifyReply, schema: TSchema, result: unknown): string {
  let serialisable = serialisableSchemas.get(schema)
  if (serialisable === undefined) {
    serialisable = withoutUnions(schema as Schema)
    serialisableSchemas.set(schema, serialisable)
  }
  return reply.serializeInput(result as Record<string, unknown>, serialisable as Record<string, unknown>)
}

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
