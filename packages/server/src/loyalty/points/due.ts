import { balanceOf, nextTierDate, rewardMapping, rewardPrice } from '@guerdon/engine'
import type { Configuration, ConfiguredRewardAssignment } from '../../core/configuration/configuration.ts'
import { accountOf, type Card } from './card.ts'
import { stateOf } from './tiers.ts'

/**
 * The next day after one that was looked at on which time changes something of a card (docs/reference/points.md#daily-job); null:
 * never.
 */
export function nextDue(configuration: Configuration, card: Card, lookedOn: string): string | null {
  const day = dueBy(card)
  if (!isRedeemable(configuration, card, lookedOn)) return day
  // Points that could not be redeemed are tried again.
  const again = dayAfter(lookedOn)
  return day === null || again < day ? again : day
}

/** The day on which pending points count, lots expire, or a tier begins or ends by itself, whichever is first. */
function dueBy({ lots, pending, next_activation, member }: Card): string | null {
  let first: string | null = next_activation
  const consider = (day: string | null) => {
    if (day !== null && (first === null || day < first)) first = day
  }
  consider(nextTierDate(stateOf(member)))
  for (const { status, activates_at } of pending) if (status === 'PENDING') consider(activates_at)
  let lastDay: string | null = null
  for (const { expires_at } of lots)
    if (expires_at !== null && (lastDay === null || expires_at < lastDay)) lastDay = expires_at
  if (lastDay !== null) consider(dayAfter(lastDay))
  return first
}

/**
 * Whether the points of a card are enough for the reward that its program redeems by itself
 * (docs/reference/rewards.md#automatic-redemption).
 */
export function isRedeemable(configuration: Configuration, card: Card, today: string): boolean {
  const { program, voucher } = card
  const price = program.auto_redeem === null ? null : priceOf(configuration, card, program.auto_redeem)
  if (price === null || price < 1) return false
  const isUsedUp = voucher.quantity !== null && voucher.redeemed_quantity >= voucher.quantity
  return !isUsedUp && balanceOf(accountOf(card), today) >= price
}

/** What a reward costs whoever holds the card; null: nothing it could be had for. */
function priceOf(
  { loyalty_tiers }: Configuration,
  { member }: Card,
  { id, reward_id, parameters }: ConfiguredRewardAssignment,
): number | null {
  const tier = member.tier_id === null ? undefined : loyalty_tiers.get(member.tier_id)
  return rewardPrice(parameters.loyalty?.points ?? 0, rewardMapping(tier ?? null, { id: reward_id, assignment_id: id }))
}

/** Dates end with the year 9999, also when a day is added. */
export const dayAfter = (day: string): string => (day >= '9999-12-31' ? day : shifted(day, 1))

export const dayBefore = (day: string): string => shifted(day, -1)

const msPerDay = 86_400_000

const shifted = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00.000Z`) + days * msPerDay).toISOString().slice(0, 10)
