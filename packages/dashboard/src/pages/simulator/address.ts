import { centsOf, textOfCents } from '../../ui/field.tsx'
import { type Chosen, emptySituation, type Line, newKey, newLine, type Pair, type Situation } from './situation.ts'

/** The form in which a simulation stands in the address; what is as usual is left out. */
export interface Cart {
  customer?: string
  items?: { product_id?: string; sku_id?: string; name?: string; quantity?: number; price?: number }[]
  redeemables?: {
    object?: Chosen['object']
    id: string
    name?: string
    credits?: number
    reward?: string
    points?: number
  }[]
  order_metadata?: Record<string, string>
  metadata?: Record<string, string>
  /** On the clocks of the project. */
  at?: string
  others?: false
}

/** Longer addresses are cut by mail programs and refused by some servers. */
const addressMax = 6_000
const linesMax = 500
const chosenMax = 30
const pairsMax = 50
const textMax = 255

/** The simulation for the address; undefined when it is empty or too large for one. */
export function cartOf(situation: Situation): { cart: Cart | undefined; isTooLarge: boolean } {
  const { customer, lines, chosen, orderMetadata, metadata, at, others } = situation
  const cart: Cart = {
    ...(customer && { customer: customer.id }),
    ...(lines.length > 0 && { items: lines.map(itemOf) }),
    ...(chosen.length > 0 && { redeemables: chosen.map(redeemableOf) }),
    ...(orderMetadata.length > 0 && { order_metadata: recordOf(orderMetadata) }),
    ...(metadata.length > 0 && { metadata: recordOf(metadata) }),
    ...(at !== '' && { at }),
    ...(!others && { others: false as const }),
  }
  const isTooLarge = encodeURIComponent(JSON.stringify(cart)).length > addressMax
  return { cart: isTooLarge || Object.keys(cart).length === 0 ? undefined : cart, isTooLarge }
}

function itemOf({ product_id, sku_id, name, quantity, price }: Line): NonNullable<Cart['items']>[number] {
  const cents = centsOf(price)
  return {
    ...(product_id && { product_id }),
    ...(sku_id && { sku_id }),
    ...(name && { name }),
    ...(quantity !== '1' && { quantity: Number(quantity) || 0 }),
    ...(cents !== undefined && { price: cents }),
  }
}

function redeemableOf({
  object,
  id,
  name,
  credits = '',
  reward,
  points = '',
}: Chosen): NonNullable<Cart['redeemables']>[number] {
  const cents = centsOf(credits)
  return {
    ...(object !== 'voucher' && { object }),
    id,
    ...(name && { name }),
    ...(cents !== undefined && { credits: cents }),
    ...(reward && { reward }),
    ...(/^\d+$/.test(points) && { points: Number(points) }),
  }
}

const recordOf = (pairs: readonly Pair[]) =>
  Object.fromEntries(pairs.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]))

/** Reads what an address says. Addresses are typed, cut and sent around: what makes no sense is left out. */
export function situationOf(value: unknown): Situation {
  const cart = asRecord(typeof value === 'string' ? parsed(value) : value)
  const { customer, at, others } = cart
  return {
    ...emptySituation,
    customer: isText(customer) ? { id: customer } : null,
    lines: asList(cart.items, linesMax).map(lineOf),
    chosen: asList(cart.redeemables, chosenMax).flatMap(chosenOf),
    orderMetadata: pairsOf(cart.order_metadata),
    metadata: pairsOf(cart.metadata),
    at: isText(at) && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(at) ? at : '',
    others: others !== false,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function lineOf(item: Record<string, unknown>): Line {
  const { product_id, sku_id, name, quantity, price } = item
  return newLine({
    ...(isText(product_id) && { product_id }),
    ...(isText(sku_id) && { sku_id }),
    name: isText(name) ? name : '',
    quantity: isWhole(quantity) ? String(quantity) : '1',
    price: isWhole(price) ? textOfCents(price) : '',
  })
}

function chosenOf(entry: Record<string, unknown>): Chosen[] {
  const { object, id, name, credits, reward, points } = entry
  if (!isText(id)) return []
  return [
    {
      object: object === 'promotion_tier' || object === 'promotion_stack' ? object : 'voucher',
      id,
      ...(isText(name) && { name }),
      ...(isWhole(credits) && { credits: textOfCents(credits) }),
      ...(isText(reward) && { reward }),
      ...(isWhole(points) && { points: String(points) }),
    },
  ]
}

const pairsOf = (value: unknown): Pair[] =>
  Object.entries(asRecord(value))
    .slice(0, pairsMax)
    .map(([name, text]) => ({ key: newKey(), name, value: String(text).slice(0, textMax) }))

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= textMax
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
const asList = (value: unknown, most: number): Record<string, unknown>[] =>
  (Array.isArray(value) ? value : []).slice(0, most).map(asRecord)
