import { randomUUID } from 'node:crypto'

/** A person in front of the shop, known by a cookie. A real shop keeps this in its database. */
export interface Visitor {
  id: string
  /** Of the order that the cart becomes: the key by which a repeated checkout is recognised. A changed cart is another order. */
  order_id: string
  /** Quantities by product. */
  cart: Map<string, number>
  codes: string[]
  orders: Map<string, Order>
  /** The codes of the loyalty card and for friends; null before the visitor has joined the club. */
  club: { card: string; friend_code: string } | null
  /** Shown once, on the next page. */
  notice: string | null
}

export interface Order {
  id: string
  lines: Line[]
  discounts: Discount[]
  amount: number
  total: number
  /** What a return rolls back; null if nothing was redeemed. */
  redemption_id: string | null
  is_returned: boolean
}

export interface Line {
  name: string
  quantity: number
  amount: number
}

/** A code or promotion that applies, and its effect as a sentence. */
export interface Discount {
  label: string
  amount: number
  sentence: string
}

/** Visitors in memory, the last 10,000. */
export function openVisitors() {
  const known = new Map<string, Visitor>()
  return {
    find(id: string): Visitor | undefined {
      const visitor = known.get(id)
      // To the end: the one that was not seen for longest leaves first.
      if (visitor !== undefined && known.delete(id)) known.set(id, visitor)
      return visitor
    },
    add(): Visitor {
      const visitor: Visitor = {
        id: randomUUID(),
        order_id: randomUUID(),
        cart: new Map(),
        codes: [],
        orders: new Map(),
        club: null,
        notice: null,
      }
      known.set(visitor.id, visitor)
      const [oldest] = known.keys()
      if (known.size > 10_000 && oldest !== undefined) known.delete(oldest)
      return visitor
    },
  }
}

export type Visitors = ReturnType<typeof openVisitors>

/** What is sent under another id is another order to the service too, whatever became of the last one. */
export function renewOrder(visitor: Visitor): void {
  visitor.order_id = randomUUID()
}

const quantityMax = 99

export function setQuantity(visitor: Visitor, productId: string, quantity: number): void {
  if (quantity > 0) visitor.cart.set(productId, Math.min(quantity, quantityMax))
  else visitor.cart.delete(productId)
  renewOrder(visitor)
}

/** More codes than a project lets be used together help nobody. */
const codesMax = 5

/** Adds a code to the cart; false if there is no room for another one. */
export function addCode(visitor: Visitor, code: string): boolean {
  if (visitor.codes.includes(code)) return true
  if (visitor.codes.length >= codesMax) return false
  visitor.codes.push(code)
  renewOrder(visitor)
  return true
}

export function removeCode(visitor: Visitor, code: string): void {
  visitor.codes = visitor.codes.filter((each) => each !== code)
  renewOrder(visitor)
}

export function emptyCart(visitor: Visitor): void {
  visitor.cart.clear()
  visitor.codes = []
  renewOrder(visitor)
}
