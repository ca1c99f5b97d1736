import type { Ctx } from '../../core/context.ts'
import type { ApiError } from '../../core/http/errors.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { type Filter, filterSql, locationsIn, parseFilter } from '../../core/query/filter/filter.ts'
import { listLocationShapes } from '../../definitions/locations/store.ts'
import { metadataTypes } from '../../definitions/metadata-schemas/rules.ts'
import { customerFields } from './fields.ts'

/** Parses a customer filter from a request and checks it against the fields and the metadata schema of the project. */
export async function parseCustomerFilter(
  ctx: Ctx,
  sent: unknown,
  options: { refuse?: (details: string) => ApiError; property?: string } = {},
): Promise<Filter> {
  return parseFilter(sent, customerFields(ctx.project_id, await metadataTypes(ctx, 'customer')), options)
}

/** A customer filter as a SQL condition on `customers`. */
export async function customerFilterSql(ctx: Ctx, sent: unknown): Promise<Condition> {
  const filter = await parseCustomerFilter(ctx, sent)
  const locations = await listLocationShapes(ctx, locationsIn(filter))
  return filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone }, { locations })
}
