import { operation } from '../../core/http/operation.ts'
import { StartedAsyncAction } from '../../core/jobs/async-actions/schema.ts'
import { filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { listed } from '../../core/query/list.ts'
import { TransactionList, Voucher } from '../vouchers/schema.ts'
import { campaignTransactionFields, listTransactions } from '../vouchers/transactions.ts'
import { addVouchers, addVoucherWithCode } from './add.ts'
import { createCampaign } from './create.ts'
import { startCampaignImport, startImportCsv } from './import.ts'
import { pageOfCampaigns } from './list.ts'
import { removeCampaign } from './remove.ts'
import {
  AddVouchers,
  AddVouchersQuery,
  AddVoucherWithCode,
  Campaign,
  CampaignList,
  CampaignQuery,
  CampaignTransactionQuery,
  CreateCampaign,
  DeleteCampaignQuery,
  ImportCampaignVouchers,
  ImportCampaignVouchersCsv,
  Nothing,
  UpdateCampaign,
} from './schema.ts'
import { showCampaign } from './show.ts'
import { getCampaign, type StoredCampaign } from './store.ts'
import { CampaignSummary, CampaignSummaryQuery, summaryOf } from './summary.ts'
import { changeCampaign, switchCampaign } from './update.ts'

/** Errors of the operations that add vouchers. */
const addVoucherErrors = [
  'invalid_payload',
  'invalid_voucher',
  'invalid_campaign',
  'invalid_code_config',
  'metadata_validation_failed',
  'not_found',
  'duplicate_found',
] as const

export const campaigns = [
  operation({
    id: 'listCampaigns',
    method: 'GET',
    path: '/v1/campaigns',
    summary: 'List campaigns',
    description: 'Page by page, without tiers and rule assignments; filters and the status narrow the list.',
    query: CampaignQuery,
    reply: CampaignList,
    errors: ['invalid_query_params'],
    run: (ctx, { query }) => pageOfCampaigns(ctx, query),
  }),
  operation({
    id: 'createCampaign',
    method: 'POST',
    path: '/v1/campaigns',
    summary: 'Create a campaign',
    description: 'One code is made at once; more are made in the background, which its status shows.',
    body: CreateCampaign,
    reply: Campaign,
    errors: addVoucherErrors,
    run: (ctx, { body }) => createCampaign(ctx, body),
  }),
  operation({
    id: 'getCampaign',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}',
    summary: 'Get a campaign',
    description: 'By id or name, with its tiers or rule assignments.',
    reply: Campaign,
    errors: ['not_found'],
    run: async (ctx, { params }) => showCampaign(ctx, await getCampaign(ctx, params.campaignId)),
  }),
  operation({
    id: 'updateCampaign',
    method: 'PUT',
    path: '/v1/campaigns/{campaignId}',
    summary: 'Update a campaign',
    description: 'Codes that are neither published nor redeemed are changed too, in the background.',
    body: UpdateCampaign,
    reply: Campaign,
    errors: ['invalid_payload', 'invalid_campaign', 'metadata_validation_failed', 'resource_protected', 'not_found'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, body }) => changeCampaign(ctx, target, body),
  }),
  operation({
    id: 'deleteCampaign',
    method: 'DELETE',
    path: '/v1/campaigns/{campaignId}',
    summary: 'Delete a campaign',
    description: 'With its codes: into the bin, where its name and the codes stay taken, or for good.',
    query: DeleteCampaignQuery,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_query_params', 'resource_protected', 'not_found'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, query }) => removeCampaign(ctx, target, query.force === true),
  }),
  operation({
    id: 'enableCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/enable',
    summary: 'Enable a campaign',
    description: 'Its codes or tiers can be redeemed again. Enabling an enabled campaign changes nothing.',
    reply: Nothing,
    errors: ['not_found'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId, { lock: 'update' }),
    run: async (ctx, { target }) => {
      await switchCampaign(ctx, target, true)
      return {}
    },
  }),
  operation({
    id: 'disableCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/disable',
    summary: 'Disable a campaign',
    description: 'None of its codes or tiers can be redeemed until it is enabled again.',
    reply: Nothing,
    errors: ['not_found'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId, { lock: 'update' }),
    run: async (ctx, { target }) => {
      await switchCampaign(ctx, target, false)
      return {}
    },
  }),
  operation({
    id: 'addVouchersToCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/vouchers',
    summary: 'Add vouchers to a campaign',
    description: 'One is made at once and answered; more are made in the background (202).',
    query: AddVouchersQuery,
    body: AddVouchers,
    reply: Voucher,
    accepted: StartedAsyncAction,
    errors: [...addVoucherErrors, 'invalid_query_params'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, query, body }) => addVouchers(ctx, target, body, query.vouchers_count ?? 1),
  }),
  operation({
    id: 'addVoucherWithCodeToCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/vouchers/{code}',
    summary: 'Add a voucher with this code to a campaign',
    description:
      'The voucher gives what the campaign says; the body may override dates, category, metadata and the number of redemptions.',
    body: AddVoucherWithCode,
    reply: Voucher,
    errors: addVoucherErrors,
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, params, body }) => addVoucherWithCode(ctx, target, params.code, body),
  }),
  operation({
    id: 'getCampaignSummary',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}/summary',
    summary: 'Get the summary of a campaign',
    description:
      'Sums of redemptions, publications, credits or points, ever or from one day to another in the time zone of the project.',
    query: CampaignSummaryQuery,
    reply: CampaignSummary,
    errors: ['invalid_query_params', 'not_found'],
    reads_replica: true,
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId),
    run: (ctx, { target, query }) => summaryOf(ctx, target, query),
  }),
  operation({
    id: 'listCampaignTransactions',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}/transactions',
    summary: 'List the transactions of the cards of a campaign',
    description: 'Changes of credits or points on all cards of the campaign, the newest first.',
    query: CampaignTransactionQuery,
    reply: TransactionList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId),
    run: async (ctx, { target, query }) => {
      const filter = parseFilter(query.filters, campaignTransactionFields)
      const where = filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone })
      const { transactions, ...more } = await listTransactions(ctx, { campaign_id: target.id }, query, [where])
      return listed('data', transactions, hasTransactions(target) ? more : { ...more, total: 0 })
    },
  }),
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
    run: (ctx, { target, body }) => startCampaignImport(ctx, target, body),
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

const hasTransactions = ({ campaign_type }: StoredCampaign): boolean =>
  campaign_type === 'GIFT_VOUCHERS' || campaign_type === 'LOYALTY_PROGRAM'
