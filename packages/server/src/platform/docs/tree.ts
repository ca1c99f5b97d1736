import { nameIn, referred } from '../../core/http/openapi-sample.ts'
import type { JsonSchema } from '../../core/http/openapi-schema.ts'
import { type Html, html } from '../../core/lib/html.ts'
import { schemaPage } from './outline.ts'
import { prose } from './prose.ts'
import { type Choice, type Property, type Schemas, type Shape, shapeOf } from './shape.ts'
import { boundsOf, typeOf } from './types.ts'

/**
 * The properties of a schema as a tree, each with an id that links lead to: `<root>.order.items[].price`. Named schemas inside of it are opened on
 * demand (browser/expand.js), since written out they would repeat thousands of properties on every page.
 */
export function schemaTree(schema: JsonSchema, root: string, schemas: Schemas): Html {
  const whole = schema.$ref === undefined ? schema : referred(schema.$ref, schemas)
  return inside(shapeOf(whole, root, schemas), schemas)
}

/** One named value with its type, description and bounds, and what is inside of it. */
export function treeItem({ name, path, schema, isRequired }: Property, schemas: Schemas): Html {
  const bounds = boundsOf(schema)
  return html`<li id="${path}"><a class="anchor" href="#${path}" aria-label="Link to ${name}">#</a><code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>${isRequired && html` <span class="required">required</span>`}${schema.deprecated === true && html` <span class="deprecated">deprecated</span>`}${schema.description !== undefined && prose(schema.description)}${bounds !== '' && html`<p class="bounds">${bounds}</p>`}${folded(schema, path, schemas)}</li>
`
}

function folded(schema: JsonSchema, path: string, schemas: Schemas): Html | false {
  const shape = shapeOf(schema, path, schemas)
  if (shape.reference !== null) return reference(shape.reference)
  if (shape.choice !== null) return inside(shape, schemas)
  const count = shape.properties.length
  if (count === 0) return false
  return html`<details><summary>${count === 1 ? '1 property' : `${count} properties`}</summary>${inside(shape, schemas)}</details>`
}

function inside({ properties, choice, reference: name }: Shape, schemas: Schemas): Html {
  if (name !== null) return reference(name)
  return html`${properties.length > 0 && html`<ul class="tree">${properties.map((property) => treeItem(property, schemas))}</ul>`}${choice !== null && choiceList(choice, schemas)}`
}

const reference = (name: string): Html =>
  html`<details data-page="${schemaPage(name)}"><summary>Properties of ${name}</summary><p><a href="${schemaPage(name)}">${name}</a></p></details>`

function choiceList({ tag, forms }: Choice, schemas: Schemas): Html {
  const title =
    tag === null ? html`One of ${forms.length} forms` : html`One of ${forms.length} forms, by <code>${tag}</code>`
  return html`<div class="choice"><p>${title}</p>${forms.map(
    ({ label, path, schema }) =>
      html`<details id="${path}"><summary><code>${label}</code></summary>${schema.$ref !== undefined && html`<p>${typeOf(schema)}</p>`}${schema.description !== undefined && prose(schema.description)}${form(schema, path, schemas)}</details>`,
  )}</div>`
}

/** A form may contain the choice that it belongs to: below two choices its schema is opened on demand. */
function form(schema: JsonSchema, path: string, schemas: Schemas): Html {
  const isDeep = path.split('(').length > 3
  return isDeep && schema.$ref !== undefined ? reference(nameIn(schema.$ref)) : schemaTree(schema, path, schemas)
}
