import type { Ctx } from '../../core/context.ts'
import { defineBulkUpdate, defineMetadataUpdate } from '../../core/jobs/bulk-update.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import type { BulkCustomer } from './schema.ts'
import { listKnownSourceIds } from './store.ts'
import { upsertCustomer } from './upsert.ts'

/**
 * Merges the sent fields into each customer and creates unknown ones (docs/reference/customers.md#bulk-updates). Emits no
 * `customer.updated` events, but queues membership checks.
 */
const eachCustomer = {
  key: ({ source_id }: BulkCustomer) => source_id,
  prepare: (ctx: Ctx) => loadMetadataRules(ctx, 'customer'),
  async item(ctx: Ctx, item: BulkCustomer, rules: MetadataRules) {
    // A bulk update finds customers by `source_id` only: a sent `id` must not select another customer.
    const { isNew } = await upsertCustomer(ctx, { ...item, id: null }, { rules, silent: 'updates' })
    return { found: !isNew }
  },
  existing: listKnownSourceIds,
}

export const updateCustomers = defineBulkUpdate<BulkCustomer, MetadataRules>({
  ...eachCustomer,
  type: 'CUSTOMERS.BULK_UPDATE',
  names_source: true,
})

export const updateCustomerMetadata = defineMetadataUpdate<MetadataRules>({
  ...eachCustomer,
  type: 'CUSTOMERS.METADATA_UPDATE',
  names_source: false,
})
