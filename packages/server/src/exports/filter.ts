import type { Ctx } from '../core/context.ts'
import { invalidPayload } from '../core/http/errors.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import { type Filter, filterSql, locationsIn, parseFilter } from '../core/query/filter/filter.ts'
import { listLocationShapes } from '../definitions/locations/store.ts'
import { metadataTypes } from '../definitions/metadata-schemas/rules.ts'
import type { Exportable } from './exportable.ts'
import { type ExportedObject, exportables } from './objects.ts'

/** Parses the filter of an export, and checks it against the fields of its object. */
export async function parseExportFilter(ctx: Ctx, exportedObject: ExportedObject, filters: unknown): Promise<Filter> {
  const { described_as, filterFields }: Exportable = exportables[exportedObject]
  const types = described_as === null ? {} : await metadataTypes(ctx, described_as)
  return parseFilter(filters, filterFields(types, ctx), {
    refuse: invalidPayload,
    property: '.parameters.filters',
  })
}

/** The filter as an SQL condition. */
export async function exportFilterSql(ctx: Ctx, exportedObject: ExportedObject, filters: unknown): Promise<Condition> {
  const { resolve }: Exportable = exportables[exportedObject]
  const parsed = await parseExportFilter(ctx, exportedObject, filters)
  const filter = (await resolve?.(ctx, parsed)) ?? parsed
  const locations = await listLocationShapes(ctx, locationsIn(filter))
  return filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone }, { locations })
}
