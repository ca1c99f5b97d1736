import { money } from '../catalogue.ts'
import { html } from '../html.ts'
import type { Discount, Line } from '../visitors.ts'

/** What cart and order show alike: goods, what was taken off and why, and the total. */
export const summary = (price: { amount: number; total: number; discounts: Discount[] }) => html`<dl class="sums">
  <div><dt>Goods</dt><dd>${money(price.amount)}</dd></div>
  ${price.discounts.map(
    ({ label, amount, sentence }) => html`<div class="discount">
    <dt>${label}<small>${sentence}</small></dt><dd>${money(-amount)}</dd>
  </div>`,
  )}
  <div class="total"><dt>Total</dt><dd>${money(price.total)}</dd></div>
</dl>`

export const lineCells = ({ name, quantity, amount }: Line) => html`<th scope="row">${name}</th>
<td class="number">${quantity}</td><td class="number">${money(amount)}</td>`
