import { type Html, html } from '../../core/lib/html.ts'

/** Renders the markup that descriptions use: paragraphs, and code between backticks. */
export function prose(text: string): Html {
  return html`${text.split(/\n\n+/).map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`
}

function inline(text: string): Html[] {
  return text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`))
}
