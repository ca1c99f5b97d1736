import { operation } from '../../core/http/operation.ts'
import { StartedAsyncAction } from '../../core/jobs/async-actions/schema.ts'
import { startImport, startImportCsv } from './import.ts'
import { ImportCampaignVouchers, ImportCampaignVouchersCsv } from './import-schema.ts'
import { getCampaign } from './store.ts'

export const campaignImports = [
  operation({
    id: 'importVouchersToCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/import',
    summary: 'Import vouchers into a campaign',
    description:
      'What an entry leaves out is that of the campaign; its discount always is. Entries of a loyalty program must have a ' +
      '`loyalty_card`. Nothing is imported when a code exists already or an entry cannot be understood.',
    body: ImportCampaignVouchers,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload', 'invalid_voucher', 'invalid_campaign', 'duplicate_key', 'not_found'],
    // No lock: a long list takes a while to check, and publications must not wait for it.
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId),
    run: (ctx, { target, body }) => startImport(ctx, target, body),
  }),
  operation({
    id: 'importVouchersToCampaignCsv',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/importCSV',
    summary: 'Import vouchers into a campaign from a CSV file',
    description:
      'A row with a code of this campaign changes its `active` and its category. Rows that are refused are listed in the ' +
      'result and stop no other.',
    consumes: 'multipart',
    body: ImportCampaignVouchersCsv,
    reply: StartedAsyncAction,
    errors: ['invalid_payload', 'invalid_campaign', 'not_found'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId),
    run: (ctx, { target, body }) => startImportCsv(ctx, target, body.file),
  }),
]
