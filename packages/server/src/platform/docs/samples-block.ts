import type { OpenapiDocument } from '../../core/http/openapi.ts'
import { type Html, html } from '../../core/lib/html.ts'
import type { ExampleReply, ExampleRequest } from './examples.ts'
import type { PlacedOperation } from './outline.ts'
import { sampleCall } from './samples/call.ts'
import { languages } from './samples/index.ts'

/** The call in every language. Without scripts they stand below each other; browser/samples.js makes tabs of them. */
export function requestSamples(
  operation: PlacedOperation,
  document: OpenapiDocument,
  request: ExampleRequest | undefined,
): Html {
  const call = sampleCall(operation, document, request)
  return html`<div class="samples">${languages.map(
    ({ id, name, write }) =>
      html`<details data-language="${id}"${{ markup: id === 'curl' ? ' open' : '' }}><summary>${name}</summary>${code(write(call), `${operation.summary}: ${name}`)}</details>`,
  )}</div>`
}

export function replyExample(
  status: string,
  { body, text, location, media_type: mediaType }: ExampleReply,
): Html | false {
  const shown =
    location !== undefined ? `Location: ${location}` : body === undefined ? text : JSON.stringify(body, null, 2)
  if (shown === undefined) return mediaType === undefined ? false : html`<p>A file: <code>${mediaType}</code></p>`
  return html`<details class="example"${{ markup: Number(status) < 400 ? ' open' : '' }}><summary>Example</summary>${code(shown, `Example of ${status}`)}</details>`
}

/** Scrolls in itself, so the keyboard must reach it. */
const code = (text: string, label: string): Html =>
  html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre></div>`
