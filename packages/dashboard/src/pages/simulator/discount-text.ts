import type { Schemas } from '../../api/client.ts'
import type { Format } from '../../ui/format.tsx'

/** What a discount gives, in a few words: `10% off, at most €10.00`. */
export function discountText(discount: Schemas['Discount'] | Schemas['AppliedDiscount'], format: Format): string {
  const where = places[discount.effect ?? ''] ?? ''
  switch (discount.type) {
    case 'AMOUNT':
      return discount.amount_off == null
        ? 'An amount off, by formula'
        : `${format.money(discount.amount_off)} off${where}`
    case 'PERCENT': {
      const most = discount.amount_limit == null ? '' : `, at most ${format.money(discount.amount_limit)}`
      return discount.percent_off == null
        ? 'A percentage off, by formula'
        : `${discount.percent_off}% off${where}${most}`
    }
    case 'FIXED':
      return discount.fixed_amount == null
        ? 'A fixed price, by formula'
        : `Fixed price of ${format.money(discount.fixed_amount)}`
    case 'UNIT': {
      const good = discount.product?.name ?? discount.sku?.sku
      if (discount.effect === 'REPLACE_ITEMS') return good ? `Units replaced by ${good}` : 'Units replaced'
      return good ? `${discount.unit_off ?? 'Some'} × ${good} for free` : 'Free units'
    }
  }
}

/** Where a discount lands; the whole order needs no words. */
const places: Record<string, string> = {
  APPLY_TO_ITEMS: ' each line',
  APPLY_TO_ITEMS_BY_QUANTITY: ' each unit',
  APPLY_TO_ITEMS_PROPORTIONALLY: ', spread over the lines',
  APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY: ', spread over the units',
}

/** What a code is worth: a discount, what is left on a card, points. */
export function voucherText({ discount, gift, loyalty_card }: Schemas['Voucher'], format: Format): string {
  if (gift) return `Gift card with ${format.money(gift.balance)} left`
  if (loyalty_card) return `Loyalty card with ${format.number(loyalty_card.balance)} points`
  return discount ? discountText(discount, format) : 'Code'
}
