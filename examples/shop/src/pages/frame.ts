import { type Html, html } from '../html.ts'
import type { Visitor } from '../visitors.ts'

/** A whole page. The notice of the visitor is shown once. */
export function frame(title: string, visitor: Visitor, content: Html): Html {
  const { notice } = visitor
  visitor.notice = null
  const units = [...visitor.cart.values()].reduce((sum, quantity) => sum + quantity, 0)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Bell Coffee</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header class="top">
  <a class="brand" href="/">Bell Coffee</a>
  <nav aria-label="Shop"><a href="/">Catalogue</a><a href="/club">Club</a><a href="/cart">Cart (${units})</a></nav>
</header>
<main>
${notice === null ? null : html`<p class="notice" role="status">${notice}</p>`}
${content}
</main>
<footer>An example of Guerdon. Nothing here is for sale.</footer>
</body>
</html>
`
}
