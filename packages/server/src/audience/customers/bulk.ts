import type { Ctx } from '../../core/context.ts'
import { defineBulkUpdate, defineMetadataUpdate } from '../../core/jobs/bulk-update.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import type { BulkCustomer } from './schema.ts'
import { listSourcesKnown } from './store.ts'
import { upsertCustomer } from './upsert.ts'

/** Spec 04, 4.4: what is sent is merged into each customer, unknown ones are created, and nobody is told but the segments. */
const eachCustomer = {
  key: ({ source_id }: BulkCustomer) => source_id,
  prepare: (ctx: Ctx) => loadMetadataRules(ctx, 'customer'),
  async item(ctx: Ctx, item: BulkCustomer, rules: MetadataRules) {
    // An `id` that was sent along must not choose the customer.
    const { isNew } = await upsertCustomer(ctx, { ...item, id: null }, { rules, silent: true })
    return { found: !isNew }
  },
  existing: listSourcesKnown,
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
