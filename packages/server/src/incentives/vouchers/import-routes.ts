import { operation } from '../../core/http/operation.ts'
import { startAsyncAction } from '../../core/jobs/async-action.ts'
import { StartedAsyncAction } from '../../core/jobs/async-actions/schema.ts'
import { startCsvImport } from '../../core/jobs/csv-import.ts'
import { updateVouchersInBulk, updateVouchersMetadata } from './bulk.ts'
import { startImport } from './import.ts'
import { importVouchersCsv } from './import-csv.ts'
import { BulkVoucherMetadata, BulkVouchers, ImportVouchers, ImportVouchersCsv } from './import-schema.ts'

export const voucherImports = [
  operation({
    id: 'importVouchers',
    method: 'POST',
    path: '/v1/vouchers/import',
    summary: 'Import vouchers',
    description:
      'Codes of no campaign. Nothing is imported when a code exists already or an entry cannot be understood.',
    body: ImportVouchers,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload', 'invalid_voucher', 'duplicate_key', 'not_found'],
    run: (ctx, { body }) => startImport(ctx, body),
  }),
  operation({
    id: 'importVouchersCsv',
    method: 'POST',
    path: '/v1/vouchers/importCSV',
    summary: 'Import vouchers from a CSV file',
    description:
      'A row with the code of a voucher without campaign changes its `active` and its category. Rows that are refused ' +
      'are listed in the result and stop no other.',
    consumes: 'multipart',
    body: ImportVouchersCsv,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload'],
    run: (ctx, { body: { file, webhooks_enable = false } }) =>
      startCsvImport(ctx, importVouchersCsv, file, { webhooks_enable }),
  }),
  operation({
    id: 'updateVouchersInBulk',
    method: 'POST',
    path: '/v1/vouchers/bulk/async',
    summary: 'Update the metadata of vouchers in bulk',
    body: BulkVouchers,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload'],
    run: (ctx, { body }) =>
      // Keep only the members that the job uses: an entry may contain a whole voucher.
      startAsyncAction(ctx, updateVouchersInBulk, { items: body.map(({ code, metadata }) => ({ code, metadata })) }),
  }),
  operation({
    id: 'updateVouchersMetadataInBulk',
    method: 'POST',
    path: '/v1/vouchers/metadata/async',
    summary: 'Update the metadata of many vouchers',
    body: BulkVoucherMetadata,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload'],
    run: (ctx, { body: { codes, metadata } }) => startAsyncAction(ctx, updateVouchersMetadata, { codes, metadata }),
  }),
]
