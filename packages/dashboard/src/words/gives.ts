import type { Schemas } from '../api/client.ts'
import type { Format } from '../ui/format.tsx'

type Words = Pick<Format, 'money' | 'number'>
type Discount = Schemas['Discount']
type Goods = Pick<Schemas['UnitDiscount'], 'unit_off' | 'unit_off_formula' | 'unit_type' | 'product' | 'sku'>

/** What gives something: a code, a promotion tier, or the template of a campaign's codes. */
export interface Giver {
  discount?: Discount | null
  gift?: { amount: number; effect?: string | null } | null
  loyalty_card?: { points: number } | null
  action?: { discount?: Discount | null } | null
}

/** What a code, a tier or a campaign gives, as a person would say it: "20% off, at most €30". */
export function whatItGives(giver: Giver, format: Words): string {
  const discount = giver.discount ?? giver.action?.discount
  if (discount) return discountWords(discount, format)
  if (giver.gift) {
    const only = giver.gift.effect === 'APPLY_TO_ITEMS' ? ' for items' : ''
    return `Gift card of ${plainMoney(giver.gift.amount, format)}${only}`
  }
  if (giver.loyalty_card) return 'Loyalty card'
  return 'Nothing'
}

/** Money in a sentence: whole amounts lose their zeros. */
export function plainMoney(cents: number, { money }: Pick<Words, 'money'>): string {
  return money(cents).replace(/\.00$/, '')
}

export function pointsWords(points: number, { number }: Pick<Words, 'number'>): string {
  return `${number(points).replace('-', '−')} ${Math.abs(points) === 1 ? 'point' : 'points'}`
}

/** An order by its number in the shop; the service's own id says nothing to a person. */
export function orderWords(order: { source_id?: string | null }): string {
  return order.source_id ? `order ${order.source_id}` : 'an order'
}

function discountWords(discount: Discount, format: Words): string {
  switch (discount.type) {
    case 'AMOUNT':
      return amountWords(discount, format)
    case 'PERCENT':
      return percentWords(discount, format)
    case 'FIXED':
      return fixedWords(discount, format)
    case 'UNIT':
      return unitsWords(discount, format)
  }
}

const amountEffects = {
  APPLY_TO_ORDER: 'off the order',
  APPLY_TO_ITEMS: 'off each line',
  APPLY_TO_ITEMS_BY_QUANTITY: 'off each unit',
  APPLY_TO_ITEMS_PROPORTIONALLY: 'off, shared among the items by price',
  APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY: 'off, shared among the items by quantity',
}

function amountWords(discount: Schemas['AmountDiscount'], format: Words): string {
  const value = byFormula(discount.amount_off_formula, plainMoney(discount.amount_off ?? 0, format), 'Amount')
  const effect = discount.effect ? amountEffects[discount.effect] : 'off'
  return `${value} ${effect}${atMost(discount.aggregated_amount_limit, ' in total', format)}`
}

function percentWords(discount: Schemas['PercentDiscount'], format: Words): string {
  const value = byFormula(discount.percent_off_formula, `${format.number(discount.percent_off ?? 0)}%`, 'Percentage')
  const isOfItems = discount.effect === 'APPLY_TO_ITEMS'
  const effect = isOfItems ? 'off items' : discount.effect === 'APPLY_TO_ORDER' ? 'off the order' : 'off'
  const limits =
    atMost(discount.amount_limit, isOfItems ? ' per line' : '', format) +
    atMost(discount.aggregated_amount_limit, ' in total', format)
  return `${value} ${effect}${limits}`
}

function fixedWords(discount: Schemas['FixedDiscount'], format: Words): string {
  const value = byFormula(discount.fixed_amount_formula, plainMoney(discount.fixed_amount ?? 0, format), 'a price')
  if (discount.effect === 'APPLY_TO_ITEMS') return `Each unit for ${value}`
  return discount.effect === 'APPLY_TO_ORDER' ? `The whole order for ${value}` : `Fixed price of ${value}`
}

const shipping = 'prod_5h1pp1ng'

function unitsWords(discount: Schemas['UnitDiscount'], format: Words): string {
  if (discount.units && discount.units.length > 0) {
    return `${list(discount.units.map((goods) => goodsWords(goods, format)))} free`
  }
  const goods = goodsWords(discount, format)
  switch (discount.effect) {
    case 'ADD_NEW_ITEMS':
      return `${goods} added for free`
    case 'ADD_SAME_ITEMS':
      return `${countWords(discount, format)} more of each item of a collection for free`
    case 'REPLACE_ITEMS':
      return `Items replaced by ${goods}`
    default:
      return discount.unit_type === shipping && discount.unit_off === 1 ? 'Free shipping' : `${goods} free`
  }
}

function goodsWords(goods: Goods, format: Words): string {
  const { product, sku, unit_type } = goods
  const name = sku?.sku ?? product?.name ?? sku?.source_id ?? product?.source_id
  const what = unit_type === shipping ? 'shipping' : (name ?? unit_type ?? 'item')
  return `${countWords(goods, format)} × ${what}`
}

const countWords = ({ unit_off, unit_off_formula }: Goods, format: Words) =>
  unit_off === null || unit_off === undefined
    ? unit_off_formula
      ? 'some'
      : '1'
    : byFormula(unit_off_formula, format.number(unit_off), 'some')

/** A formula decides, and the plain value stands in where it has no result. */
const byFormula = (formula: string | null | undefined, value: string, noun: string) =>
  formula ? `${noun} by formula (else ${value})` : value

const atMost = (limit: number | null | undefined, of: string, format: Words) =>
  limit === null || limit === undefined ? '' : `, at most ${plainMoney(limit, format)}${of}`

/** "a, b and c" */
export function list(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
