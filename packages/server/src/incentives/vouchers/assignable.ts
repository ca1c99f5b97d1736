import type { Assignable } from '../../rules/validation-rules/assignable.ts'
import { findVoucher, listVouchersById } from './store.ts'
import { toSimpleVoucher } from './voucher.ts'

export const assignableVoucher: Assignable<'voucher'> = {
  async find(ctx, reference) {
    const voucher = await findVoucher(ctx, reference, { lock: 'keyShare' })
    return voucher && toSimpleVoucher(voucher)
  },
  list: async (ctx, ids) => (await listVouchersById(ctx, ids)).map(toSimpleVoucher),
}
