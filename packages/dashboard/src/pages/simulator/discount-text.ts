import type { Schemas } from '../../api/client.ts'
import type { Format } from '../../ui/format.tsx'
import { type Giver, pointsWords, whatItGives } from '../../words/gives.ts'

/** What a code is worth now: a card by what is left on it, anything else by what it gives. */
export function voucherText(voucher: Schemas['Voucher'], format: Format): string {
  const { gift, loyalty_card } = voucher
  if (gift) return `Gift card with ${format.money(gift.balance)} left`
  if (loyalty_card) return `Loyalty card with ${pointsWords(loyalty_card.balance, format)}`
  return whatItGives(voucher, format)
}

/** What would qualify, in a few words. */
export function qualifiedText(
  { discount, gift, loyalty_card }: Schemas['QualifiedRedeemable']['result'],
  format: Format,
): string {
  if (gift) return `${format.money(gift.balance)} on the card`
  if (loyalty_card) return `${pointsWords(loyalty_card.balance, format)} on the card`
  return discount ? whatItGives({ discount: discount as Giver['discount'] }, format) : ''
}
