import type { Filter } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { isDayRelative } from '../../core/query/filter/filter.ts'
import { customerFilterSql, parseCustomerFilter } from '../customers/filter.ts'

export interface SegmentDefinition {
  /** As it is stored and returned by the API. */
  filter: Filter
  /** Whether it compares with the current day, so that its members may change from day to day. */
  is_day_relative: boolean
}

/**
 * Checks the filter of a dynamic segment (docs/reference/segments.md#endpoints), which must have a junction and at least one
 * field.
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
  await refuseUnlessExecutable(ctx, filter)
  return { filter, is_day_relative: isDayRelative(parsed) }
}

/** Refuses a filter whose locations together exceed the size of a statement; otherwise the background job would fail on it. */
async function refuseUnlessExecutable(ctx: Ctx, filter: Filter): Promise<void> {
  try {
    await customerFilterSql(ctx, filter)
  } catch (error) {
    throw error instanceof ApiError ? invalidPayload(error.message) : error
  }
}
