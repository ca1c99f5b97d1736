import type { Ctx } from '../../core/context.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import type { CreateCustomEventSchema, CustomEventProperty, CustomEventSchema } from './schema.ts'
import { countCustomEventSchemas, insertCustomEventSchema, updateCustomEventSchema } from './store.ts'

export async function createCustomEventSchema(ctx: Ctx, body: CreateCustomEventSchema): Promise<CustomEventSchema> {
  const schema = await insertCustomEventSchema(ctx, { ...body, schema: checkLimits(body.schema.properties) })
  // The insert has locked the project by taking its version, so no concurrent creation can exceed the limit.
  if ((await countCustomEventSchemas(ctx)) > limits.schemas_max)
    throw invalidPayload(`Project must NOT have more than ${limits.schemas_max} custom event schemas`)
  return schema
}

/**
 * Adds and replaces properties, whose types may change; properties that are not sent are kept
 * (docs/reference/custom-events.md#event-schemas).
 */
export function changeCustomEventSchema(
  ctx: Ctx,
  id: string,
  sent: CustomEventSchema['schema'],
): Promise<CustomEventSchema> {
  return updateCustomEventSchema(ctx, id, ({ properties }) => checkLimits({ ...properties, ...sent.properties }))
}

/** The schema with these properties; throws if there are too many, or their names are too long. */
export function checkLimits(properties: Record<string, CustomEventProperty>): CustomEventSchema['schema'] {
  const names = Object.keys(properties)
  if (names.length > limits.metadata_definitions_max)
    throw invalidPayload(
      `Property .schema.properties must NOT have more than ${limits.metadata_definitions_max} definitions`,
    )
  if (names.some((name) => name === '' || name.length > limits.name_length_max))
    throw invalidPayload('Property .schema.properties must have names of 1 to 255 characters')
  return { properties }
}
