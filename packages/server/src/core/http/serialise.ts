import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'

/**
 * The text of an answer, by its schema: only declared fields are sent. Fastify compiles the schema when it is first
 * needed, since most operations of a service are never called.
 */
export function serialise(reply: FastifyReply, schema: TSchema, result: unknown): string {
  let form = forms.get(schema)
  if (form === undefined) {
    form = formOf(schema as Schema)
    forms.set(schema, form)
  }
  return reply.serializeInput(result as Record<string, unknown>, form as Record<string, unknown>)
}

const forms = new WeakMap<TSchema, Schema>()

interface Schema {
  type?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  nullable?: boolean
}

/**
 * A schema without unions, which the serialiser could tell apart only by validating what we have just made: it would take
 * longer than writing it. What is one of several things is written as it is.
 */
function formOf(schema: Schema): Schema {
  const { anyOf, properties, additionalProperties, items, ...rest } = schema
  if (anyOf !== undefined) {
    const [only, ...others] = anyOf.filter(({ type }) => type !== 'null')
    return only !== undefined && others.length === 0 ? { ...formOf(only), nullable: true } : {}
  }
  return {
    ...rest,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, formOf(each)])) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object' ? formOf(additionalProperties) : additionalProperties,
        }),
    ...(items === undefined ? {} : { items: formOf(items) }),
  }
}
