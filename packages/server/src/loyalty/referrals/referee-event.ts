import { type StoredCustomer, toSimpleCustomer } from '../../audience/customers/customer.ts'
import type { NewEvent } from '../../core/events/emit.ts'
import type { SimpleCampaign } from '../../core/events/shapes.ts'
import { type StoredVoucher, toSimpleVoucher } from '../../incentives/vouchers/voucher.ts'
import { toSimpleHolder } from './holder.ts'
import type { StoredHolder } from './store.ts'

/**
 * The event that a referral made a customer a holder of a code, or that a rollback undid it
 * (docs/reference/loyalty-programs.md#events).
 */
export const refereeEvent = (
  change: 'created' | 'deleted',
  holder: StoredHolder,
  { campaign, code, customer }: { campaign: SimpleCampaign; code: StoredVoucher; customer: StoredCustomer },
): NewEvent => ({
  type: `customer.holder.assignment.${change}`,
  entity_id: customer.id,
  data: {
    holder: toSimpleHolder(holder, { program: campaign, code }),
    voucher: toSimpleVoucher(code),
    campaign,
    customer: toSimpleCustomer(customer),
  },
})
