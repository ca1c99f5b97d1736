import type { Filter } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { isDayRelative } from '../../core/query/filter/filter.ts'
import { customerFilterSql, parseCustomerFilter } from '../customers/filter.ts'

export interface SegmentDefinition {
  /** As it is stored and shown. */
  filter: Filter
  /** Whether it asks for days, so that a day later it may have other customers. */
  is_day_relative: boolean
}

/**
 * The filter of a dynamic segment, checked (docs/reference/segments.md#endpoints); it must say how its fields join, and have one
 * at least.
 */
export async function readSegmentFilter(ctx: Ctx, sent: Filter | null | undefined): Promise<SegmentDefinition> {
  if (sent === undefined || sent === null) throw invalidPayload(`Payload should have required property 'filter'`)
  const { junction, ...fields } = sent
  const word = typeof junction === 'string' ? junction.toLowerCase() : null
  if (word !== 'and' && word !== 'or')
    throw invalidPayload('Property .filter has wrong junction property. It must be one of: and, or')
  const filter = { junction: word, ...fields }
  const parsed = await parseCustomerFilter(ctx, filter, { refuse: invalidPayload, property: '.filter' })
  if (parsed.fields.length === 0) throw invalidPayload('Property .filter must have at least one field')
  if (Buffer.byteLength(JSON.stringify(filter)) > limits.filter_bytes_max)
    throw invalidPayload(`Property .filter must NOT be larger than ${limits.filter_bytes_max} bytes`)
  await refuseUnlessAnswerable(ctx, filter)
  return { filter, is_day_relative: isDayRelative(parsed) }
}

/** A filter may name locations that together are more than a statement takes; better now than in the background. */
async function refuseUnlessAnswerable(ctx: Ctx, filter: Filter): Promise<void> {
  try {
    await customerFilterSql(ctx, filter)
  } catch (error) {
    throw error instanceof ApiError ? invalidPayload(error.message) : error
  }
}
