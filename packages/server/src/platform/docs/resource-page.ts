import type { OpenapiDocument } from '../../core/http/openapi.ts'
import { html } from '../../core/lib/html.ts'
import type { Examples } from './examples.ts'
import type { PageContent } from './layout.ts'
import { operationArticle } from './operation-article.ts'
import type { Resource } from './outline.ts'

/** The operations of one resource. */
export function resourcePage(resource: Resource, document: OpenapiDocument, examples: Examples): PageContent {
  const { name, page, operations } = resource
  const content = html`<h1>${name}</h1>
<ul class="calls">${operations.map(
    ({ operationId, summary, method, path }) =>
      html`<li><a href="#${operationId}">${summary}</a> <code>${method} ${path}</code></li>
`,
  )}</ul>
${operations.map((operation) => operationArticle(operation, document, examples[operation.operationId] ?? {}))}`
  return { title: `${name}: Guerdon API`, page, content }
}
