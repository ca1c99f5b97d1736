import type { Schemas } from '../../api/client.ts'
import type { Format } from '../../ui/format.tsx'
import { orderTitle, type Redemption, takenOff } from './entry.ts'

export type RollbackMode = Schemas['StackingRulesView']['redeemables_rollback_order_mode']

/** What a rollback will give back, sentence by sentence, before it is made. */
export function givenBack(
  redemption: Redemption,
  parts: readonly Redemption[],
  mode: RollbackMode | undefined,
  format: Format,
): string[] {
  const redeemed = (parts.length > 0 ? parts : [redemption]).filter(({ result }) => result === 'SUCCESS')
  return [...redeemed.map((part) => partGivenBack(part, format)), ...orderGivenBack(redemption, redeemed, mode, format)]
}

function partGivenBack({ voucher, promotion_tier, gift, loyalty_card, reward }: Redemption, format: Format): string {
  if (promotion_tier) return `“${promotion_tier.name}” counts one use less.`
  if (!voucher) return 'One use less is counted.'
  if (gift) {
    const balance = voucher.gift ? `, which then holds ${format.money(voucher.gift.balance + gift.amount)}` : ''
    return `${format.money(gift.amount)} goes back on gift card ${voucher.code}${balance}.`
  }
  if (loyalty_card) {
    const taken =
      reward && reward.type !== 'COIN' ? ` The reward “${reward.name}” is taken back as far as it is unused.` : ''
    return `${format.number(loyalty_card.points)} points go back on card ${voucher.code}.${taken}`
  }
  const { quantity, redeemed_quantity: used } = voucher.redemption
  const then = quantity === null ? `used ${times(used - 1)}` : `used ${used - 1} of ${times(quantity)}`
  return `${voucher.code} can be used once more: it will have been ${then}.`
}

function orderGivenBack(
  redemption: Redemption,
  redeemed: readonly Redemption[],
  mode: RollbackMode | undefined,
  format: Format,
): string[] {
  const order = orderTitle(redemption.order)
  if (order === undefined) return []
  if (mode === 'WITHOUT_ORDER') return [`${order} keeps its amounts and its state, as the stacking rules say.`]
  const off = redeemed.reduce((sum, part) => sum + (takenOff(part) ?? 0), 0)
  const canceled = `${order} is canceled${off > 0 ? `, and ${format.money(off)} is no longer taken off it` : ''}`
  return [
    mode === undefined ? `${canceled}, unless the stacking rules leave orders alone.` : `${canceled}.`,
    ...(redemption.customer_id
      ? ['Points that the order has already earned stay on the card; pending ones are canceled.']
      : []),
  ]
}

const times = (count: number) => (count === 1 ? '1 time' : `${count} times`)

/** The service refuses to roll back what is older than three calendar months. */
export function isTooOld(date: string, now: Date): boolean {
  const limit = new Date(date)
  limit.setUTCMonth(limit.getUTCMonth() + 3)
  return limit < now
}
