/** What this reads of JSON Schema: the keywords that our own document uses. A type beyond them is refused. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  description?: string
  deprecated?: boolean
}

/** The TypeScript type of a schema; `indent` is that of the line on which it stands. */
export function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return referenceOf(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((option) => typeOf(option, indent)))
  const types = [schema.type ?? []].flat()
  if (types.length === 0) return schema.properties ? objectOf(schema, indent) : 'unknown'
  return types.length === 1
    ? plainType(types[0] as string, schema, indent)
    : union(types.map((type) => plainType(type, schema, indent)))
}

/** The name of the schema that a reference points to. */
export const nameOf = (ref: string): string => ref.split('/').at(-1) as string

/** A name as it stands before the colon of a member. */
export const keyOf = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : `'${name}'`)

/** A comment for editors; empty without a text. */
export function docOf({ description, deprecated }: Pick<Schema, 'description' | 'deprecated'>, indent: string): string {
  const text = [description?.trim(), deprecated && '@deprecated'].filter(Boolean).join(' ')
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s*\n\s*/g, ' ')} */\n`
}

/** `#/components/schemas/Voucher` is `Schemas['Voucher']`; other references name the interface themselves: `#/EventShapes/Order`. */
function referenceOf(ref: string): string {
  const container = /^#\/(\w+)\/\w+$/.exec(ref)?.[1] ?? 'Schemas'
  return `${container}['${nameOf(ref)}']`
}

const union = (types: string[]): string => `(${[...new Set(types)].join(' | ')})`

function plainType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'null':
    case 'boolean':
    case 'string':
    case 'number':
      return type
    case 'integer':
      return 'number'
    case 'array':
      return `Array<${schema.items ? typeOf(schema.items, indent) : 'unknown'}>`
    case 'object':
      return objectOf(schema, indent)
    default:
      throw new Error(`A type without a counterpart: ${type}`)
  }
}

/** Where known members stand beside others, an index signature must allow both. */
function otherTypes(
  others: true | Schema,
  properties: Record<string, Schema>,
  required: string[],
  indent: string,
): string {
  if (others === true) return 'unknown'
  const known = Object.values(properties).map((schema) => typeOf(schema, indent))
  const isOptional = Object.keys(properties).some((key) => !required.includes(key))
  return union([typeOf(others, indent), ...known, ...(isOptional ? ['undefined'] : [])])
}

function objectOf({ properties = {}, required = [], ...rest }: Schema, indent: string): string {
  const { additionalProperties, patternProperties } = rest
  const others = patternProperties ? Object.values(patternProperties)[0] : additionalProperties
  const inner = `${indent}  `
  const members = Object.entries(properties).map(
    ([key, schema]) =>
      `${docOf(schema, inner)}${inner}${keyOf(key)}${required.includes(key) ? '' : '?'}: ${typeOf(schema, inner)}\n`,
  )
  if (members.length === 0) return `Record<string, ${typeof others === 'object' ? typeOf(others, indent) : 'unknown'}>`
  if (others) members.push(`${inner}[other: string]: ${otherTypes(others, properties, required, inner)}\n`)
  return `{\n${members.join('')}${indent}}`
}
