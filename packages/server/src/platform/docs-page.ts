import type {
  DocumentedOperation,
  DocumentedParameter,
  DocumentedResponse,
  OpenapiDocument,
} from '../core/http/openapi.ts'
import { nameIn, referred, sampleOf } from '../core/http/openapi-sample.ts'
import type { JsonSchema } from '../core/http/openapi-schema.ts'
import { type Html, html } from '../core/lib/html.ts'
import { prose } from './docs-prose.ts'
import { propertyTable, row, typeOf } from './docs-schema.ts'
import { docsStyle } from './docs-style.ts'

/** The API reference as one self-contained page: no scripts, no fonts, no other hosts. */
export function docsPage(document: OpenapiDocument): string {
  const { info, components } = document
  const sections = sectionsOf(document)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} ${info.version}: API reference</title>
<style>${{ markup: docsStyle }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">${contents(sections)}</nav>
<main id="content">
<h1>${info.title} <small>${info.version}</small></h1>
${prose(info.description)}
<p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI ${document.openapi}). Licence: ${info.license.name}.</p>
<section id="credentials"><h2>Credentials</h2>${credentials(document)}</section>
<section id="headers"><h2>Headers that operations share</h2>${sharedHeaders(document)}</section>
<section id="errors"><h2>Refusals that operations share</h2>${sharedRefusals(document)}</section>
${sections.map(
  ({ tag, operations }) => html`<section id="${anchor(tag)}"><h2>${tag}</h2>
${operations.map((operation) => operationArticle(operation, document))}</section>
`,
)}
<section id="schemas"><h2>Schemas</h2>
${Object.entries(components.schemas).map(
  ([
    name,
    schema,
  ]) => html`<article id="schema-${name}"><h3>${name}</h3>${schema.description !== undefined && prose(schema.description)}${propertyTable(schema)}</article>
`,
)}</section>
</main>
</body>
</html>
`
  return page.markup
}

interface PlacedOperation extends DocumentedOperation {
  method: string
  path: string
}

interface Section {
  tag: string
  operations: PlacedOperation[]
}

function sectionsOf({ tags, paths }: OpenapiDocument): Section[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  return tags.map(({ name }) => ({ tag: name, operations: all.filter(({ tags: [tag] }) => tag === name) }))
}

const anchor = (tag: string) => tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

function contents(sections: Section[]): Html {
  return html`<ul>
<li><a href="#credentials">Credentials</a></li>
<li><a href="#headers">Headers</a></li>
<li><a href="#errors">Refusals</a></li>
${sections.map(
  ({ tag, operations }) => html`<li><a href="#${anchor(tag)}">${tag}</a>
<ul>${operations.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}</ul></li>
`,
)}<li><a href="#schemas">Schemas</a></li>
</ul>`
}

function credentials({ components: { securitySchemes } }: OpenapiDocument): Html {
  return html`<table><thead><tr><th scope="col">Header</th><th scope="col">Content</th></tr></thead><tbody>${Object.values(
    securitySchemes,
  ).map(
    (scheme) => html`<tr><th scope="row"><code>${headerOf(scheme)}</code></th><td>${prose(scheme.description)}</td></tr>
`,
  )}</tbody></table>`
}

function headerOf(scheme: OpenapiDocument['components']['securitySchemes'][string]): string {
  if (scheme.type === 'oauth2') return 'Authorization'
  return scheme.in === 'cookie' ? `Cookie: ${scheme.name}` : scheme.name
}

function sharedHeaders({ components: { parameters } }: OpenapiDocument): Html {
  return html`<dl>${Object.entries(parameters).map(
    ([
      name,
      parameter,
    ]) => html`<dt id="header-${name}"><code>${parameter.name}</code></dt><dd>${prose(parameter.description ?? '')}<p>${typeOf(parameter.schema)}</p></dd>
`,
  )}</dl>`
}

function sharedRefusals({ components: { responses } }: OpenapiDocument): Html {
  return html`<dl>${Object.entries(responses).map(
    ([name, { description }]) => html`<dt id="response-${name}">${name}</dt><dd>${prose(description)}</dd>
`,
  )}</dl>`
}

function operationArticle(operation: PlacedOperation, document: OpenapiDocument): Html {
  const { operationId, summary, description, method, path } = operation
  return html`<article id="${operationId}"><h3>${summary}</h3>
<p class="call"><b>${method}</b> <code>${path}</code></p>
${description !== undefined && prose(description)}
${parametersOf(operation, document)}
${bodyOf(operation, document)}
<h4>Answers</h4>
${answersOf(operation)}
<details><summary>Example call</summary><pre><code>${exampleCall(operation, document)}</code></pre></details>
</article>
`
}

function parametersOf({ parameters }: PlacedOperation, { components }: OpenapiDocument): Html {
  const own = parameters.filter((parameter) => 'name' in parameter)
  const shared = parameters.filter((parameter) => '$ref' in parameter).map(({ $ref }) => nameIn($ref))
  const links = shared.map(
    (name) => html`<a href="#header-${name}"><code>${components.parameters[name]?.name}</code></a> `,
  )
  return html`${own.length > 0 && html`<h4>Parameters</h4>${parameterTable(own)}`}
<h4>Headers</h4><p>${links}</p>`
}

function parameterTable(parameters: DocumentedParameter[]): Html {
  return html`<table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>${parameters.flatMap(parameterRows)}</tbody></table>`
}

/** A nested parameter has a row for each name in brackets. */
function parameterRows({ name, in: place, required, description, schema }: DocumentedParameter): Html[] {
  const words = [place === 'query' ? '' : `In the ${place}.`, description ?? ''].filter((part) => part !== '').join(' ')
  const nested = Object.entries(schema.properties ?? {})
  const own = { isRequired: required === true, description: words === '' ? undefined : words }
  if (nested.length === 0) return [row(name, schema, own)]
  return nested.map(([inner, property]) =>
    row(`${name}[${inner}]`, property, { isRequired: false, description: property.description ?? description }),
  )
}

/** Lists the fields of the body here, where callers look for them; named schemas within it are only linked. */
function bodyOf({ requestBody }: PlacedOperation, { components }: OpenapiDocument): Html[] {
  return Object.entries(requestBody?.content ?? {}).map(([mediaType, { schema }]) => {
    const whole = schema.$ref === undefined ? schema : referred(schema.$ref, components.schemas)
    return html`<h4>Body</h4><p>${typeOf(schema)} as <code>${mediaType}</code></p>${propertyTable(whole)}`
  })
}

/** Responses shared with other operations are only linked, so that the operation's own responses stand out. */
function answersOf({ responses }: PlacedOperation): Html {
  const all = Object.entries(responses)
  const own = all.flatMap(([status, response]) => ('description' in response ? [[status, response] as const] : []))
  const shared = all.flatMap(([status, response]) =>
    '$ref' in response ? [[status, nameIn(response.$ref)] as const] : [],
  )
  return html`<dl>${own.map(([status, response]) => ownAnswer(status, response))}<dt>shared</dt><dd>${shared.map(
    ([status, name]) => html`<a href="#response-${name}">${status}</a> `,
  )}</dd></dl>`
}

function ownAnswer(status: string, { description, content = {} }: DocumentedResponse): Html {
  const [shape] = Object.values(content)
  const shown = Number(status) < 400 && shape !== undefined ? html`<p>${typeOf(shape.schema)}</p>` : prose(description)
  return html`<dt>${status}</dt><dd>${shown}</dd>
`
}

/** A curl command; the values that the reader has to fill in are shell variables. */
function exampleCall(
  { method, path, security, requestBody }: PlacedOperation,
  { components }: OpenapiDocument,
): string {
  const names = Object.keys(security[0] ?? {})
  const lines = [
    `curl -X ${method} "$GUERDON_URL${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${shellName(name)}`)}"`,
    ...names.map((name) => {
      const scheme = components.securitySchemes[name]
      return scheme?.type === 'apiKey'
        ? `-H "${scheme.name}: $${shellName(name)}"`
        : '-H "Authorization: Bearer $ACCESS_TOKEN"'
    }),
    ...Object.entries(requestBody?.content ?? {}).flatMap(([mediaType, { schema }]) =>
      mediaType === 'multipart/form-data'
        ? partLines(schema.$ref === undefined ? schema : referred(schema.$ref, components.schemas))
        : bodyLines(mediaType, sampleOf(schema, components.schemas)),
    ),
  ]
  return lines.join(' \\\n  ')
}

/** `categoryId` → `CATEGORY_ID`. */
const shellName = (name: string) => name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()

const partLines = ({ properties = {}, required = [] }: JsonSchema): string[] =>
  required.map((name) => `-F '${name}=${properties[name]?.format === 'binary' ? `@${name}.csv` : '…'}'`)

function bodyLines(mediaType: string, sample: unknown): string[] {
  if (mediaType === 'application/json')
    return ['-H "Content-Type: application/json"', `-d '${JSON.stringify(sample).replaceAll("'", "'\\''")}'`]
  return Object.entries(sample as Record<string, unknown>).map(([name, value]) => `--data-urlencode '${name}=${value}'`)
}
