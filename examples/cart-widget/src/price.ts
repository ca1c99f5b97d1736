import type { GuerdonClientSide } from '@guerdon/client'

export interface Line {
  id: string
  name: string
  price: number
  quantity: number
}

/** What the widget shows below the lines. */
export interface Price {
  total: number
  discount: number
  /** Why the code does not count; null if it does, or if there is none. */
  refusal: string | null
}

/** What the lines cost without any code. */
export const plainPrice = (lines: readonly Line[]): Price => ({
  total: lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0),
  discount: 0,
  refusal: null,
})

/** Asks the service what a code does to the lines. A page decides nothing: the checkout on the shop's server redeems, and asks again. */
export async function priceWithCode(
  client: GuerdonClientSide,
  lines: readonly Line[],
  code: string,
  signal: AbortSignal,
): Promise<Price> {
  const plain = plainPrice(lines)
  if (code === '' || plain.total === 0) return plain
  const items = lines
    .filter(({ quantity }) => quantity > 0)
    .map(({ id, price, quantity }) => ({ source_id: id, price, quantity }))
  const answer = await client.validateRedeemablesOnClient(
    { redeemables: [{ object: 'voucher', id: code }], order: { items } },
    { signal },
  )
  if (!answer.ok) return { ...plain, refusal: 'Codes cannot be checked at the moment.' }
  const { valid, order, inapplicable_redeemables: refused = [], redeemables } = answer.data
  if (!valid) {
    const { result } = [...refused, ...redeemables].find(({ status }) => status === 'INAPPLICABLE') ?? {}
    const isUnknown = result?.error?.key === 'not_found'
    const reason = isUnknown ? 'There is no such code.' : result?.details?.message
    return { ...plain, refusal: reason ?? 'This code cannot be used here.' }
  }
  return { total: order?.total_amount ?? plain.total, discount: order?.total_discount_amount ?? 0, refusal: null }
}
