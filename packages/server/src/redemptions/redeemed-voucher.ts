import { nextExpiration, spend } from '@guerdon/engine'
import type { Applicable } from '@guerdon/engine/schema'
import { toSimpleCustomer } from '../audience/customers/customer.ts'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { Candidate } from '../checkout/decision/redeemables.ts'
import { categoriesOf } from '../checkout/decision/results.ts'
import type { LoadedVoucher } from '../checkout/decision/voucher-row.ts'
import { assignmentsOf, type Configuration } from '../core/configuration/configuration.ts'
import type { Ctx } from '../core/context.ts'
import { ApiError } from '../core/http/errors.ts'
import { listed } from '../core/query/list.ts'
import { accountOf, type EntryChanges, entryChanges } from '../incentives/vouchers/entry-changes.ts'
import { type StoredVoucher, toVoucher } from '../incentives/vouchers/voucher.ts'
import { toAssignment } from '../rules/validation-rules/assignment-view.ts'
import type { RedeemedVoucher } from './schema.ts'

/** A code with what it shares with others, from what is in memory. */
export function storedVoucher(it: Checkout, voucher: LoadedVoucher, today: string): StoredVoucher {
  const { campaigns, categories } = it.loaded.configuration
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

/** A code after it was redeemed, and what that writes into the books of a card. */
export interface RedeemedCode {
  voucher: LoadedVoucher
  after: StoredVoucher
  /** Null where nothing was spent. */
  entry: EntryChanges | null
}

/** One redemption more, and the credits or points that it takes, those that expire first before the others. */
export function redeemedCode(
  ctx: Ctx,
  it: Checkout,
  voucher: LoadedVoucher,
  outcome: Applicable,
  told: { redemption_id: string; order: { id: string; source_id: string | null } | null; reward: object | null },
): RedeemedCode {
  const { today } = it.loaded
  const spent = outcome.gift?.credits ?? outcome.loyalty_card?.points ?? 0
  const used = { ...voucher, redeemed_quantity: voucher.redeemed_quantity + 1, updated_at: ctx.now }
  if (spent === 0) return { voucher, after: storedVoucher(it, used, today), entry: null }
  const before = accountOf(voucher)
  const entry = spend(before, { amount: spent, to: 'redeemed', today })
  if ('key' in entry) throw new ApiError(entry.key, { details: voucher.code }) // points that expired a moment ago
  const after: LoadedVoucher = {
    ...used,
    credits_redeemed: (voucher.credits_redeemed ?? 0) + spent,
    lots: voucher.type === 'LOYALTY_CARD' ? entry.account.lots : voucher.lots,
  }
  return {
    voucher,
    after: storedVoucher(it, after, today),
    entry: entryChanges(ctx, { before, after, last: voucher.last_transaction }, entry, {
      type: voucher.type === 'GIFT_VOUCHER' ? 'CREDITS_REDEMPTION' : 'POINTS_REDEMPTION',
      amount: -spent,
      related_transaction_id: null,
      operation_type: it.request.channel === undefined ? 'MANUAL' : 'AUTOMATIC',
      details: {
        ...(told.order === null ? {} : { order: told.order }),
        redemption: { id: told.redemption_id },
        ...(told.reward === null ? {} : { reward: told.reward }),
        ...holderTier(it.loaded.configuration, voucher),
      },
    }),
  }
}

/** The tier of whoever holds a card, as transactions name it (docs/reference/loyalty-cards.md#transactions). */
function holderTier({ loyalty_tiers }: Configuration, { member }: LoadedVoucher): object {
  const tier = member?.tier_id == null ? undefined : loyalty_tiers.get(member.tier_id)
  return tier === undefined ? {} : { holder_loyalty_tier: { id: tier.id, name: tier.name } }
}

/** A code as the answer of a redemption shows it: with its own rules and those of its campaign. */
export function shownVoucher(ctx: Ctx, it: Checkout, candidate: Candidate, stored: StoredVoucher): RedeemedVoucher {
  const { voucher } = candidate
  const own = (voucher as LoadedVoucher).assignments
  const inherited = stored.campaign_id === null ? [] : assignmentsOf(it.loaded.configuration, stored.campaign_id)
  const assignments = [...own, ...inherited].map(toAssignment)
  const holder = it.loaded.customers.find(({ id }) => id === stored.holder_id)
  return {
    ...toVoucher(ctx, stored),
    ...(holder === undefined ? {} : { holder: toSimpleCustomer(holder) }),
    ...(it.request.expand?.has('category') === true ? { categories: categoriesOf(it, candidate) } : {}),
    validation_rules_assignments: listed('data', assignments, { total: assignments.length }),
    // Points pay for an order, whatever is in it (docs/reference/loyalty-cards.md#card-object).
    ...(stored.type === 'LOYALTY_CARD' ? { applicable_to: nothingListed, inapplicable_to: nothingListed } : {}),
  } as RedeemedVoucher
}

const nothingListed = listed('data', [], { total: 0 })
