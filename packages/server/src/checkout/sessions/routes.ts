import { operation } from '../../core/http/operation.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import { releaseHold } from './hold.ts'

export const sessions = [
  operation({
    id: 'releaseValidationSession',
    method: 'DELETE',
    path: '/v1/vouchers/{code}/sessions/{sessionKey}',
    summary: 'Release a code from a session',
    description: 'What the session keeps of this code is free again; other codes of the session stay with it.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code),
    run: (ctx, { params, target }) => releaseHold(ctx, target, params.sessionKey),
  }),
]
