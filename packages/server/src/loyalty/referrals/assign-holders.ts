import { type StoredCustomer, toSimpleCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import { emit, emitMany, type NewEvent } from '../../core/events/emit.ts'
import { ApiError, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import { holdCampaign } from '../../incentives/campaigns/store.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import { type StoredVoucher, toSimpleVoucher } from '../../incentives/vouchers/voucher.ts'
import { toRedeemableHolder, toSimpleHolder } from './holder.ts'
import { upsertReferees } from './referees.ts'
import type { ReferralHolders, ReferralHoldersBody } from './schema.ts'
import { deleteHolder, getCustomerOf, insertHolders, type ReferralCode, type StoredHolder } from './store.ts'

/**
 * Gives a referral code to referees, all of them or none (docs/reference/holders.md#endpoints). That they hold it does not say
 * yet that they were referred. Locks are taken in one order: the customers, the campaign, the code.
 */
export async function assignHolders(
  ctx: Ctx,
  { program, code }: ReferralCode,
  { holders: sent, metadata }: ReferralHoldersBody,
): Promise<ReferralHolders> {
  const rules = await loadMetadataRules(ctx, 'publication')
  rules.check(metadata ?? {}, { isNew: true })
  const customers = await upsertReferees(ctx, sent)
  const held: ReferralCode = { program, code: await holdPublished(ctx, code) }
  const inserted = await insertHolders(
    ctx,
    customers.map((customer) => newReferee(ctx, held, customer, metadata ?? null)),
  )
  const byCustomer = new Map(inserted.map((holder) => [holder.customer_id, holder]))
  const holders = customers.map(({ id }) => byCustomer.get(id) ?? refuseAssigned(id, held.code))
  await emitMany(
    ctx,
    holders.map((holder, n) => assignmentEvent('created', holder, held, customers[n] as StoredCustomer)),
  )
  return { holders: holders.map((holder) => toRedeemableHolder(holder, held)) }
}

/** Takes a code from a referee; the referrer keeps it for good. */
export async function unassignHolder(
  ctx: Ctx,
  { holder, ...held }: ReferralCode & { holder: StoredHolder },
): Promise<void> {
  if (holder.role !== 'REFEREE')
    throw new ApiError('forbidden', {
      message: 'Can not remove assignment',
      details: `Holder ${holder.id} is the referrer of ${held.code.code}`,
      resource_id: holder.id,
      resource_type: 'redeemable_holder',
    })
  const customer = await getCustomerOf(ctx, holder)
  await deleteHolder(ctx, holder.id)
  const { type, entity_id, data } = assignmentEvent('deleted', holder, held, customer)
  await emit(ctx, type, entity_id, data)
}

/** The code as it stays until the end of the transaction; refused while it has no referrer. */
async function holdPublished(ctx: Ctx, { id, code, campaign_id }: StoredVoucher): Promise<StoredVoucher> {
  if (campaign_id === null || !(await holdCampaign(ctx, campaign_id))) throw notFound('voucher', code)
  const voucher = await getVoucher(ctx, id, { lock: 'here' })
  if (voucher.holder_id === null)
    throw new ApiError('not_published', {
      details: 'Referral code must be first published to Referrer before assigning it to Referee',
      resource_id: id,
      resource_type: 'voucher',
    })
  return voucher
}

const newReferee = (
  { now }: Ctx,
  { program, code }: ReferralCode,
  { id: customerId }: StoredCustomer,
  metadata: Record<string, unknown> | null,
): Parameters<typeof insertHolders>[1][number] => ({
  id: newId('holder', Date.parse(now)),
  voucher_id: code.id,
  customer_id: customerId,
  campaign_id: program.id,
  role: 'REFEREE',
  publication_id: null,
  created_at: now,
  metadata: metadata === null ? null : JSON.stringify(metadata),
})

function refuseAssigned(customerId: string, { code }: StoredVoucher): never {
  throw new ApiError('holder_assignement_duplication', {
    details: `Customer ${customerId} is already a holder of ${code}`,
    resource_id: customerId,
    resource_type: 'customer',
  })
}

type AssignmentEvent = `customer.holder.assignment.${'created' | 'deleted'}`

function assignmentEvent(
  happened: 'created' | 'deleted',
  holder: StoredHolder,
  held: ReferralCode,
  customer: StoredCustomer,
): Extract<NewEvent, { type: AssignmentEvent }> {
  return {
    type: `customer.holder.assignment.${happened}`,
    entity_id: customer.id,
    data: {
      holder: toSimpleHolder(holder, held),
      voucher: toSimpleVoucher(held.code),
      campaign: toSimpleCampaign(held.program),
      customer: toSimpleCustomer(customer),
    },
  } as Extract<NewEvent, { type: AssignmentEvent }>
}
