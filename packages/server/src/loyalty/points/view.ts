import { nextExpiration } from '@guerdon/engine'
import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import { assignmentsOf, type Configuration } from '../../core/configuration/configuration.ts'
import type { SimpleCampaign, SimpleCustomer, SimpleVoucher } from '../../core/events/shapes.ts'
import { listed } from '../../core/query/list.ts'
import type { Voucher } from '../../incentives/vouchers/schema.ts'
import { type StoredVoucher, toSimpleVoucher, toVoucher } from '../../incentives/vouchers/voucher.ts'
import { toAssignment } from '../../rules/validation-rules/assignment-view.ts'
import { toLoyaltyTier } from '../tiers/loyalty-tier.ts'
import type { LoyaltyTier } from '../tiers/schema.ts'
import { simpleCampaign } from './campaign-view.ts'
import { type Card, cardAccountOf, type LoyaltyUnitOfWork, type Member, momentNow } from './card.ts'
import { findLoyaltyTier } from './programs.ts'

/** The card with its current state, and with what it has from its campaign and category. */
function storedCard({ ctx, configuration }: LoyaltyUnitOfWork, card: Card): StoredVoucher {
  const {
    xmin: _,
    assignments: __,
    held: ___,
    lots: ____,
    member: _____,
    last_transaction: ______,
    ...row
  } = card.voucher
  const { campaign } = card.program
  return {
    ...row,
    ...(Object.keys(card.change).length === 0 ? {} : { updated_at: ctx.now }),
    campaign: campaign.name,
    campaign_type: campaign.campaign_type,
    campaign_active: campaign.active,
    category: row.category_id === null ? null : (configuration.categories.get(row.category_id) ?? null),
    next_expiration: nextExpiration(cardAccountOf(card), momentNow(ctx).today),
  }
}

export const simpleCard = (work: LoyaltyUnitOfWork, card: Card): SimpleVoucher =>
  toSimpleVoucher(storedCard(work, card))

/** The card with its own validation rules and those of its program. */
export function shownCard(work: LoyaltyUnitOfWork, card: Card): Voucher {
  const inherited = assignmentsOf(work.configuration, card.program.campaign.id)
  const assignments = [...card.voucher.assignments, ...inherited].map(toAssignment)
  return {
    ...toVoucher(work.ctx, storedCard(work, card)),
    validation_rules_assignments: listed('data', assignments, { total: assignments.length }),
  }
}

/** The part that nearly all events about a card have. */
export function cardEventData(
  work: LoyaltyUnitOfWork,
  card: Card,
): { customer: SimpleCustomer; campaign: SimpleCampaign; voucher: SimpleVoucher } {
  return {
    customer: toSimpleCustomer(card.person.customer),
    campaign: simpleCampaign(work.configuration, card.program.campaign),
    voucher: simpleCard(work, card),
  }
}

/** A tier as its own endpoint returns it; null also if it was deleted. */
export function loyaltyTierView(configuration: Configuration, id: string | null): LoyaltyTier | null {
  const tier = findLoyaltyTier(configuration, id)
  return tier === null ? null : toLoyaltyTier(tier)
}

/** The start and expiration of a member's tier (docs/reference/loyalty-tiers.md#tier-object). */
export function tierExpiration(member: Member): NonNullable<LoyaltyTier['expiration']> {
  const { tier_expiration_date, tier_updated_at } = member
  return {
    customer_id: member.customer_id,
    campaign_id: member.campaign_id,
    tier_id: member.tier_id as string,
    start_date: member.tier_start_date as string,
    ...(tier_expiration_date === null ? {} : { expiration_date: tier_expiration_date }),
    created_at: member.tier_created_at as string,
    ...(tier_updated_at === null ? {} : { updated_at: tier_updated_at }),
  }
}
