import { money } from '../catalogue.ts'
import { html } from '../html.ts'
import type { Discount, Line } from '../visitors.ts'

/** What cart and order show alike: goods, what was taken off and why, the total, and that it was paid back. */
export const summary = (price: {
  amount: number
  total: number
  discounts: Discount[]
  is_returned?: boolean
}) => html`<dl class="sums">
  <div><dt>Goods</dt><dd>${money(price.amount)}</dd></div>
  ${price.discounts.map(
    ({ label, amount, sentence }) => html`<div class="discount">
    <dt>${label}<small>${sentence}</small></dt><dd>${money(-amount)}</dd>
  </div>`,
  )}
  <div class="total"><dt>Total</dt><dd>${money(price.total)}</dd></div>
  ${price.is_returned ? html`<div class="refund"><dt>Refunded</dt><dd>${money(-price.total)}</dd></div>` : null}
</dl>`

export const lineCells = ({ name, quantity, amount }: Line) => html`<th scope="row">${name}</th>
<td class="number">${quantity}</td><td class="number">${money(amount)}</td>`
