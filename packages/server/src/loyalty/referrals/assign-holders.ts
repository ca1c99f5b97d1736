import { type StoredCustomer, toSimpleCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import { emit, emitMany, type NewEvent } from '../../core/events/emit.ts'
import { ApiError, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import { lockCampaignIfExists } from '../../incentives/campaigns/store.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import { type StoredVoucher, toSimpleVoucher } from '../../incentives/vouchers/voucher.ts'
import { toRedeemableHolder, toSimpleHolder } from './holder.ts'
import { upsertReferees } from './referees.ts'
import type { ReferralHolders, ReferralHoldersBody } from './schema.ts'
import { deleteHolder, getCustomerOf, insertHolders, type ReferralCode, type StoredHolder } from './store.ts'

/**
 * Assigns a referral code to referees, all or nothing (docs/reference/holders.md#endpoints). Holding the code does not make
 * them referred yet. Locks are taken in one order: customers, campaign, code.
 */
export async function assignHolders(
  ctx: Ctx,
  { program, code }: ReferralCode,
  { holders: sent, metadata }: ReferralHoldersBody,
): Promise<ReferralHolders> {
  const rules = await loadMetadataRules(ctx, 'publication')
  rules.check(metadata ?? {}, { isNew: true })
  const customers = await upsertReferees(ctx, sent)
  const referralCode: ReferralCode = { program, code: await lockPublishedCode(ctx, code) }
  const inserted = await insertHolders(
    ctx,
    customers.map((customer) => newReferee(ctx, referralCode, customer, metadata ?? null)),
  )
  const byCustomer = new Map(inserted.map((holder) => [holder.customer_id, holder]))
  const holders = customers.map(({ id }) => byCustomer.get(id) ?? refuseAssigned(id, referralCode.code))
  await emitMany(
    ctx,
    holders.map((holder, n) => assignmentEvent('created', holder, referralCode, customers[n] as StoredCustomer)),
  )
  return { holders: holders.map((holder) => toRedeemableHolder(holder, referralCode)) }
}

/** Unassigns a code from a referee; the referrer cannot be unassigned. */
export async function unassignHolder(
  ctx: Ctx,
  { holder, ...referralCode }: ReferralCode & { holder: StoredHolder },
): Promise<void> {
  if (holder.role !== 'REFEREE')
    throw new ApiError('forbidden', {
      message: 'Can not remove assignment',
      details: `Holder ${holder.id} is the referrer of ${referralCode.code.code}`,
      resource_id: holder.id,
      resource_type: 'redeemable_holder',
    })
  const customer = await getCustomerOf(ctx, holder)
  await deleteHolder(ctx, holder.id)
  const { type, entity_id, data } = assignmentEvent('deleted', holder, referralCode, customer)
  await emit(ctx, type, entity_id, data)
}

/**
 * Locks the code and its campaign against deletion until the end of the transaction; refused while the code has no referrer.
 */
async function lockPublishedCode(ctx: Ctx, { id, code, campaign_id }: StoredVoucher): Promise<StoredVoucher> {
  if (campaign_id === null || !(await lockCampaignIfExists(ctx, campaign_id))) throw notFound('voucher', code)
  const voucher = await getVoucher(ctx, id, { lock: 'keyShare' })
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
  change: 'created' | 'deleted',
  holder: StoredHolder,
  referralCode: ReferralCode,
  customer: StoredCustomer,
): Extract<NewEvent, { type: AssignmentEvent }> {
  return {
    type: `customer.holder.assignment.${change}`,
    entity_id: customer.id,
    data: {
      holder: toSimpleHolder(holder, referralCode),
      voucher: toSimpleVoucher(referralCode.code),
      campaign: toSimpleCampaign(referralCode.program),
      customer: toSimpleCustomer(customer),
    },
  } as Extract<NewEvent, { type: AssignmentEvent }>
}
