import type { DocumentedParameter, DocumentedResponse, OpenapiDocument } from '../../core/http/openapi.ts'
import { nameIn } from '../../core/http/openapi-sample.ts'
import { type Html, html } from '../../core/lib/html.ts'
import { type Example, successOf } from './examples.ts'
import type { PlacedOperation } from './outline.ts'
import { prose } from './prose.ts'
import { replyExample, requestSamples } from './samples-block.ts'
import { schemaTree, treeItem } from './tree.ts'
import { typeOf } from './types.ts'

/** One operation: what it takes, a call in several languages, and what it answers. */
export function operationArticle(
  operation: PlacedOperation,
  document: OpenapiDocument,
  examples: Record<string, Example>,
): Html {
  const { operationId, summary, description, deprecated, method, path } = operation
  return html`<article id="${operationId}"><h2><a class="anchor" href="#${operationId}" aria-label="Link to ${summary}">#</a>${summary}</h2>
<p class="call"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code> <small>${operationId}</small>${deprecated === true && html` <span class="deprecated">deprecated</span>`}</p>
${description !== undefined && prose(description)}
${parametersOf(operation, document)}
${bodyOf(operation, document)}
<h3>Call</h3>
${requestSamples(operation, document, successOf(examples)?.request)}
<h3>Answers</h3>
${answersOf(operation, document, examples)}
</article>
`
}

function parametersOf(operation: PlacedOperation, { components }: OpenapiDocument): Html {
  const { operationId, parameters } = operation
  const own = parameters.filter((parameter) => 'name' in parameter)
  const shared = parameters.filter((parameter) => '$ref' in parameter).map(({ $ref }) => nameIn($ref))
  const links = shared.map(
    (name) => html`<a href="./#header-${name}"><code>${components.parameters[name]?.name}</code></a> `,
  )
  const items = own.map((parameter) => parameterItem(parameter, operationId, components.schemas))
  return html`${items.length > 0 && html`<h3>Parameters</h3><ul class="tree">${items}</ul>`}${links.length > 0 && html`<p class="shared">Headers: ${links}</p>`}`
}

function parameterItem(
  { name, in: place, required, description, schema }: DocumentedParameter,
  operationId: string,
  schemas: OpenapiDocument['components']['schemas'],
): Html {
  const words = [place === 'query' ? '' : `In the ${place}.`, description ?? ''].filter((part) => part !== '').join(' ')
  const described = words === '' ? schema : { ...schema, description: words }
  const path = `${operationId}.${place}.${name}`
  return treeItem({ name, path, schema: described, isRequired: required === true }, schemas)
}

function bodyOf({ operationId, requestBody }: PlacedOperation, { components: { schemas } }: OpenapiDocument): Html[] {
  return Object.entries(requestBody?.content ?? {}).map(
    ([mediaType, { schema }]) =>
      html`<h3>Body</h3><p>${typeOf(schema)} as <code>${mediaType}</code>${requestBody?.required === true && html` <span class="required">required</span>`}</p>${schemaTree(schema, `${operationId}.body`, schemas)}`,
  )
}

/** Refusals shared with other operations are only linked, so that the operation's own answers stand out. */
function answersOf(operation: PlacedOperation, document: OpenapiDocument, examples: Record<string, Example>): Html {
  const all = Object.entries(operation.responses)
  const shared = all.flatMap(([status, response]) =>
    '$ref' in response ? [html`<a href="./#response-${nameIn(response.$ref)}">${status}</a> `] : [],
  )
  return html`${all.map(([status, response]) => 'description' in response && answer(operation, document, status, response, examples[status]))}
${shared.length > 0 && html`<p class="shared">Refusals that operations share: ${shared}</p>`}`
}

function answer(
  { operationId }: PlacedOperation,
  { components: { schemas } }: OpenapiDocument,
  status: string,
  { description, content = {} }: DocumentedResponse,
  example: Example | undefined,
): Html {
  const isRefusal = Number(status) >= 400
  const trees = Object.entries(content).map(
    ([mediaType, { schema }]) =>
      html`<p>${typeOf(schema)} as <code>${mediaType}</code></p>${!isRefusal && mediaType === 'application/json' && html`<details class="reply"><summary>Properties of the answer</summary>${schemaTree(schema, `${operationId}.${status}`, schemas)}</details>`}`,
  )
  return html`<section class="answer" id="${operationId}.answer-${status}"><h4><span class="status">${status}</span></h4>${prose(description)}${!isRefusal && trees}${example !== undefined && replyExample(status, example.reply)}</section>
`
}
