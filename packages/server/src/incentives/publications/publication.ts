import { type StoredCustomer, toCustomer, toSimpleCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import type { SimplePublication } from '../../core/events/shapes.ts'
import type { Voucher } from '../vouchers/schema.ts'
import { showVoucher } from '../vouchers/show.ts'
import { type StoredVoucher, toVoucher } from '../vouchers/voucher.ts'
import type { ListedPublication, Publication, PublishedVoucher } from './schema.ts'
import type { ListedRow, StoredPublication } from './store.ts'

/**
 * A publication as returned to the request that created it or repeats it, with the current state of its voucher
 * (docs/reference/publications.md#join-once).
 */
export async function showPublication(
  ctx: Ctx,
  row: StoredPublication,
  customer: StoredCustomer,
  vouchers: readonly StoredVoucher[],
): Promise<Publication> {
  const [first] = vouchers
  return isSingle(row) && first !== undefined
    ? showSingle(row, customer, await showVoucher(ctx, first))
    : { ...common(row), ...customerKeys(customer), customer: toCustomer(customer), vouchers: codesOf(row, vouchers) }
}

/** The same for a publication of one voucher, as it is to be shown. */
export const showSingle = (row: StoredPublication, customer: StoredCustomer, voucher: Voucher): Publication => ({
  ...common(row),
  ...customerKeys(customer),
  customer: toCustomer(customer),
  voucher,
})

/** A publication as lists show it. */
export function toListedPublication(
  ctx: Pick<Ctx, 'settings'>,
  row: ListedRow,
  vouchers: readonly StoredVoucher[],
): ListedPublication {
  const [first] = vouchers
  const { customer_id, name, email, tracking_id, customer_metadata } = row
  return {
    ...common(row),
    // An erased customer is no longer identified (docs/reference/customers.md#endpoints).
    ...(customer_id === null
      ? { customer_id }
      : {
          ...customerKeys({ id: customer_id, source_id: tracking_id }),
          customer: {
            id: customer_id,
            name,
            email,
            source_id: tracking_id,
            metadata: customer_metadata,
            object: 'customer',
          },
        }),
    ...(isSingle(row) && first !== undefined
      ? { voucher: toPublishedVoucher(ctx, first) }
      : { vouchers: codesOf(row, vouchers) }),
  }
}

/** [P], the form in events. */
export function toSimplePublication(
  row: StoredPublication,
  customer: StoredCustomer,
  vouchers: readonly StoredVoucher[],
): SimplePublication {
  return {
    ...common(row),
    ...customerKeys(customer),
    customer: toSimpleCustomer(customer),
    ...(isSingle(row) ? {} : { vouchers: codesOf(row, vouchers) }),
  }
}

const isSingle = ({ result, voucher_ids }: StoredPublication): boolean =>
  result === 'SUCCESS' && voucher_ids.length === 1

const customerKeys = ({ id, source_id }: { id: string; source_id: string | null }) => ({
  customer_id: id,
  ...(source_id === null ? {} : { tracking_id: source_id }),
})

function common(row: StoredPublication) {
  const { failure_code, failure_message } = row
  return {
    id: row.id,
    object: 'publication',
    created_at: row.created_at,
    metadata: row.metadata,
    channel: row.channel,
    source_id: row.source_id,
    result: row.result,
    vouchers_id: row.voucher_ids,
    ...(failure_code === null ? {} : { failure_code }),
    ...(failure_message === null ? {} : { failure_message }),
  } as const
}

/** In the order in which they were published. */
function codesOf({ voucher_ids }: StoredPublication, vouchers: readonly StoredVoucher[]): string[] {
  const codes = new Map<string, string>(vouchers.map(({ id, code }) => [id, code]))
  return voucher_ids.flatMap((id) => codes.get(id) ?? [])
}

function toPublishedVoucher(ctx: Pick<Ctx, 'settings'>, voucher: StoredVoucher): PublishedVoucher {
  const { code, campaign, discount, gift, loyalty_card, is_referral_code } = toVoucher(ctx, voucher)
  return {
    code,
    object: 'voucher',
    campaign,
    ...(discount === null ? {} : { discount }),
    ...(gift === null ? {} : { gift }),
    ...(loyalty_card === null ? {} : { loyalty_card }),
    is_referral_code,
  }
}
