import { nextExpiration, spend } from '@guerdon/engine'
import type { Applicable } from '@guerdon/engine/schema'
import { toSimpleCustomer } from '../audience/customers/customer.ts'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { RedeemableCandidate } from '../checkout/decision/redeemables.ts'
import { categoriesOf } from '../checkout/decision/results.ts'
import type { CheckoutVoucher } from '../checkout/decision/voucher-row.ts'
import { assignmentsOf, type Configuration } from '../core/configuration/configuration.ts'
import type { Ctx } from '../core/context.ts'
import { ApiError } from '../core/http/errors.ts'
import { listed } from '../core/query/list.ts'
import { accountOf, type EntryChanges, entryChanges } from '../incentives/vouchers/entry-changes.ts'
import { type StoredVoucher, toVoucher } from '../incentives/vouchers/voucher.ts'
import { toAssignment } from '../rules/validation-rules/assignment-view.ts'
import type { RedeemedVoucher } from './schema.ts'

/** Completes a voucher with its campaign and category from the cached configuration. */
export function storedVoucher(checkout: Checkout, voucher: CheckoutVoucher, today: string): StoredVoucher {
  const { campaigns, categories } = checkout.rows.configuration
  const { xmin: _, assignments: __, held: ___, lots: ____, member: _____, last_transaction: ______, ...row } = voucher
  const campaign = row.campaign_id === null ? undefined : campaigns.get(row.campaign_id)
  return {
    ...row,
    terms: voucher.terms,
    campaign: campaign?.name ?? null,
    campaign_type: campaign?.campaign_type ?? null,
    campaign_active: campaign?.active ?? null,
    category: row.category_id === null ? null : (categories.get(row.category_id) ?? null),
    next_expiration: row.type === 'LOYALTY_CARD' ? nextExpiration(accountOf(voucher), today) : null,
  }
}

/** A voucher after its redemption; of a card, with its ledger entry. */
export interface RedeemedCode {
  voucher: CheckoutVoucher
  after: StoredVoucher
  /** The ledger entry; null where nothing was spent. */
  entry: EntryChanges | null
}

/** Adds one redemption, and spends the credits or points, those that expire first before the others. */
export function redeemedCode(
  ctx: Ctx,
  checkout: Checkout,
  voucher: CheckoutVoucher,
  outcome: Applicable,
  references: { redemption_id: string; order: { id: string; source_id: string | null } | null; reward: object | null },
): RedeemedCode {
  const { today } = checkout.rows
  const spent = outcome.gift?.credits ?? outcome.loyalty_card?.points ?? 0
  const redeemed = { ...voucher, redeemed_quantity: voucher.redeemed_quantity + 1, updated_at: ctx.now }
  if (spent === 0) return { voucher, after: storedVoucher(checkout, redeemed, today), entry: null }
  const before = accountOf(voucher)
  const entry = spend(before, { amount: spent, to: 'redeemed', today })
  if ('key' in entry) throw new ApiError(entry.key, { details: voucher.code }) // points that expired since the evaluation
  const after: CheckoutVoucher = {
    ...redeemed,
    credits_redeemed: (voucher.credits_redeemed ?? 0) + spent,
    lots: voucher.type === 'LOYALTY_CARD' ? entry.account.lots : voucher.lots,
  }
  return {
    voucher,
    after: storedVoucher(checkout, after, today),
    entry: entryChanges(ctx, { before, after, last: voucher.last_transaction }, entry, {
      type: voucher.type === 'GIFT_VOUCHER' ? 'CREDITS_REDEMPTION' : 'POINTS_REDEMPTION',
      amount: -spent,
      related_transaction_id: null,
      operation_type: checkout.request.channel === undefined ? 'MANUAL' : 'AUTOMATIC',
      details: {
        ...(references.order === null ? {} : { order: references.order }),
        redemption: { id: references.redemption_id },
        ...(references.reward === null ? {} : { reward: references.reward }),
        ...holderTier(checkout.rows.configuration, voucher),
      },
    }),
  }
}

/** The loyalty tier of the card's member, as transactions show it (docs/reference/loyalty-cards.md#transactions). */
function holderTier({ loyalty_tiers }: Configuration, { member }: CheckoutVoucher): object {
  const tier = member?.tier_id == null ? undefined : loyalty_tiers.get(member.tier_id)
  return tier === undefined ? {} : { holder_loyalty_tier: { id: tier.id, name: tier.name } }
}

/** A voucher as the response to a redemption shows it: with its rules and those of its campaign. */
export function shownVoucher(
  ctx: Ctx,
  checkout: Checkout,
  candidate: RedeemableCandidate,
  stored: StoredVoucher,
): RedeemedVoucher {
  const { voucher } = candidate
  const voucherAssignments = (voucher as CheckoutVoucher).assignments
  const campaignAssignments =
    stored.campaign_id === null ? [] : assignmentsOf(checkout.rows.configuration, stored.campaign_id)
  const assignments = [...voucherAssignments, ...campaignAssignments].map(toAssignment)
  const holder = checkout.rows.customers.find(({ id }) => id === stored.holder_id)
  return {
    ...toVoucher(ctx, stored),
    ...(holder === undefined ? {} : { holder: toSimpleCustomer(holder) }),
    ...(checkout.request.expand?.has('category') === true ? { categories: categoriesOf(checkout, candidate) } : {}),
    validation_rules_assignments: listed('data', assignments, { total: assignments.length }),
    // Points pay for the whole order, so there are no applicable goods to list (docs/reference/loyalty-cards.md#card-object).
    ...(stored.type === 'LOYALTY_CARD' ? { applicable_to: emptyList, inapplicable_to: emptyList } : {}),
  } as RedeemedVoucher
}

const emptyList = listed('data', [], { total: 0 })
