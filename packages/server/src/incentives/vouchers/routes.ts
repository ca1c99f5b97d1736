import { operation } from '../../core/http/operation.ts'
import { startAsyncAction } from '../../core/jobs/async-action.ts'
import { StartedAsyncAction } from '../../core/jobs/async-actions/schema.ts'
import { startFileImport } from '../../core/jobs/file-import.ts'
import { listed } from '../../core/query/list.ts'
import { updateVouchersInBulk, updateVouchersMetadata } from './bulk.ts'
import { createVoucher } from './create.ts'
import { startVoucherImport } from './import.ts'
import { importVouchersCsv } from './import-csv.ts'
import { BulkVoucherMetadata, BulkVouchers, ImportVouchers, ImportVouchersCsv } from './import-schema.ts'
import { pageOfVouchers } from './list.ts'
import { listClientVouchers, setExpirationDate, toClientVoucher } from './on-client-side.ts'
import { readVoucher } from './read.ts'
import { removeVoucher } from './remove.ts'
import {
  ClientVoucher,
  ClientVoucherList,
  ClientVoucherQuery,
  CreateVoucher,
  CreateVoucherWithCode,
  DeleteVoucherQuery,
  SetVoucherExpiration,
  TransactionList,
  UpdateVoucher,
  Voucher,
  VoucherList,
  VoucherQuery,
  VoucherTransactionQuery,
} from './schema.ts'
import { getVoucher } from './store.ts'
import { listTransactions } from './transactions.ts'
import { changeVoucher, switchVoucher } from './update.ts'

/** Errors of the operations that create a voucher. */
const createErrors = [
  'invalid_payload',
  'invalid_voucher',
  'invalid_campaign',
  'invalid_code_config',
  'metadata_validation_failed',
  'not_found',
  'duplicate_found',
] as const

export const vouchers = [
  operation({
    id: 'listVouchers',
    method: 'GET',
    path: '/v1/vouchers',
    summary: 'List vouchers',
    description: 'Page by page; filters, campaign, category and holder narrow the list. Without rule assignments.',
    query: VoucherQuery,
    reply: VoucherList,
    errors: ['invalid_query_params'],
    run: (ctx, { query }) => pageOfVouchers(ctx, query),
  }),
  operation({
    id: 'createVoucher',
    method: 'POST',
    path: '/v1/vouchers',
    summary: 'Create a voucher',
    description: 'With the `code` given, else with a random one as `code_config` or the project says.',
    body: CreateVoucher,
    reply: Voucher,
    errors: createErrors,
    run: (ctx, { body }) => createVoucher(ctx, body),
  }),
  operation({
    id: 'createVoucherWithCode',
    method: 'POST',
    path: '/v1/vouchers/{code}',
    summary: 'Create a voucher with this code',
    description:
      'The code is the one of the path. `type` may be left out when the body has exactly one of `discount`, `gift` and `loyalty_card`.',
    body: CreateVoucherWithCode,
    reply: Voucher,
    errors: createErrors,
    run: (ctx, { params, body }) => createVoucher(ctx, body, params.code),
  }),
  operation({
    id: 'getVoucher',
    method: 'GET',
    path: '/v1/vouchers/{code}',
    summary: 'Get a voucher',
    description: 'By code or id, with its rule assignments.',
    reply: Voucher,
    errors: ['not_found'],
    run: (ctx, { params }) => readVoucher(ctx, params.code),
  }),
  operation({
    id: 'updateVoucher',
    method: 'PUT',
    path: '/v1/vouchers/{code}',
    summary: 'Update a voucher',
    description:
      'Balances are changed by the operation of their own; `type`, `code` and `redemption` stay as they are.',
    body: UpdateVoucher,
    reply: Voucher,
    errors: ['invalid_payload', 'invalid_voucher', 'metadata_validation_failed', 'not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code, { lock: 'update' }),
    run: (ctx, { target, body }) => changeVoucher(ctx, target, body),
  }),
  operation({
    id: 'deleteVoucher',
    method: 'DELETE',
    path: '/v1/vouchers/{code}',
    summary: 'Delete a voucher',
    description: 'Into the bin, where the code stays taken, or for good.',
    query: DeleteVoucherQuery,
    reply: null,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code),
    run: (ctx, { target, query }) => removeVoucher(ctx, target, query.force === true),
  }),
  operation({
    id: 'enableVoucher',
    method: 'POST',
    path: '/v1/vouchers/{code}/enable',
    summary: 'Enable a voucher',
    description: 'The code can be redeemed again. Enabling an enabled code changes nothing.',
    reply: Voucher,
    errors: ['not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code, { lock: 'update' }),
    run: (ctx, { target }) => switchVoucher(ctx, target, true),
  }),
  operation({
    id: 'disableVoucher',
    method: 'POST',
    path: '/v1/vouchers/{code}/disable',
    summary: 'Disable a voucher',
    description: 'The code cannot be redeemed until it is enabled again.',
    reply: Voucher,
    errors: ['not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code, { lock: 'update' }),
    run: (ctx, { target }) => switchVoucher(ctx, target, false),
  }),
  operation({
    id: 'listVoucherTransactions',
    method: 'GET',
    path: '/v1/vouchers/{code}/transactions',
    summary: 'List the transactions of a card',
    description: 'Changes of the credits or points of one card, the newest first.',
    query: VoucherTransactionQuery,
    reply: TransactionList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code),
    run: async (ctx, { target, query }) => {
      const { transactions, ...more } = await listTransactions(ctx, { voucher_id: target.id }, query)
      return listed('data', transactions, more)
    },
  }),
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
    run: (ctx, { body }) => startVoucherImport(ctx, body),
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
      startFileImport(ctx, importVouchersCsv, [file], { webhooks_enable }),
  }),
  operation({
    id: 'updateVouchersInBulk',
    method: 'POST',
    path: '/v1/vouchers/bulk/async',
    summary: 'Update the metadata of vouchers in bulk',
    description:
      'Merges metadata into each listed code, in the background; the answer names the async action. Unknown codes are reported there.',
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
    description:
      'Merges the same metadata into all listed codes, in the background; the answer names the async action. Unknown codes are reported there.',
    body: BulkVoucherMetadata,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload'],
    run: (ctx, { body: { codes, metadata } }) => startAsyncAction(ctx, updateVouchersMetadata, { codes, metadata }),
  }),
  operation({
    id: 'listClientVouchers',
    method: 'GET',
    path: '/client/v1/vouchers',
    summary: 'List the vouchers of a customer (client side)',
    description:
      'Those that the customer holds, for a page that proves the customer by a tracking id. Nothing for any other.',
    flag: 'client_list_vouchers_enabled',
    query: ClientVoucherQuery,
    reply: ClientVoucherList,
    errors: ['invalid_query_params', 'ambiguous_tracking_id'],
    run: (ctx, { query }) => listClientVouchers(ctx, query),
  }),
  operation({
    id: 'setVoucherExpiration',
    method: 'PUT',
    path: '/client/v1/vouchers/{code}',
    summary: 'Set the expiration date of a voucher (client side)',
    description:
      'Of a usable voucher that the customer holds, for a page that proves the customer: not later than the voucher expires ' +
      'already or, where it has no date, than its campaign ends.',
    flag: 'client_set_voucher_expiration_date_enabled',
    body: SetVoucherExpiration,
    reply: Voucher,
    for_pages: { reply: ClientVoucher, view: (_ctx, voucher) => toClientVoucher(voucher as Voucher) },
    errors: [
      'invalid_payload',
      'invalid_expiration_date',
      'invalid_voucher',
      'voucher_disabled',
      'voucher_expired',
      'forbidden',
      'not_found',
      'ambiguous_tracking_id',
    ],
    target: (ctx, { params }) => getVoucher(ctx, params.code, { lock: 'update' }),
    run: (ctx, { params, target, body }) => setExpirationDate(ctx, { voucher: target, code: params.code }, body),
  }),
]
