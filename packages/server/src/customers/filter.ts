import type { Ctx } from '../context.ts'
import type { ApiError } from '../http/errors.ts'
import type { Condition } from '../lib/filter/conditions.ts'
import { type Filter, filterSql, locationsIn, parseFilter } from '../lib/filter/filter.ts'
import { listLocationShapes } from '../locations/store.ts'
import { metadataTypes } from '../metadata-schemas/rules.ts'
import { customerFields } from './fields.ts'

/** A filter over customers that somebody sent, checked against the fields and the metadata schema of the project. */
export async function parseCustomerFilter(
  ctx: Ctx,
  sent: unknown,
  options: { refuse?: (details: string) => ApiError; property?: string } = {},
): Promise<Filter> {
  return parseFilter(sent, customerFields(await metadataTypes(ctx, 'customer')), options)
}

/** The same as a condition of a statement that reads `customers`. */
export async function customerFilterSql(ctx: Ctx, sent: unknown): Promise<Condition> {
  const filter = await parseCustomerFilter(ctx, sent)
  const locations = await listLocationShapes(ctx, locationsIn(filter))
  return filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone }, { locations })
}
