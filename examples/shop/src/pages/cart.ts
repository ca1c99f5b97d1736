import { type Html, html } from '../html.ts'
import type { Price, Refusal } from '../pricing.ts'
import type { Visitor } from '../visitors.ts'
import { lineCells, summary } from './discounts.ts'
import { frame } from './frame.ts'

export function cartPage(visitor: Visitor, price: Price | null): Html {
  const content = price === null ? emptyCart : filledCart(visitor, price)
  return frame('Cart', visitor, html`<h1>Your cart</h1>${content}`)
}

const emptyCart = html`<p class="lead">There is nothing in it yet. <a href="/">Look at the catalogue</a></p>`

const filledCart = (visitor: Visitor, price: Price) => html`<div class="columns">
<section aria-label="Goods">
  <table>
    <thead><tr><th scope="col">Product</th><th scope="col">Quantity</th><th scope="col">Amount</th><td></td></tr></thead>
    <tbody>${price.lines.map(line)}</tbody>
  </table>
  <h2>Codes</h2>
  <form class="row" method="post" action="/cart/code">
    <label for="code">Code or gift card</label>
    <input id="code" name="code" required maxlength="100" autocomplete="off" spellcheck="false">
    <button>Apply</button>
  </form>
  ${visitor.codes.length === 0 ? null : html`<ul class="codes">${visitor.codes.map((code) => codeState(code, price))}</ul>`}
</section>
<section class="card" aria-label="Total">
  ${summary(price)}
  <form method="post" action="/checkout">
    <input type="hidden" name="order" value="${visitor.order_id}">
    <input type="hidden" name="total" value="${price.total}">
    <button class="main">Pay and order</button>
  </form>
</section>
</div>`

const line = (each: Price['lines'][number]) => html`<tr>${lineCells(each)}<td>
<form method="post" action="/cart/remove">
  <input type="hidden" name="product" value="${each.product_id}">
  <button class="quiet" aria-label="Remove ${each.name}">Remove</button>
</form></td></tr>`

function codeState(code: string, { refusals }: Price): Html {
  const refusal = refusals.find((each) => each.code === code)
  return html`<li class="${refusal ? 'refused' : 'applied'}">
  <div><code>${code}</code> ${refusal ? refusal.message : 'applied'}${refusal ? whyNot(refusal) : null}</div>
  <form method="post" action="/cart/code/remove">
    <input type="hidden" name="code" value="${code}">
    <button class="quiet" aria-label="Remove code ${code}">Remove</button>
  </form>
</li>`
}

const whyNot = ({ sentence }: Refusal) =>
  sentence === null ? null : html`<details><summary>Why not?</summary><p>${sentence}</p></details>`
