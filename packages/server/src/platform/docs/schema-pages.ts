import type { OpenapiDocument } from '../../core/http/openapi.ts'
import type { JsonSchema } from '../../core/http/openapi-schema.ts'
import { html } from '../../core/lib/html.ts'
import type { PageContent } from './layout.ts'
import { schemaPage } from './outline.ts'
import { prose } from './prose.ts'
import { schemaTree } from './tree.ts'
import { boundsOf, typeOf } from './types.ts'

/** One named schema. Other pages show its `#schema-tree` where they refer to it. */
export function schemaPageOf(
  name: string,
  schema: JsonSchema,
  { components: { schemas } }: OpenapiDocument,
): PageContent {
  const bounds = boundsOf(schema)
  const content = html`<h1>${name}</h1>
${schema.description !== undefined && prose(schema.description)}
<p>${typeOf(schema)}${bounds !== '' && html`; ${bounds}`}</p>
<div id="schema-tree">${schemaTree(schema, '', schemas)}</div>`
  return { title: `${name}: Guerdon API`, page: 'schemas', content }
}

/** All named schemas. */
export function schemasPage({ components: { schemas } }: OpenapiDocument): PageContent {
  const content = html`<h1>Schemas</h1>
<ul class="calls">${Object.entries(schemas).map(
    ([name, { description }]) =>
      html`<li><a href="${schemaPage(name)}">${name}</a>${description !== undefined && html` ${description.split('\n')[0]}`}</li>
`,
  )}</ul>`
  return { title: 'Schemas: Guerdon API', page: 'schemas', content }
}
