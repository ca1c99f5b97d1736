import { describe, expect, test } from 'vitest'
import type { DocumentedParameter } from './core/http/openapi.ts'
import { newDescriber } from './core/http/openapi-descriptions.ts'
import { nameIn } from './core/http/openapi-sample.ts'
import type { JsonSchema } from './core/http/openapi-schema.ts'
import { descriptions } from './descriptions.ts'
import { documentOf } from './document.ts'
import { operations } from './operations.ts'
import { tagDescriptions } from './tag-descriptions.ts'

/*
 * A property, operation or parameter without a description fails here. Describe it at its schema, or in the `descriptions.ts` of its
 * module if it is only for readers of the document.
 */

const describer = newDescriber(descriptions)
const document = documentOf(operations, describer)
const { schemas, parameters, headers, responses, securitySchemes } = document.components
const documented = Object.values(document.paths).flatMap((methods) => Object.values(methods))

test('every property of every schema has a description', () => {
  const places = [...Object.entries(schemas), ...inlineSchemas()].flatMap(([name, schema]) =>
    propertiesOf(schema, name),
  )
  expect(places.length).toBeGreaterThan(4_000)
  expect(places.filter(([, property]) => !isDescribed(property)).map(([path]) => path)).toEqual([])
})

test('every operation, parameter, body, response and credential has a description', () => {
  const described: Array<[name: string, part: { description?: string }]> = [
    ...documented.flatMap((operation) => [
      [operation.operationId, operation] as [string, typeof operation],
      ...operation.parameters.flatMap((parameter) => ownParameter(operation.operationId, parameter)),
      ...(operation.requestBody === undefined
        ? []
        : [[`${operation.operationId} body`, operation.requestBody] as never]),
      ...Object.entries(operation.responses).flatMap(([status, response]) =>
        '$ref' in response ? [] : [[`${operation.operationId} ${status}`, response] as never],
      ),
    ]),
    ...Object.entries({ ...parameters, ...headers, ...responses, ...securitySchemes }),
  ]
  expect(described.filter(([, { description }]) => isBlank(description)).map(([name]) => name)).toEqual([])
})

test('no description merely repeats the name of its property', () => {
  const wordsOf = (path: string) => path.slice(path.lastIndexOf('.') + 1).replaceAll('_', ' ')
  const repeats = ([path, { description = '' }]: [string, JsonSchema]) =>
    description.toLowerCase().replace(/^the /, '').replace(/\.$/, '') === wordsOf(path)
  const places = Object.entries(schemas).flatMap(([name, schema]) => propertiesOf(schema, name))
  expect(places.filter(repeats).map(([path]) => path)).toEqual([])
})

test('every entry of the tables describes something', () => {
  expect(describer.unused()).toEqual([])
})

describe('a description', () => {
  const table = newDescriber({
    '*': { amount: 'Any amount.', 'gift.amount': 'Credits.' },
    Voucher: { $: 'A code.', code: 'The code.' },
    Redeemed: { $like: 'Voucher', 'gift.amount': 'Credits used.' },
  })

  test.each([
    [['Voucher', 'code'], 'The code.'],
    [['Redeemed', 'code'], 'The code.'],
    [['ClientRedeemed', 'code'], 'The code.'],
    [['Redeemed', 'gift', 'amount'], 'Credits used.'],
    [['Voucher', 'gift', 'amount'], 'Credits.'],
    [['Voucher', 'order', 'amount'], 'Any amount.'],
    [['Voucher', 'order', 'code'], undefined],
  ])('of %j is %j: of its schema, of the one it is like, or of the end of its path', (path, description) => {
    expect(table.ofProperty(path)).toBe(description)
  })

  test('of a constant comes before what holds everywhere', () => {
    expect(table.ofProperty(['Voucher', 'amount'], 'Always `1`.')).toBe('Always `1`.')
    expect(table.ofProperty(['Voucher', 'code'], 'Always `1`.')).toBe('The code.')
  })

  test('of a schema holds for its client side', () => {
    expect(table.ofName('ClientVoucher')).toBe('On the client side: a code.')
  })
})

const isBlank = (description: string | undefined): boolean => description === undefined || description.trim() === ''

/** A reference may leave the description to its target. */
const isDescribed = ({ description, $ref }: JsonSchema): boolean =>
  !isBlank(description) || ($ref !== undefined && !isBlank(schemas[nameIn($ref)]?.description))

/** The properties of a schema and of what it holds, with their paths: `Voucher.gift.amount`. */
function propertiesOf(schema: JsonSchema, path: string): Array<[path: string, property: JsonSchema]> {
  const { properties = {}, patternProperties = {}, anyOf = [], allOf = [], items, additionalProperties } = schema
  const parts = [...anyOf, ...allOf, ...Object.values(patternProperties), items, additionalProperties]
  return [
    ...Object.entries(properties).flatMap(([name, property]): Array<[string, JsonSchema]> => {
      const place = `${path}.${name}`
      return [[place, property], ...propertiesOf(property, place)]
    }),
    ...parts.flatMap((part) => (typeof part === 'object' ? propertiesOf(part, path) : [])),
  ]
}

/** The schemas of parameters, bodies and responses, by operation. */
function inlineSchemas(): Array<[name: string, schema: JsonSchema]> {
  return documented.flatMap((operation) => {
    const contents = [operation.requestBody?.content, ...Object.values(operation.responses).map(contentOf)]
    const bodies = contents.flatMap((content) => Object.values(content ?? {}).map(({ schema }) => schema))
    const ofParameters = operation.parameters.flatMap((parameter) => ('schema' in parameter ? [parameter.schema] : []))
    return [...bodies, ...ofParameters].map((schema): [string, JsonSchema] => [operation.operationId, schema])
  })
}

const contentOf = (response: (typeof documented)[number]['responses'][string]) =>
  '$ref' in response ? undefined : response.content

const ownParameter = (
  id: string,
  parameter: (typeof documented)[number]['parameters'][number],
): Array<[string, DocumentedParameter]> => ('$ref' in parameter ? [] : [[`${id} ${parameter.name}`, parameter]])

describe('generated clients', () => {
  const joined = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const alike = (names: readonly string[]) =>
    [...Map.groupBy(names, joined).values()].filter(({ length }) => length > 1)

  test('get distinct names, whatever they make of case and separators', () => {
    const { components, paths } = document
    expect(alike(Object.keys(components.schemas))).toEqual([])
    expect(
      alike(Object.values(paths).flatMap((methods) => Object.values(methods).map((each) => each.operationId))),
    ).toEqual([])
    const found: string[][] = []
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      const { properties } = value as { properties?: unknown }
      if (typeof properties === 'object' && properties !== null) found.push(...alike(Object.keys(properties)))
      for (const each of Object.values(value)) visit(each)
    }
    visit([components.schemas, paths])
    expect(found).toEqual([])
  })

  test('find a description of every group of operations, and there is none of another', () => {
    expect(document.tags.filter(({ description }) => description === undefined)).toEqual([])
    expect(Object.keys(tagDescriptions).toSorted()).toEqual(document.tags.map(({ name }) => name).toSorted())
  })
})
