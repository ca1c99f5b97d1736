import { html } from '../html.ts'
import type { Order, Visitor } from '../visitors.ts'
import { lineCells, summary } from './discounts.ts'
import { frame } from './frame.ts'

export const orderPage = (visitor: Visitor, order: Order) =>
  frame(
    'Order',
    visitor,
    html`<h1>${order.is_returned ? 'Returned' : 'Thank you'}</h1>
<p class="lead">Order <code>${order.id}</code>${state(order)}</p>
<div class="columns">
<section aria-label="Goods"><table>
  <thead><tr><th scope="col">Product</th><th scope="col">Quantity</th><th scope="col">Amount</th></tr></thead>
  <tbody>${order.lines.map((line) => html`<tr>${lineCells(line)}</tr>`)}</tbody>
</table></section>
<section class="card" aria-label="Total">
  ${summary(order)}
  ${order.is_returned ? null : returnForm(order)}
</section>
</div>`,
  )

function state({ is_returned, redemption_id }: Order): string {
  if (!is_returned) return ' is paid.'
  return redemption_id === null
    ? ' was returned.'
    : ' was returned. Its codes can be used again, and gift cards have their money back.'
}

const returnForm = ({ id }: Order) => html`<form method="post" action="/orders/return">
  <input type="hidden" name="order" value="${id}">
  <button>Return this order</button>
</form>`
