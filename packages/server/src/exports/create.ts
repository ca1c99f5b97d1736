import type { Ctx } from '../core/context.ts'
import { missingPermission } from '../core/http/admission-checks.ts'
import { ApiError, invalidPayload, notFound } from '../core/http/errors.ts'
import { insertFile } from '../core/jobs/files/store.ts'
import { newId } from '../core/lib/ids.ts'
import { findCampaign } from '../incentives/campaigns/store.ts'
import { type Exportable, fieldNames, mayExport } from './exportable.ts'
import { parseExportFilter } from './filter.ts'
import { type ExportedObject, exportables } from './objects.ts'
import type { AskedParameters, Export, ExportParameters, StoredParameters } from './schema.ts'
import { insertExport } from './store.ts'

/**
 * Schedules an export in the caller's transaction: `createExport(ctx, 'order', body.parameters)`. `bound` is a filter that the
 * path sets; the response shows it among the filters: `createExport(ctx, 'voucher_transactions', sent, { voucher_id: { conditions: … } })`.
 * The response shows `responseParameters`, if given, instead of the parameters with their defaults.
 */
export async function createExport(
  ctx: Ctx,
  exportedObject: ExportedObject,
  sentParameters: AskedParameters | null | undefined,
  bound?: Record<string, unknown>,
  responseParameters?: ExportParameters,
): Promise<Export> {
  const exportable: Exportable = exportables[exportedObject]
  if (!mayExport(ctx, exportable)) throw missingPermission()
  const parameters = await withDefaults(ctx, exportable, sentParameters ?? {}, bound)
  const filter = await parseExportFilter(ctx, exportedObject, parameters.filters)
  exportable.checkFilter?.(ctx, filter)
  // The bound may replace a filter of the caller in `filters`; that filter is applied, and therefore checked, nevertheless.
  if (parameters.asked !== undefined) await parseExportFilter(ctx, exportedObject, parameters.asked)
  const created = await insertExport(ctx, {
    id: newId('export', Date.parse(ctx.now)),
    exported_object: exportedObject,
    parameters: responseParameters === undefined ? parameters : { ...parameters, shown: responseParameters },
    file_id: await insertFile(ctx, { expires_at: null }), // kept until the export is deleted
  })
  ctx.afterCommit(() => ctx.jobs.wake('exports'))
  return created
}

async function withDefaults(
  ctx: Ctx,
  exportable: Exportable,
  { order, fields, filters, campaign_id }: AskedParameters,
  bound: Record<string, unknown> | undefined,
): Promise<StoredParameters> {
  const { orders, default_fields } = exportable
  if (typeof order === 'string' && !orders.includes(order))
    throw invalidPayload(
      `Property .parameters.order must be equal to one of the allowed values [ ${orders.join(', ')} ]`,
    )
  checkFields(exportable, fields ?? [])
  const isNarrowed = exportable.campaign_id !== undefined && typeof campaign_id === 'string'
  if (isNarrowed) await checkCampaign(ctx, campaign_id)
  const junction = filters?.junction ?? 'and'
  return {
    order: order ?? (orders[0] as string),
    // An empty list means the defaults: a file without columns would be useless.
    fields: fields === null || fields === undefined || fields.length === 0 ? [...default_fields] : fields,
    filters: { ...filters, ...bound, junction: typeof junction === 'string' ? junction.toLowerCase() : junction },
    ...(isNarrowed ? { campaign_id } : {}),
    // Stored separately: joined by `or`, the caller's filters would lift the bound.
    ...(bound === undefined ? {} : { bound, asked: { ...filters, junction } }),
  }
}

function checkFields(exportable: Exportable, fields: string[]): void {
  const { fields: knownFields, metadata } = exportable
  const isMetadata = (name: string) => metadata !== null && /^metadata(\..+)?$/s.test(name)
  const unknown = fields.find((name) => !Object.hasOwn(knownFields, name) && !isMetadata(name))
  if (unknown === undefined) return
  const allowed = fieldNames(exportable).join(', ')
  throw new ApiError('invalid_export_fields', { details: `Unknown field '${unknown}'. Allowed fields: ${allowed}` })
}

/** Accepts only the id, as the name of the parameter says; a path accepts the name too. */
async function checkCampaign(ctx: Ctx, id: string): Promise<void> {
  const campaign = await findCampaign(ctx, id)
  if (campaign?.id !== id) throw notFound('campaign', id)
}
