import { nameIn } from '../core/http/openapi-sample.ts'
import type { JsonSchema } from '../core/http/openapi-schema.ts'
import { type Html, html } from '../core/lib/html.ts'
import { prose } from './docs-prose.ts'

/** A table with one row for each property, including those of nested objects: `users[].role`. */
export function propertyTable(schema: JsonSchema): Html {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`
  return html`<table><thead><tr><th scope="col">Property</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>${rows}</tbody></table>`
}

/** One row of a table: name, type, description and bounds. */
export function row(
  name: string,
  schema: JsonSchema,
  { isRequired, description }: { isRequired: boolean; description: string | undefined },
): Html {
  const bounds = boundsOf(schema)
  return html`<tr><th scope="row"><code>${name}</code>${isRequired && html` <small>required</small>`}</th><td>${typeOf(schema)}</td><td>${description !== undefined && prose(description)}${bounds !== '' && html`<small>${bounds}</small>`}</td></tr>
`
}

/** A short text for the type, with links to named schemas: `list of Category`, `text or null`. */
export function typeOf(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) return html`<a href="#schema-${nameIn(schema.$ref)}">${nameIn(schema.$ref)}</a>`
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeOf), ' or ')
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum !== undefined)
    return joined(
      schema.enum.map((word) => html`<code>${String(word)}</code>`),
      ', ',
    )
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}${isNullable(schema) && ' or null'}`
  if (schema.additionalProperties !== undefined && typeof schema.additionalProperties === 'object')
    return html`map to ${typeOf(schema.additionalProperties)}${isNullable(schema) && ' or null'}`
  const types = [schema.type ?? 'anything'].flat()
  return html`${types.join(' or ')}${schema.format !== undefined && html` <small>${schema.format}</small>`}`
}

function rowsOf(schema: JsonSchema, prefix: string): Html[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((choice) => rowsOf(choice, prefix))
  if (schema.items !== undefined) return rowsOf(schema.items, `${prefix}[]`)
  if (typeof schema.additionalProperties === 'object') return rowsOf(schema.additionalProperties, `${prefix}.*`)
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const isRequired = schema.required?.includes(name) === true
    return [row(path, property, { isRequired, description: property.description }), ...rowsOf(property, path)]
  })
}

const isNullable = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null')

const joined = (pieces: Html[], separator: string): Html =>
  html`${pieces.map((piece, index) => html`${index > 0 && separator}${piece}`)}`

function boundsOf(schema: JsonSchema): string {
  return [
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minItems, schema.maxItems, 'items'),
    range(safe(schema.minimum), safe(schema.maximum), ''),
    schema.exclusiveMinimum === undefined ? '' : `more than ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? '' : `less than ${schema.exclusiveMaximum}`,
    schema.pattern === undefined ? '' : `matches ${schema.pattern}`,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter((part) => part !== '')
    .join('; ')
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return ''
  const numbers =
    most === undefined ? `at least ${least}` : least === undefined ? `at most ${most}` : `${least} to ${most}`
  return `${numbers} ${unit}`.trim()
}

/** The bound, unless it is that of JavaScript's safe integers. */
const safe = (bound: number | undefined) =>
  bound !== undefined && Number.isSafeInteger(Math.abs(bound) + 1) ? bound : undefined
