import type { Guerdon } from '@guerdon/client'
import { findProduct } from './catalogue.ts'
import { checkOut, returnOrder } from './checkout.ts'
import { joinClub, membershipOf, takeReward } from './club.ts'
import type { Html } from './html.ts'
import type { Offers } from './offers.ts'
import { cartPage } from './pages/cart.ts'
import { cataloguePage } from './pages/catalogue.ts'
import { clubPage } from './pages/club.ts'
import { orderPage } from './pages/order.ts'
import { codeExists, priceOf } from './pricing.ts'
import { addCode, removeCode, setQuantity, type Visitor } from './visitors.ts'

/** What a request brings to its route. */
export interface Visit {
  visitor: Visitor
  /** The fields of the form; empty for a GET. */
  form: URLSearchParams
  /** What follows the name of the route in the address: `/orders/{rest}`. */
  rest: string
  origin: string
}

/** A page, the address to go to instead, or nothing: there is no such page. */
export type Reply = Html | { to: string } | null

type Route = (visit: Visit) => Promise<Reply> | Reply

/** Every page and form of the shop. A name that ends with `/` takes the rest of the address. */
export function routesOf(guerdon: Guerdon, offers: Offers): Record<string, Route> {
  return {
    'GET /': ({ visitor }) => cataloguePage(visitor),
    'GET /cart': async ({ visitor }) => cartPage(visitor, await priceOf(guerdon, offers, visitor)),
    'POST /cart/add': ({ visitor, form }) => {
      const product = findProduct(field(form, 'product'))
      if (product === undefined) return null
      setQuantity(visitor, product.id, (visitor.cart.get(product.id) ?? 0) + 1)
      visitor.notice = `${product.name} is in your cart.`
      return { to: '/' }
    },
    'POST /cart/remove': ({ visitor, form }) => {
      setQuantity(visitor, field(form, 'product'), 0)
      return { to: '/cart' }
    },
    'POST /cart/code': async ({ visitor, form }) => {
      // Without a notice: the cart says beside the code whether it applies.
      await enterCode(guerdon, visitor, field(form, 'code'), null)
      return { to: '/cart' }
    },
    'POST /cart/code/remove': ({ visitor, form }) => {
      removeCode(visitor, field(form, 'code'))
      return { to: '/cart' }
    },
    'POST /checkout': async ({ visitor, form }) => {
      const seen = { order_id: field(form, 'order'), total: Number(field(form, 'total')) }
      const done = await checkOut(guerdon, offers, visitor, seen)
      if ('order' in done) return { to: `/orders/${done.order.id}` }
      visitor.notice = done.problem
      return { to: '/cart' }
    },
    'GET /orders/': ({ visitor, rest }) => {
      const order = visitor.orders.get(rest)
      return order === undefined ? null : orderPage(visitor, order)
    },
    'POST /orders/return': async ({ visitor, form }) => {
      const order = visitor.orders.get(field(form, 'order'))
      if (order === undefined) return null
      await returnOrder(guerdon, order)
      return { to: `/orders/${order.id}` }
    },
    'GET /club': async ({ visitor, origin }) => clubPage(visitor, await membershipOf(guerdon, visitor), origin),
    'POST /club/join': async ({ visitor }) => {
      await joinClub(guerdon, visitor)
      return { to: '/club' }
    },
    'POST /club/reward': async ({ visitor, form }) => {
      const code = await takeReward(guerdon, visitor, field(form, 'reward'))
      if (code === null) visitor.notice = 'Your points do not suffice for this reward.'
      else applyCode(visitor, code)
      return { to: '/club' }
    },
    'GET /friend/': async ({ visitor, rest }) => {
      await enterCode(guerdon, visitor, rest)
      return { to: '/' }
    },
  }
}

const field = (form: URLSearchParams, name: string): string => (form.get(name) ?? '').slice(0, 100)

/** Takes a code from outside. One that does not exist is not kept: it would take the place of another one. */
async function enterCode(guerdon: Guerdon, visitor: Visitor, typed: string, notice?: string | null): Promise<void> {
  const code = typed.trim().toUpperCase().slice(0, 100) // The codes of the shop are in capitals.
  if (code === '') return
  if (await codeExists(guerdon, code)) applyCode(visitor, code, notice)
  else visitor.notice = `There is no code ${code}.`
}

function applyCode(visitor: Visitor, code: string, notice: string | null = `${code} is in your cart.`): void {
  visitor.notice = addCode(visitor, code) ? notice : 'Five codes are the most that one order can have.'
}
