import type { Ctx } from '../context.ts'
import { insertFile } from '../files/store.ts'
import { ApiError, invalidPayload } from '../http/errors.ts'
import { newId, randomText } from '../lib/ids.ts'
import { parseExportFilter } from './filter.ts'
import { type Exportable, type ExportedObject, exportables } from './objects.ts'
import type { AskedParameters, Export, ExportParameters } from './schema.ts'
import { insertExport } from './store.ts'

/** Schedules an export in the caller's transaction: `createExport(ctx, 'order', body.parameters)`. */
export async function createExport(
  ctx: Ctx,
  exported_object: ExportedObject,
  asked: AskedParameters | null | undefined,
): Promise<Export> {
  const parameters = withDefaults(exportables[exported_object], asked ?? {})
  await parseExportFilter(ctx, exported_object, parameters.filters)
  const created = await insertExport(ctx, {
    id: newId('export', Date.parse(ctx.now)),
    exported_object,
    parameters,
    file_id: await insertFile(ctx, { expires_at: null }), // kept until somebody deletes the export
    token: randomText(48),
  })
  ctx.afterCommit(() => ctx.jobs.wake('exports'))
  return created
}

function withDefaults(exportable: Exportable, { order, fields, filters }: AskedParameters): ExportParameters {
  const { orders, default_fields } = exportable
  if (typeof order === 'string' && !orders.includes(order))
    throw invalidPayload(
      `Property .parameters.order must be equal to one of the allowed values [ ${orders.join(', ')} ]`,
    )
  checkFields(exportable, fields ?? [])
  const junction = filters?.junction ?? 'and'
  return {
    order: order ?? (orders[0] as string),
    // A file without columns is nobody's wish.
    fields: fields === null || fields === undefined || fields.length === 0 ? [...default_fields] : fields,
    filters: { ...filters, junction: typeof junction === 'string' ? junction.toLowerCase() : junction },
  }
}

function checkFields({ fields: known }: Exportable, fields: string[]): void {
  const unknown = fields.find((name) => !Object.hasOwn(known, name) && !/^metadata(\..+)?$/s.test(name))
  if (unknown === undefined) return
  const allowed = [...Object.keys(known), 'metadata', 'metadata.<key>'].join(', ')
  throw new ApiError('invalid_export_fields', { details: `Unknown field '${unknown}'. Allowed fields: ${allowed}` })
}
