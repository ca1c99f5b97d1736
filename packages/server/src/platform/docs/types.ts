import { nameIn } from '../../core/http/openapi-sample.ts'
import type { JsonSchema } from '../../core/http/openapi-schema.ts'
import { type Html, html } from '../../core/lib/html.ts'
import { schemaPage } from './outline.ts'
import { valuesOf } from './shape.ts'

/** A short text for the type, with links to named schemas: `list of Category`, `string or null`. */
export function typeOf(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) {
    const name = nameIn(schema.$ref)
    return html`<a href="${schemaPage(name)}">${name}</a>`
  }
  if (schema.anyOf !== undefined) return joined(distinct(schema.anyOf.map(typeOf)), ' or ')
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum !== undefined)
    return joined(
      schema.enum.map((word) => html`<code>${String(word)}</code>`),
      ', ',
    )
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}${isNullable(schema) && ' or null'}`
  const values = valuesOf(schema)
  if (values !== undefined) return html`map to ${typeOf(values)}${isNullable(schema) && ' or null'}`
  const types = [schema.type ?? 'anything'].flat()
  return html`${types.join(' or ')}${schema.format !== undefined && html` <small>${schema.format}</small>`}`
}

/** What a value must keep to, beside its type: `1 to 50 characters; default "x"`. */
export function boundsOf(schema: JsonSchema): string {
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

const isNullable = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null')

const distinct = (pieces: Html[]): Html[] => [...new Map(pieces.map((piece) => [piece.markup, piece])).values()]

const joined = (pieces: Html[], separator: string): Html =>
  html`${pieces.map((piece, index) => html`${index > 0 && separator}${piece}`)}`

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return ''
  const numbers =
    most === undefined ? `at least ${least}` : least === undefined ? `at most ${most}` : `${least} to ${most}`
  return `${numbers} ${unit}`.trim()
}

/** The bound, unless it is that of JavaScript's safe integers. */
const safe = (bound: number | undefined) =>
  bound !== undefined && Number.isSafeInteger(Math.abs(bound) + 1) ? bound : undefined
