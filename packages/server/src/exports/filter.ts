import type { Ctx } from '../context.ts'
import { invalidPayload } from '../http/errors.ts'
import type { Condition } from '../lib/filter/conditions.ts'
import { type Filter, filterSql, locationsIn, parseFilter } from '../lib/filter/filter.ts'
import { listLocationShapes } from '../locations/store.ts'
import { metadataTypes } from '../metadata-schemas/rules.ts'
import { type ExportedObject, exportables } from './objects.ts'

/** The filter of an export, checked against what its object can be filtered by. */
export async function parseExportFilter(ctx: Ctx, exported_object: ExportedObject, filters: unknown): Promise<Filter> {
  const { described_as, filterFields } = exportables[exported_object]
  return parseFilter(filters, filterFields(await metadataTypes(ctx, described_as)), {
    refuse: invalidPayload,
    property: '.parameters.filters',
  })
}

/** The same as a condition on the rows. */
export async function exportFilterSql(ctx: Ctx, exported_object: ExportedObject, filters: unknown): Promise<Condition> {
  const filter = await parseExportFilter(ctx, exported_object, filters)
  const locations = await listLocationShapes(ctx, locationsIn(filter))
  return filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone }, { locations })
}
