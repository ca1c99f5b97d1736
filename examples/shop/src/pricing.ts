import { type Guerdon, type Schemas, unwrap } from '@guerdon/client'
import { findProduct } from './catalogue.ts'
import type { Offers } from './offers.ts'
import type { Discount, Line, Visitor } from './visitors.ts'

/** What a cart costs, and why. */
export interface Price {
  lines: Array<Line & { product_id: string }>
  amount: number
  total: number
  discounts: Discount[]
  /** Codes of the visitor that do not apply. */
  refusals: Refusal[]
  /** What the checkout redeems. */
  redeemables: Redeemable[]
}

export interface Refusal {
  code: string
  /** What the shop says to everybody. */
  message: string
  /** The whole reason: which rule, which value; null if there is nothing more to say. */
  sentence: string | null
}

export type Redeemable = { object: 'voucher' | 'promotion_tier'; id: string }

/** What the service knows a visitor as. */
export const customerOf = (visitor: Visitor) => ({ source_id: `visitor-${visitor.id}` })

export const itemsOf = (visitor: Visitor) =>
  [...visitor.cart].map(([productId, quantity]) => ({ source_id: productId, quantity }))

/** Asks what the promotions and the codes of the visitor do to the cart; null if the cart is empty. */
export async function priceOf(guerdon: Guerdon, offers: Offers, visitor: Visitor): Promise<Price | null> {
  if (visitor.cart.size === 0) return null
  const lines = linesOf(visitor)
  const amount = lines.reduce((sum, line) => sum + line.amount, 0)
  const asked: Redeemable[] = [
    ...offers.promotions.map((id) => ({ object: 'promotion_tier' as const, id })),
    ...visitor.codes.map((id) => ({ object: 'voucher' as const, id })),
  ]
  const { redeemables, order, ...others } = unwrap(
    await guerdon.validateRedeemables({
      redeemables: asked,
      order: { items: itemsOf(visitor) },
      customer: customerOf(visitor),
      options: { explain: true, expand: ['redeemable'] },
    }),
  )
  const applicable = redeemables.filter(({ status }) => status === 'APPLICABLE')
  const refused = [...(others.inapplicable_redeemables ?? []), ...(others.skipped_redeemables ?? [])]
  return {
    lines,
    amount,
    total: order?.total_amount ?? amount,
    discounts: applicable.map(discountOf),
    // Nobody asked for a promotion that does not apply.
    refusals: refused.filter(({ object }) => object === 'voucher').map(refusalOf),
    redeemables: applicable.map(({ object, id }) => ({ object: object as Redeemable['object'], id })),
  }
}

const linesOf = (visitor: Visitor): Price['lines'] =>
  [...visitor.cart].flatMap(([productId, quantity]) => {
    const product = findProduct(productId)
    return product ? [{ product_id: productId, name: product.name, quantity, amount: quantity * product.price }] : []
  })

type Judged = Schemas['Validation']['redeemables'][number]

const discountOf = ({ id, name, explanation }: Judged): Discount => ({
  label: name ?? id,
  amount: explanation?.amount ?? 0,
  // It names a promotion by its id, which says nothing to a visitor.
  sentence: explanation?.sentence.replace(id, name ?? id) ?? '',
})

function refusalOf({ id, result, explanation }: Judged): Refusal {
  // It was deleted after the visitor had applied it.
  if (result?.error?.key === 'not_found') return { code: id, message: 'There is no such code.', sentence: null }
  const message = result?.details?.message ?? 'This code cannot be used here.'
  return { code: id, message, sentence: explanation?.sentence ?? null }
}

export async function codeExists(guerdon: Guerdon, code: string): Promise<boolean> {
  const found = await guerdon.getVoucher({ code })
  if (!found.ok && found.error.status !== 404) unwrap(found)
  return found.ok
}
