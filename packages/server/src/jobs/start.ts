import { updateVouchers } from '../campaigns/carry.ts'
import { generateVouchers } from '../campaigns/generate.ts'
import { importCampaignVouchers, importCampaignVouchersCsv } from '../campaigns/import.ts'
import { deleteVouchers } from '../campaigns/remove.ts'
import type { House } from '../context.ts'
import { updateCustomerMetadata, updateCustomers } from '../customers/bulk.ts'
import { importCustomers } from '../customers/import.ts'
import { watchExports } from '../exports/work.ts'
import { watchMembers } from '../loyalty/clock.ts'
import { importOrders } from '../orders/import.ts'
import { bulkUpdateProductMetadata, bulkUpdateProducts } from '../products/bulk.ts'
import { importProducts } from '../products/import.ts'
import { purgeProject } from '../projects/purge.ts'
import { watchSegments } from '../segments/watch.ts'
import { importSkus } from '../skus/import.ts'
import { updateVouchersInBulk, updateVouchersMetadata } from '../vouchers/bulk.ts'
import { importVouchers } from '../vouchers/import.ts'
import { importVouchersCsv } from '../vouchers/import-csv.ts'
import { type AsyncAction, workAsyncActions } from './async-action.ts'
import { startMaintenance } from './maintenance.ts'
import { watchUsage } from './usage.ts'

/** Every async action of the service. One that is missing here is started, but never runs. */
const asyncActions: readonly AsyncAction[] = [
  importCustomers,
  updateCustomers,
  updateCustomerMetadata,
  importOrders,
  bulkUpdateProducts,
  bulkUpdateProductMetadata,
  importProducts,
  importSkus,
  generateVouchers,
  updateVouchers,
  deleteVouchers,
  importVouchers,
  importVouchersCsv,
  importCampaignVouchers,
  importCampaignVouchersCsv,
  updateVouchersInBulk,
  updateVouchersMetadata,
]

/** From here on this process does its share of the background work. */
export async function startJobs(house: House): Promise<void> {
  await workAsyncActions(house, asyncActions)
  await startMaintenance(house)
  watchSegments(house)
  watchMembers(house)
  watchExports(house)
  watchUsage(house)
  await house.jobs.work('purge-project', ({ project_id }, { signal }) =>
    purgeProject(house.database.db, project_id, signal),
  )
}
