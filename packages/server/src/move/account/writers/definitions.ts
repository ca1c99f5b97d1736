import type { Shape } from '@guerdon/engine/schema'
import { nextConfigurationVersion } from '../../../core/db/configuration.ts'
import { compileValidator } from '../../../core/http/validation.ts'
import { CreateCustomEventSchema } from '../../../definitions/custom-event-schemas/schema.ts'
import { checkLimits } from '../../../definitions/custom-event-schemas/write.ts'
import { readShape } from '../../../definitions/locations/check.ts'
import type { SentDefinition } from '../../../definitions/metadata-schemas/definition.ts'
import { toSnake } from '../../../definitions/metadata-schemas/spelling.ts'
import { readDefinitions } from '../../../definitions/metadata-schemas/write.ts'
import { type Batch, forEach, insertMain, ownId, type Writer } from '../batch.ts'
import { amount, isForeign, LeftOut, moments, part, requiredText, shape } from '../foreign.ts'
import type { NewRow } from '../insert-rows.ts'

/** Inserts rows of the cached configuration. */
export async function insertConfiguration<Row extends NewRow & { id: string }>(
  batch: Batch,
  table: Parameters<typeof insertMain>[1],
  rows: readonly Row[],
): Promise<Array<Row & { config_version: number }>> {
  const { db, project_id } = batch.ctx
  const configVersion = await nextConfigurationVersion(db, project_id)
  return insertMain(
    batch,
    table,
    rows.map((row) => ({ ...row, config_version: configVersion })),
  )
}

export const metadataSchemas: Writer = {
  list: 'metadata-schemas',
  size: 100,
  async write(batch) {
    const rows = await forEach(batch, (schema) => {
      const relatedObject = requiredText(schema, 'related_object')
      const properties = Object.fromEntries(
        Object.entries(part(schema, 'properties')).map(([name, sent]) => {
          if (!isForeign(sent)) throw new LeftOut('Property .properties has a definition that is no object')
          return [name, toSnake(sent as SentDefinition)]
        }),
      )
      return {
        id: ownId(batch, 'metadata_schema', schema),
        related_object: relatedObject,
        properties: readDefinitions(properties, relatedObject),
        allow_defined_only: typeof schema.allow_defined_only === 'boolean' ? schema.allow_defined_only : null,
        ...moments(schema, batch.copied_at),
      }
    })
    await insertConfiguration(batch, 'metadata_schemas', rows)
  },
}

const eventShape = compileValidator(CreateCustomEventSchema)

export const eventSchemas: Writer = {
  list: 'event-schemas',
  size: 100,
  async write(batch) {
    const rows = await forEach(batch, (event) => {
      const fault = eventShape.firstError(event, { root: 'Payload', required: 'should' })
      if (fault !== null) throw new LeftOut(fault)
      const { name, schema } = event as CreateCustomEventSchema
      return {
        id: ownId(batch, 'metadata_schema', event),
        name,
        schema: checkLimits(schema.properties),
        ...moments(event, batch.copied_at),
      }
    })
    await insertConfiguration(batch, 'custom_event_schemas', rows)
  },
}

export const categories: Writer = {
  list: 'categories',
  size: 1_000,
  async write(batch) {
    const rows = await forEach(batch, (category) => ({
      id: ownId(batch, 'category', category),
      name: requiredText(category, 'name'),
      hierarchy: amount(category, 'hierarchy'),
      ...moments(category, batch.copied_at),
    }))
    await insertConfiguration(batch, 'categories', rows)
  },
}

export const locations: Writer = {
  list: 'locations',
  size: 100,
  async write(batch) {
    const rows = await forEach(batch, (location) => ({
      id: ownId(batch, 'location', location),
      name: requiredText(location, 'name'),
      shape: readShape(shape(location, 'shape') as Shape),
      ...moments(location, batch.copied_at),
    }))
    await insertConfiguration(batch, 'locations', rows)
  },
}
