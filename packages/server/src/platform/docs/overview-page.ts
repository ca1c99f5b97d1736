import type { OpenapiDocument } from '../../core/http/openapi.ts'
import { nameIn } from '../../core/http/openapi-sample.ts'
import { type Html, html } from '../../core/lib/html.ts'
import type { OutwardLinks, PageContent } from './layout.ts'
import { groupsOf, type Resource } from './outline.ts'
import { prose } from './prose.ts'
import { typeOf } from './types.ts'

/** The first page: what all operations share, and where each of them is. */
export function overviewPage(
  document: OpenapiDocument,
  resources: readonly Resource[],
  { has_guides }: OutwardLinks,
): PageContent {
  const { info, openapi } = document
  const content = html`<h1>${info.title} <small>${info.version}</small></h1>
${prose(info.description)}
${has_guides ? html`<p>Concepts, recipes and operation: <a href="../guides/">Guides</a>.</p>` : ''}
<p>For programs: <a href="../openapi.json">openapi.json</a> (OpenAPI ${openapi}). Licence: ${info.license.name}.</p>
<section id="credentials"><h2>Credentials</h2>${credentials(document)}</section>
<section id="headers"><h2>Headers that operations share</h2>${sharedHeaders(document)}</section>
<section id="answer-headers"><h2>Headers of answers</h2>${answerHeaders(document)}</section>
<section id="errors"><h2>Refusals that operations share</h2>${sharedRefusals(document)}<p>All kinds of refusals: <a href="errors">Error keys</a>.</p></section>
<section id="operations"><h2>Operations</h2>
${groupsOf(resources).map(({ title, members }) => html`<h3>${title}</h3>${members.map(operationTable)}`)}</section>`
  return { title: `${info.title} ${info.version}: API reference`, page: '', content }
}

const operationTable = ({ name, page, operations }: Resource): Html => html`<h4><a href="${page}">${name}</a></h4>
<ul class="calls">${operations.map(
  ({ operationId, summary, method, path }) =>
    html`<li><a href="${page}#${operationId}">${summary}</a> <code>${method} ${path}</code></li>
`,
)}</ul>
`

function credentials({ components: { securitySchemes } }: OpenapiDocument): Html {
  return html`<dl>${Object.entries(securitySchemes).map(
    ([
      name,
      scheme,
    ]) => html`<dt id="credential-${name}"><code>${headerOf(scheme)}</code></dt><dd>${prose(scheme.description)}</dd>
`,
  )}</dl>`
}

/** The header that carries a credential. */
export function headerOf(scheme: OpenapiDocument['components']['securitySchemes'][string]): string {
  if (scheme.type === 'oauth2') return 'Authorization'
  return scheme.in === 'cookie' ? `Cookie: ${scheme.name}` : scheme.name
}

function sharedHeaders({ components: { parameters } }: OpenapiDocument): Html {
  return html`<dl>${Object.entries(parameters).map(
    ([name, parameter]) =>
      html`<dt id="header-${name}"><code>${parameter.name}</code></dt><dd>${prose(parameter.description ?? '')}<p>${typeOf(parameter.schema)}</p></dd>
`,
  )}</dl>`
}

function answerHeaders(document: OpenapiDocument): Html {
  return html`<dl>${answerHeadersOf(document).map(
    ({ id, name, description }) => html`<dt id="${id}"><code>${name}</code></dt><dd>${prose(description)}</dd>
`,
  )}</dl>`
}

/** The headers of answers, under the names that they are sent with. */
export function answerHeadersOf({ paths, components }: OpenapiDocument) {
  const answers = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.values(responses)),
  )
  const sent = [...Object.values(components.responses), ...answers].flatMap((response) =>
    'headers' in response ? Object.entries(response.headers ?? {}) : [],
  )
  const names = new Map(sent.map(([name, { $ref }]) => [nameIn($ref), name]))
  return Object.entries(components.headers).map(([id, { description }]) => ({
    id: `answer-header-${id}`,
    name: names.get(id) ?? id,
    description,
  }))
}

function sharedRefusals({ components: { responses } }: OpenapiDocument): Html {
  return html`<dl>${Object.entries(responses).map(
    ([name, { description }]) => html`<dt id="response-${name}">${name}</dt><dd>${prose(description)}</dd>
`,
  )}</dl>`
}
