import { balanceOf, nextTierDate, rewardMapping, rewardPrice } from '@guerdon/engine'
import type { Configuration, ConfiguredRewardAssignment } from '../../core/configuration/configuration.ts'
import { type Card, cardAccountOf } from './card.ts'
import { stateOf } from './tiers.ts'

/**
 * The next day after `processedOn` on which time changes something of the card (docs/reference/points.md#daily-job), or null.
 */
export function nextDue(configuration: Configuration, card: Card, processedOn: string): string | null {
  const day = earliestDueDay(card)
  if (!isRedeemable(configuration, card, processedOn)) return day
  // Retry on the next day the points that could not be redeemed automatically.
  const retryDay = dayAfter(processedOn)
  return day === null || retryDay < day ? retryDay : day
}

/** The earliest day on which pending points activate, lots expire, or a tier starts or ends. */
function earliestDueDay({ lots, pending, next_activation, member }: Card): string | null {
  let first: string | null = next_activation
  const keepEarlier = (day: string | null) => {
    if (day !== null && (first === null || day < first)) first = day
  }
  keepEarlier(nextTierDate(stateOf(member)))
  for (const { status, activates_at } of pending) if (status === 'PENDING') keepEarlier(activates_at)
  let lastDay: string | null = null
  for (const { expires_at } of lots)
    if (expires_at !== null && (lastDay === null || expires_at < lastDay)) lastDay = expires_at
  if (lastDay !== null) keepEarlier(dayAfter(lastDay))
  return first
}

/**
 * Whether the balance of a card covers the automatic reward of its program (docs/reference/rewards.md#automatic-redemption).
 */
export function isRedeemable(configuration: Configuration, card: Card, today: string): boolean {
  const { program, voucher } = card
  const price = program.auto_redeem === null ? null : priceOf(configuration, card, program.auto_redeem)
  if (price === null || price < 1) return false
  const isUsedUp = voucher.quantity !== null && voucher.redeemed_quantity >= voucher.quantity
  return !isUsedUp && balanceOf(cardAccountOf(card), today) >= price
}

/** The price of a reward in the tier of the member; null if the tier does not offer it. */
function priceOf(
  { loyalty_tiers }: Configuration,
  { member }: Card,
  { id, reward_id, parameters }: ConfiguredRewardAssignment,
): number | null {
  const tier = member.tier_id === null ? undefined : loyalty_tiers.get(member.tier_id)
  return rewardPrice(parameters.loyalty?.points ?? 0, rewardMapping(tier ?? null, { id: reward_id, assignment_id: id }))
}

/** Dates end with the year 9999: the day after its last one is that day itself. */
export const dayAfter = (day: string): string => (day >= '9999-12-31' ? day : addDays(day, 1))

export const dayBefore = (day: string): string => addDays(day, -1)

const msPerDay = 86_400_000

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00.000Z`) + days * msPerDay).toISOString().slice(0, 10)
