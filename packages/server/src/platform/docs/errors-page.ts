import { type ErrorKey, errorKeys, errorMessage, errorStatus } from '../../core/http/errors.ts'
import type { DocumentedResponse, OpenapiDocument } from '../../core/http/openapi.ts'
import { nameIn } from '../../core/http/openapi-sample.ts'
import { type Html, html } from '../../core/lib/html.ts'
import type { OutwardLinks, PageContent } from './layout.ts'
import type { PlacedOperation, Resource } from './outline.ts'
import { prose } from './prose.ts'

/** The key of a refusal, and the operations that answer with it. */
export interface RefusalKey {
  key: ErrorKey
  status: number
  words: string
  answeredBy: Array<{ operation: PlacedOperation; page: string }>
}

export function refusalKeysOf(
  { components: { responses } }: OpenapiDocument,
  resources: readonly Resource[],
): RefusalKey[] {
  const words = new Map<string, string>()
  const answeredBy = new Map<string, RefusalKey['answeredBy']>()
  const note = ({ description }: DocumentedResponse): string[] =>
    // As core/http/openapi-refusals.ts describes refusals: a paragraph for each key.
    [...description.matchAll(/^`(\w+)`: (.+)$/gm)].map(([, key = '', explanation = '']) => {
      words.set(key, explanation)
      return key
    })
  Object.values(responses).forEach(note)
  for (const { page, operations } of resources)
    for (const operation of operations)
      for (const response of Object.values(operation.responses)) {
        const described = '$ref' in response ? responses[nameIn(response.$ref)] : response
        for (const key of described === undefined ? [] : note(described))
          answeredBy.set(key, [...(answeredBy.get(key) ?? []), { operation, page }])
      }
  return errorKeys.map((key) => ({
    key,
    status: errorStatus(key),
    words: words.get(key) ?? errorMessage(key),
    answeredBy: answeredBy.get(key) ?? [],
  }))
}

/** Every key of a refusal: what a developer who meets one looks for. */
export function errorsPage(keys: readonly RefusalKey[], { has_guides }: OutwardLinks): PageContent {
  const content = html`<h1>Error keys</h1>
<p>A refusal is an <a href="schema-Error">Error</a>, and its <code>key</code> says of which kind. Programs go by key and status, which are stable; texts are for people.</p>
${has_guides && html`<p>When each is sent, and the texts about input: <a href="../guides/reference/errors.html">Errors</a> in the guides.</p>`}
<ul class="tree">${keys.map(item)}</ul>`
  return { title: 'Error keys: Guerdon API', page: 'errors', content }
}

const item = ({ key, status, words, answeredBy }: RefusalKey): Html =>
  html`<li id="${key}"><a class="anchor" href="#${key}" aria-label="Link to ${key}">#</a><code class="name">${key}</code> <span class="status">${status}</span>${prose(capitalised(words))}${answeredBy.length > 0 && html`<p class="shared">Answered by ${answeredBy.length > namedMax ? html`${answeredBy.length} operations` : answeredBy.map(link)}</p>`}</li>
`

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** What more operations have in common says nothing about one of them. */
const namedMax = 60

const link = ({ operation: { operationId, method, path }, page }: RefusalKey['answeredBy'][number]): Html =>
  html`<a href="${page}#${operationId}"><code>${method} ${path}</code></a> `
