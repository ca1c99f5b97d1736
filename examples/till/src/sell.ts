import { randomUUID } from 'node:crypto'
import { evaluate, sentence } from '@guerdon/engine'
import type { Redeemable, Verdict } from '@guerdon/engine/schema'
import type { Journal } from './journal.ts'
import type { Sale } from './sale.ts'
import type { Snapshot } from './snapshot.ts'

/** What a customer brings to the till. */
export interface Cart {
  /** Quantities by product. */
  items: Record<string, number>
  codes: string[]
}

/** Prices a cart by the snapshot alone, writes the sale into the journal, and says what each code did or why it did not. */
export function sell(
  snapshot: Snapshot,
  journal: Journal,
  cart: Cart,
  now: Date = new Date(),
): { sale: Sale; sentences: string[] } {
  const items = itemsOf(snapshot, cart)
  const granted = grant(snapshot, journal, items, cart.codes, now.toISOString())
  const { applied, sentences } = granted
  const amount = items.reduce((sum, { quantity, price }) => sum + quantity * price, 0)
  const total = granted.total ?? amount
  const sale: Sale = {
    id: randomUUID(),
    sold_at: now.toISOString(),
    items: items.map(({ source_id, quantity, price }) => ({ source_id, quantity, price })),
    redeemables: applied,
    discount: amount - total,
    total,
  }
  journal.addSale(sale)
  return { sale, sentences }
}

function itemsOf({ products }: Snapshot, cart: Cart) {
  return Object.entries(cart.items).map(([sourceId, quantity]) => {
    const product = products.find(({ source_id }) => source_id === sourceId)
    if (product === undefined) throw new Error(`The till does not know ${sourceId}`)
    return { source_id: sourceId, product_id: product.id, quantity, price: product.price, product }
  })
}

/** The promotions and codes that apply together. One that does not apply is put aside, and the others are tried again. */
function grant(
  snapshot: Snapshot,
  journal: Journal,
  items: ReturnType<typeof itemsOf>,
  codes: string[],
  now: string,
): { applied: Sale['redeemables']; total: number | undefined; sentences: string[] } {
  let asked = [...snapshot.promotions, ...codes.map((code) => voucherNow(snapshot, journal, code))]
  const refusals: string[] = []
  while (asked.length > 0) {
    const verdict = evaluate(
      {
        now,
        timezone: snapshot.timezone,
        order: { items },
        stacking_rules: snapshot.stacking_rules,
        redeemables: asked,
      },
      { explain: true },
    )
    const refused = verdict.redeemables.filter(({ status }) => status === 'INAPPLICABLE')
    if (refused.length === 0) {
      const applied = verdict.redeemables.filter(({ status }) => status === 'APPLICABLE')
      return {
        applied: applied.map(({ object, id }) => ({ object: object as Sale['redeemables'][number]['object'], id })),
        total: verdict.order?.total_amount,
        sentences: [...sentencesOf(applied), ...refusals],
      }
    }
    // Nobody asked for a promotion that does not apply.
    refusals.push(...sentencesOf(refused.filter(({ object }) => object === 'voucher')))
    asked = asked.filter(({ id }) => !refused.some((each) => each.id === id))
  }
  return { applied: [], total: undefined, sentences: refusals }
}

const sentencesOf = (results: Verdict['redeemables']): string[] =>
  results.flatMap(({ explanation }) => (explanation ? [sentence(explanation)] : []))

/** A code as in the snapshot, with the uses at this till that the snapshot does not count. */
function voucherNow({ vouchers, taken_at }: Snapshot, journal: Journal, code: string): Redeemable {
  const voucher = vouchers.find(({ id }) => id === code)
  if (voucher?.kind !== 'discount_voucher') return { kind: 'unknown', object: 'voucher', id: code }
  const sales = journal.unknownAt(taken_at)
  const uses = sales.filter(({ redeemables }) => redeemables.some(({ id }) => id === code)).length
  return { ...voucher, redeemed_quantity: voucher.redeemed_quantity + uses }
}
