import { isDeepStrictEqual } from 'node:util'
import type { Chance } from '../demo/chance.ts'

// biome-ignore lint/suspicious/noExplicitAny: a reply of the API
type Reply = any

/** Calls an operation of one of two services that should decide alike; a refusal is an answer. */
export type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Reply>

/** Of what random carts are made. */
export interface CartParts {
  /** Source ids with prices. */
  products: Array<{ source_id: string; price: number }>
  customers: string[]
  codes: string[]
  gift_codes: string[]
  tiers: string[]
}

/** A request that validates one to three redeemables with an order of one to four lines, mostly for a known customer. */
export function randomCart(chance: Chance, parts: CartParts): object {
  const redeemable = () => {
    if (parts.tiers.length > 0 && chance.isTrue(0.2)) return { object: 'promotion_tier', id: chance.pick(parts.tiers) }
    if (parts.gift_codes.length > 0 && chance.isTrue(0.2))
      return { object: 'voucher', id: chance.pick(parts.gift_codes), gift: { credits: chance.between(1, 5_000) } }
    return { object: 'voucher', id: chance.pick(parts.codes) }
  }
  const redeemables = Array.from({ length: chance.between(1, 3) }, redeemable)
  return {
    redeemables: [...new Map(redeemables.map((one) => [one.id, one])).values()],
    order: {
      items: Array.from({ length: chance.between(1, 4) }, () => {
        const { source_id, price } = chance.pick(parts.products)
        return { source_id, related_object: 'product', quantity: chance.between(1, 5), price }
      }),
    },
    ...(chance.isTrue(0.8) ? { customer: { source_id: chance.pick(parts.customers) } } : {}),
  }
}

export interface Comparison {
  carts: number
  /** How many were valid: a comparison of refusals alone says little. */
  valid: number
  differences: Array<{ cart: object; first: unknown; second: unknown }>
}

/** Validates carts on both and compares the answers whole, except for what is new in every answer. */
export async function compareVerdicts(first: Call, second: Call, carts: readonly object[]): Promise<Comparison> {
  const result: Comparison = { carts: carts.length, valid: 0, differences: [] }
  for (let at = 0; at < carts.length; at += atOnce)
    await Promise.all(
      carts.slice(at, at + atOnce).map(async (cart) => {
        const answers = await Promise.all([first, second].map((call) => call('POST', '/v1/validations', cart)))
        const [one, other] = answers.map(lasting)
        if (answers[0].valid === true) result.valid += 1
        if (!isDeepStrictEqual(one, other)) result.differences.push({ cart, first: one, second: other })
      }),
    )
  return result
}

const atOnce = 8

const momentary = new Set(['request_id', 'tracking_id', 'created_at', 'updated_at', 'assets', 'resource_id'])

/** Without ids that an answer makes up, and without addresses of images. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !momentary.has(name) && !(name === 'id' && /^(valid|ssn)_/.test(String(member))))
      .map(([name, member]) => [name, lasting(member)]),
  )
}

/** All rows of a list that a test has a few thousand of. */
export async function listAll(call: Call, path: string): Promise<Reply[]> {
  const rows: Reply[] = []
  for (let page = 1; page <= 100; page++) {
    const reply = await call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`)
    const found: Reply[] = reply[reply.data_ref]
    rows.push(...found)
    if (found.length < 100) break
  }
  return rows
}

/** The parts of carts for an account: its goods, people and codes, as one of the two services lists them. */
export async function cartPartsOf(call: Call): Promise<CartParts> {
  const products = await listAll(call, '/v1/products?order=created_at')
  const customers = await listAll(call, '/v1/customers?order=created_at')
  const vouchers = await listAll(call, '/v1/vouchers?order=-created_at')
  const tiers = await listAll(call, '/v1/promotions/tiers?order=created_at')
  return {
    products: products.flatMap(({ source_id, price }) => (source_id && price ? [{ source_id, price }] : [])),
    customers: customers.flatMap(({ source_id }) => source_id ?? []),
    codes: vouchers.filter(({ type }) => type === 'DISCOUNT_VOUCHER').map(({ code }) => code),
    gift_codes: vouchers.filter(({ type }) => type === 'GIFT_VOUCHER').map(({ code }) => code),
    tiers: tiers.map(({ id }) => id),
  }
}
