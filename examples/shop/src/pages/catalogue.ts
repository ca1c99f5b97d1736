import { money, type Product, products } from '../catalogue.ts'
import { html } from '../html.ts'
import { codes } from '../offers.ts'
import type { Visitor } from '../visitors.ts'
import { frame } from './frame.ts'

export const cataloguePage = (visitor: Visitor) =>
  frame(
    'Catalogue',
    visitor,
    html`<h1>Coffee, and what goes with it</h1>
<p class="lead">5 % off from €60.00. Codes to try: ${Object.values(codes).map((code) => html`<code>${code}</code> `)}</p>
<ul class="goods">${products.map(goods)}</ul>`,
  )

const goods = ({ id, name, about, price, kind }: Product) => html`<li class="card">
  <div class="swatch ${kind}">${pictures[kind]}</div>
  <h2>${name}</h2>
  <p class="about">${about}</p>
  <form method="post" action="/cart/add">
    <input type="hidden" name="product" value="${id}">
    <span class="price">${money(price)}</span>
    <button aria-label="Add to cart: ${name}">Add to cart</button>
  </form>
</li>
`

const picture = (path: string) =>
  html`<svg viewBox="0 0 48 48" aria-hidden="true" focusable="false"><path d="${path}"/></svg>`

const pictures: Record<Product['kind'], ReturnType<typeof html>> = {
  coffee: picture('M24 5c9 0 15 8 15 19s-6 19-15 19S9 35 9 24 15 5 24 5Zm0 0c-6 8 6 11 0 19s6 11 0 19'),
  gear: picture('M9 13h24v18a7 7 0 0 1-7 7H16a7 7 0 0 1-7-7V13Zm24 5h3a5 5 0 0 1 0 12h-3M16 4v4m5-4v4m5-4v4'),
  treat: picture('M24 6a18 18 0 1 0 18 18c-5 1-8-2-8-6-5 1-9-3-8-8l-2-4ZM17 20v.1M20 31v.1M30 30v.1M14 27v.1'),
}
