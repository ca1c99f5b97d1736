import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { createVoucher } from './create.ts'
import { pageOfVouchers } from './list.ts'
import { removeVoucher } from './remove.ts'
import {
  CreateVoucher,
  CreateVoucherWithCode,
  DeleteVoucherQuery,
  TransactionList,
  UpdateVoucher,
  Voucher,
  VoucherList,
  VoucherQuery,
  VoucherTransactionQuery,
} from './schema.ts'
import { showVoucher } from './show.ts'
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
    reply: Voucher,
    errors: ['not_found'],
    run: async (ctx, { params }) => showVoucher(ctx, await getVoucher(ctx, params.code)),
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
    target: (ctx, { params }) => getVoucher(ctx, params.code, { lock: 'alone' }),
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
    reply: Voucher,
    errors: ['not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code, { lock: 'alone' }),
    run: (ctx, { target }) => switchVoucher(ctx, target, true),
  }),
  operation({
    id: 'disableVoucher',
    method: 'POST',
    path: '/v1/vouchers/{code}/disable',
    summary: 'Disable a voucher',
    reply: Voucher,
    errors: ['not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code, { lock: 'alone' }),
    run: (ctx, { target }) => switchVoucher(ctx, target, false),
  }),
  operation({
    id: 'listVoucherTransactions',
    method: 'GET',
    path: '/v1/vouchers/{code}/transactions',
    summary: 'List the transactions of a card',
    query: VoucherTransactionQuery,
    reply: TransactionList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code),
    run: async (ctx, { target, query }) => {
      const { transactions, ...more } = await listTransactions(ctx, { voucher_id: target.id }, query)
      return listed('data', transactions, more)
    },
  }),
]
