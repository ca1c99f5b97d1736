import { purgeProject } from './account/projects/purge.ts'
import { signInMaintenance } from './account/sign-in/retention.ts'
import { updateCustomerMetadata, updateCustomers } from './audience/customers/bulk.ts'
import { importCustomers } from './audience/customers/import.ts'
import { eraseLateEvents } from './audience/customers/late-events.ts'
import { startSegmentWorker } from './audience/segments/worker.ts'
import { bulkUpdateProductMetadata, bulkUpdateProducts } from './catalogue/products/bulk.ts'
import { importProducts } from './catalogue/products/import.ts'
import { importSkus } from './catalogue/skus/import.ts'
import type { Runtime } from './core/context.ts'
import { eventMaintenance } from './core/events/partitions.ts'
import { type AsyncActionDefinition, workAsyncActions } from './core/jobs/async-action.ts'
import { startMaintenance } from './core/jobs/maintenance.ts'
import { watchUsage } from './core/jobs/usage.ts'
import { workMails } from './core/mail/work-mails.ts'
import { watchExports } from './exports/work.ts'
import { generateVouchers } from './incentives/campaigns/generate.ts'
import { importCampaignVouchers, importCampaignVouchersCsv } from './incentives/campaigns/import.ts'
import { updateVouchers } from './incentives/campaigns/propagate.ts'
import { deleteVouchers } from './incentives/campaigns/remove.ts'
import { updateVouchersInBulk, updateVouchersMetadata } from './incentives/vouchers/bulk.ts'
import { importVouchers } from './incentives/vouchers/import.ts'
import { importVouchersCsv } from './incentives/vouchers/import-csv.ts'
import { startDailyLoyaltyJob } from './loyalty/points/daily-job.ts'
import { partitionMaintenance } from './monitoring/audit-log/partitions.ts'
import { notificationMaintenance } from './monitoring/notifications/retention.ts'
import { importOrders } from './orders/import.ts'
import { watchStatistics } from './statistics/sums/work.ts'
import { watchSendouts } from './webhooks/delivery/work.ts'
import { deleteOldSendouts } from './webhooks/sendouts/retention.ts'

/** Every async action of the service. An action that is missing here can be enqueued, but no worker ever runs it. */
export const asyncActions: readonly AsyncActionDefinition[] = [
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

/** Starts the job workers and the periodic jobs of this process. */
export async function startJobs(runtime: Runtime): Promise<void> {
  await workAsyncActions(runtime, asyncActions)
  await startMaintenance(runtime, [
    ...notificationMaintenance(runtime.settings),
    deleteOldSendouts(runtime.settings),
    partitionMaintenance(runtime),
    ...signInMaintenance,
    eventMaintenance(runtime.settings),
  ])
  await workMails(runtime)
  watchSendouts(runtime)
  startSegmentWorker(runtime)
  startDailyLoyaltyJob(runtime)
  watchExports(runtime)
  watchUsage(runtime)
  watchStatistics(runtime)
  await runtime.jobs.work('purge-project', ({ project_id }, { signal }) =>
    purgeProject(runtime.database.db, project_id, signal),
  )
  await runtime.jobs.work('erase-late-events', async (job) => {
    await eraseLateEvents(runtime.database.db, job)
    return undefined
  })
}
