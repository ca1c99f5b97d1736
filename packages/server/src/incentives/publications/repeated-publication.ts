import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { findPublicationTo, type SourcePublication, type StoredPublication } from './store.ts'
import type { PublicationRequest, Target } from './target.ts'

/**
 * Checks a request before any voucher is chosen (docs/reference/publications.md#create-a-publication steps 5 and 6).
 * Returns the earlier publication that it repeats, a refusal to be recorded, or null if a voucher is to be chosen. The
 * caller has locked an existing customer; `earlier` is the publication with the same source id.
 */
export async function findRepeatedPublication(
  ctx: Ctx,
  { target, source_id, join_once }: PublicationRequest,
  customer: StoredCustomer | undefined,
  earlier: SourcePublication | undefined,
): Promise<StoredPublication | ApiError | null> {
  if (earlier !== undefined) {
    const { is_readable, ...publication } = earlier
    if (is_readable && publication.customer_id === customer?.id && isOf(publication, target)) return publication
    throw duplicateSource(publication.source_id as string)
  }
  const { voucher, campaign } = target
  if (customer === undefined || !(join_once || campaign?.join_once)) return null
  const sameVoucher =
    voucher === null ? undefined : await findPublicationTo(ctx, customer.id, { voucher_id: voucher.id })
  if (sameVoucher !== undefined) return sameVoucher
  const first = campaign === null ? undefined : await findPublicationTo(ctx, customer.id, { campaign_id: campaign.id })
  if (first === undefined) return null
  // A request for more than "any voucher of the campaign" is refused, because the customer has one already, unless the
  // request itself sets join_once.
  const acceptsEarlier = join_once || (voucher === null && source_id === null)
  return acceptsEarlier ? first : alreadyJoined()
}

export const duplicateSource = (sourceId: string): ApiError =>
  new ApiError('duplicate_source_id', { details: `Publication with source_id: '${sourceId}' already exists` })

const alreadyJoined = () =>
  new ApiError('voucher_cannot_be_published', {
    details: 'Voucher cannot be published. Customer already joined program.',
  })

const isOf = ({ voucher_ids, campaign_id }: StoredPublication, { voucher, campaign }: Target): boolean =>
  voucher === null ? campaign_id === campaign.id : voucher_ids.includes(voucher.id)
