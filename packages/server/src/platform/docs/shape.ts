import { nameIn, referred } from '../../core/http/openapi-sample.ts'
import type { JsonSchema } from '../../core/http/openapi-schema.ts'

export type Schemas = Readonly<Record<string, JsonSchema>>

/** What a reader wants to see below a value: properties, forms to choose from, or the schema that another page describes. */
export interface Shape {
  properties: Property[]
  choice: Choice | null
  /** The name of the schema. */
  reference: string | null
}

export interface Property {
  name: string
  /** From the root: `order.items[].price`. Unique within the root, so that links lead to it. */
  path: string
  schema: JsonSchema
  isRequired: boolean
}

export interface Choice {
  /** The property whose value tells the forms apart. */
  tag: string | null
  forms: Array<{ label: string; path: string; schema: JsonSchema }>
}

const nothing: Shape = { properties: [], choice: null, reference: null }

/** The shape of a value, through lists (`[]`), maps (`.*`) and what may be null. */
export function shapeOf(schema: JsonSchema, path: string, schemas: Schemas): Shape {
  if (schema.$ref !== undefined) return { ...nothing, reference: nameIn(schema.$ref) }
  if (schema.items !== undefined) return shapeOf(schema.items, `${path}[]`, schemas)
  const values = valuesOf(schema)
  if (values !== undefined && schema.properties === undefined) return shapeOf(values, `${path}.*`, schemas)
  const forms = formsOf(schema)
  const [only] = forms
  if (forms.length === 1 && only !== undefined && schema.properties === undefined) return shapeOf(only, path, schemas)
  return {
    // Where known properties stand beside others, the others come last, as `*`.
    properties: Object.entries({ ...schema.properties, ...(values && { '*': values }) }).map(([name, property]) => ({
      name,
      path: path === '' ? name : `${path}.${name}`,
      schema: property,
      isRequired: schema.required?.includes(name) === true,
    })),
    choice: forms.length > 1 ? choiceOf(schema, forms, path, schemas) : null,
    reference: null,
  }
}

/** The schema of the values of a map, whatever their keys. */
export function valuesOf({ additionalProperties, patternProperties }: JsonSchema): JsonSchema | undefined {
  if (typeof additionalProperties === 'object') return additionalProperties
  return patternProperties === undefined ? undefined : Object.values(patternProperties)[0]
}

/** The alternatives that have an inside; plain values and null are told by the type. */
const formsOf = ({ anyOf = [] }: JsonSchema): JsonSchema[] =>
  anyOf.filter(
    (form) => form.$ref ?? form.properties ?? form.items ?? form.anyOf ?? valuesOf(form) ?? form.required !== undefined,
  )

function choiceOf(schema: JsonSchema, forms: JsonSchema[], path: string, schemas: Schemas): Choice {
  const resolved = forms.map((form) => (form.$ref === undefined ? form : referred(form.$ref, schemas)))
  const tag = schema.discriminator?.propertyName ?? tagOf(resolved)
  const labels = resolved.map((form, index) => labelOf(form, forms[index] as JsonSchema, tag, resolved))
  return {
    tag,
    forms: forms.map((form, index) => ({
      label: labels[index] as string,
      path: `${path}(${String(labels[index]).replaceAll(/\W+/g, '-')}${labels.indexOf(labels[index] as string) < index ? `-${index}` : ''})`,
      schema: form,
    })),
  }
}

/** The first property that has words of its own in every form. */
function tagOf(forms: JsonSchema[]): string | null {
  const names = Object.keys(forms[0]?.properties ?? {})
  const tells = (name: string) => {
    const words = forms.map((form) => wordsOf(form.properties?.[name]))
    const all = words.flat()
    return words.every((each) => each.length > 0) && new Set(all).size === all.length
  }
  return names.find(tells) ?? null
}

const wordsOf = (schema: JsonSchema | undefined): string[] =>
  (schema?.const === undefined ? (schema?.enum ?? []) : [schema.const]).map(String)

/** The words of the tag; without one the name of the form, or the properties that only this form wants. */
function labelOf(form: JsonSchema, { $ref }: JsonSchema, tag: string | null, all: JsonSchema[]): string {
  const words = tag === null ? [] : wordsOf(form.properties?.[tag])
  if (words.length > 0) return words.join(', ')
  if ($ref !== undefined) return nameIn($ref)
  if (form.title !== undefined) return form.title
  const others = all.filter((each) => each !== form)
  const own = (form.required ?? []).filter((name) => !others.some(({ required = [] }) => required.includes(name)))
  const declared = Object.keys(form.properties ?? {}).filter(
    (name) => !others.some(({ properties = {} }) => name in properties),
  )
  const names = own.length > 0 ? own : declared
  if (names.length > 0) return `with ${names.slice(0, 3).join(', ')}`
  return form.items === undefined ? 'otherwise' : 'a list'
}
