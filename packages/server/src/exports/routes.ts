import { operation, operationPair } from '../core/http/operation.ts'
import { listed } from '../core/query/list.ts'
import { getCampaign } from '../incentives/campaigns/store.ts'
import { getVoucher } from '../incentives/vouchers/store.ts'
import { getMemberIn, getProgram } from '../loyalty/programs/store.ts'
import { createExport } from './create.ts'
import { findExportFile } from './download.ts'
import { exportCampaignTransactions, exportCardTransactions, exportPointsExpiration } from './export-cards.ts'
import {
  CreateCampaignTransactionExport,
  CreateExport,
  CreateOrderExport,
  CreateTransactionExport,
  Export,
  ExportCardTransactions,
  ExportList,
  ExportPointsExpiration,
  ExportQuery,
  GetExportQuery,
} from './schema.ts'
import { deleteExport, getExport, listExports } from './store.ts'

const notExportable = ['invalid_payload', 'invalid_export_fields', 'not_found'] as const

export const exports = [
  operation({
    id: 'createExport',
    method: 'POST',
    path: '/v1/exports',
    summary: 'Create an export',
    description:
      'Writes a CSV file in the background. Once the export is `DONE`, the `url` of its `result` is where the file is.',
    body: CreateExport,
    reply: Export,
    errors: ['invalid_payload', 'invalid_export_fields', 'not_found'],
    also_for: ['VIEWER', 'MERCHANT'],
    run: (ctx, { body }) => createExport(ctx, body.exported_object, body.parameters),
  }),
  operation({
    id: 'listExports',
    method: 'GET',
    path: '/v1/exports',
    summary: 'List exports',
    description: 'Page by page, with the status of each; the file of a finished one can be downloaded.',
    query: ExportQuery,
    reply: ExportList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { exports, total } = await listExports(ctx, query)
      return listed('exports', exports, { total })
    },
  }),
  operation({
    id: 'getExport',
    method: 'GET',
    path: '/v1/exports/{exportId}',
    summary: 'Get an export, or download its file',
    description:
      'With a `token` in the query the answer is the file as CSV, and no credentials are needed: the `url` of the result is such an address.',
    query: GetExportQuery,
    reply: Export,
    errors: ['invalid_query_params', 'not_found'],
    run: (ctx, { params }) => getExport(ctx, params.exportId),
    download: {
      media_types: ['text/plain'],
      find: (ctx, { params, query }) => findExportFile(ctx, params.exportId, query.token),
    },
  }),
  operation({
    id: 'deleteExport',
    method: 'DELETE',
    path: '/v1/exports/{exportId}',
    summary: 'Delete an export',
    description: 'The file is deleted too.',
    reply: null,
    errors: ['not_found'],
    run: (ctx, { params }) => deleteExport(ctx, params.exportId),
  }),
  operation({
    id: 'createOrderExport',
    method: 'POST',
    path: '/v1/orders/export',
    summary: 'Export orders',
    description: 'Writes a CSV file in the background, as an export of `order` does.',
    body: CreateOrderExport,
    reply: Export,
    errors: ['invalid_payload', 'invalid_export_fields'],
    run: (ctx, { body }) => createExport(ctx, 'order', body.parameters),
  }),
  operation({
    id: 'exportCampaignTransactions',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/transactions/export',
    summary: 'Export the transactions of the cards of a campaign',
    description: 'Writes a CSV file in the background; the answer is the export, whose status says when it is done.',
    body: CreateCampaignTransactionExport,
    reply: Export,
    errors: ['invalid_payload', 'invalid_export_fields', 'forbidden', 'not_found'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId),
    run: (ctx, { target, body }) => exportCampaignTransactions(ctx, target, body.parameters),
  }),
  operation({
    id: 'exportVoucherTransactions',
    method: 'POST',
    path: '/v1/vouchers/{code}/transactions/export',
    summary: 'Export the transactions of a card',
    description: 'Writes a CSV file in the background; the answer is the export, whose status says when it is done.',
    body: CreateTransactionExport,
    reply: Export,
    errors: ['invalid_payload', 'invalid_export_fields', 'not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code),
    run: (ctx, { params, body }) => exportCardTransactions(ctx, params.code, body.parameters),
  }),
  operation({
    id: 'exportProgramTransactions',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/transactions/export',
    summary: 'Export the transactions of a loyalty program',
    description: 'Also of a campaign of gift vouchers.',
    body: ExportCardTransactions,
    reply: Export,
    errors: [...notExportable, 'forbidden'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId),
    run: (ctx, { target, body }) => exportCampaignTransactions(ctx, target, body.parameters),
  }),
  ...operationPair({
    id: 'exportProgramMemberTransactions',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/members/{memberId}/transactions/export',
    summary: 'Export the transactions of a member of a loyalty program',
    description: 'Writes a CSV file in the background; the answer is the export, whose status says when it is done.',
    second: {
      id: 'exportMemberTransactions',
      path: '/v1/loyalties/members/{memberId}/transactions/export',
      summary: 'Export the transactions of a member',
      description: 'Writes a CSV file in the background; the answer is the export, whose status says when it is done.',
    },
    body: ExportCardTransactions,
    reply: Export,
    errors: notExportable,
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { params, body }) => exportCardTransactions(ctx, params.memberId, body.parameters),
  }),
  operation({
    id: 'exportPointsExpiration',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/points-expiration/export',
    summary: 'Export the points of a loyalty program by the day they expire',
    description: 'Also those that are over, with the points that were lost.',
    body: ExportPointsExpiration,
    reply: Export,
    errors: notExportable,
    target: (ctx, { params }) => getProgram(ctx, params.campaignId),
    run: (ctx, { target, body }) => exportPointsExpiration(ctx, target, body.parameters),
  }),
]
