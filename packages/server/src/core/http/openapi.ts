import type { TSchema } from 'typebox'
import { version } from '../lib/version.ts'
import { headers, introduction, parameters, securitySchemes } from './openapi-components.ts'
import { type Describer, newDescriber } from './openapi-descriptions.ts'
import type {
  Content,
  DocumentedOperation,
  DocumentedParameter,
  DocumentedResponse,
  OpenapiDocument,
} from './openapi-document.ts'
import { errorSchema, refusalComponents, refusalResponses } from './openapi-refusals.ts'
import { type JsonSchema, newSchemaBook, type SchemaBook } from './openapi-schema.ts'
import {
  type Family,
  familyOf,
  isOpen,
  type MediaType,
  mayRepeat,
  mediaTypeOf,
  type Operation,
  pathParamNames,
  replicaRule,
  successStatus,
  writes,
} from './operation.ts'
import { scopesFor } from './scopes.ts'

export type * from './openapi-document.ts'
export { refusalsOf } from './openapi-refusals.ts'

/** Builds the OpenAPI document of all operations; `named` gives their schemas component names. */
export function openapiOf(
  operations: readonly Operation[],
  named: Iterable<readonly [name: string, schema: TSchema]>,
  describer: Describer = newDescriber({}),
  tagDescriptions: Readonly<Record<string, string>> = {},
): OpenapiDocument {
  const book = newSchemaBook(named, describer)
  const paths: OpenapiDocument['paths'] = {}
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: documented(operation, book, describer),
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Guerdon',
      version,
      description: introduction,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    tags: [...new Set(operations.map(({ path }) => tagOf(path)))].map((name) => {
      const description = tagDescriptions[name]
      return description === undefined ? { name } : { name, description }
    }),
    paths,
    components: {
      schemas: sorted({ Error: errorSchema, ...book.components() }),
      responses: refusalComponents(),
      parameters,
      headers,
      securitySchemes,
    },
  }
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

/** The tag that groups an operation: `/v1/stacking-rules/{id}` → `Stacking rules`. */
export function tagOf(path: string): string {
  const [, , second = '', third = '', fourth = '', fifth = ''] = path.split('/')
  switch (familyOf(path)) {
    case 'oauth':
      return 'OAuth'
    case 'auth':
      return 'Sign-in'
    case 'server':
      return heading(second)
    case 'client':
      return `Client side: ${heading(third).toLowerCase()}`
    case 'management': {
      // /management/v1/projects/{projectId}/api-keys, /management/v1/projects/users/invite
      const below = fourth.startsWith('{') ? fifth : fourth
      return `Management: ${heading(below === '' || partsOfProject.has(below) ? third : below)}`
    }
  }
}

/** Paths below a project that belong to it and are not a separate resource. */
const partsOfProject = new Set(['limits', 'webhook-token', 'usage'])

/** `stacking-rules` → `Stacking rules`. */
function heading(segment: string): string {
  const words = segment
    .replaceAll('-', ' ')
    .replace(/^api\b/, 'API')
    .replace(/^skus$/, 'SKUs')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function documented(operation: Operation, book: SchemaBook, describer: Describer): DocumentedOperation {
  const { id, path, summary, description, deprecated, body } = operation
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    tags: [tagOf(path)],
    security: securityOf(operation),
    parameters: parametersOf(operation, book, describer),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(operation, body, book) }),
    responses: responsesOf(operation, book),
  }
}

/** The alternatives that the default `AUTH_MODE=strict` accepts. */
function securityOf(operation: Operation): DocumentedOperation['security'] {
  const { path, download } = operation
  if (isOpen(operation) || operation.session === 'none') return []
  const pair = { ApplicationId: [], ApplicationToken: [] }
  const withScope = (scopesFor(path) ?? []).map((scope) => ({ ...pair, AccessToken: [scope] }))
  const alternatives: Record<Family, DocumentedOperation['security']> = {
    oauth: [pair],
    server: [...withScope, { Session: [], ProjectId: [] }],
    client: [...withScope, { ClientId: [], ClientToken: [] }],
    management: [{ ManagementId: [], ManagementToken: [] }, { Session: [] }],
    auth: [{ Session: [] }],
  }
  const isFree = download !== undefined || operation.session === 'optional'
  return [...alternatives[familyOf(path)], ...(isFree ? [{}] : [])]
}

function parametersOf(operation: Operation, book: SchemaBook, describer: Describer): DocumentedOperation['parameters'] {
  const names = [
    'ApiVersion',
    ...(mayRepeat(operation) ? ['IdempotencyKey'] : []),
    ...(replicaRule(operation) === false ? [] : ['Position']),
    ...(isOpen(operation) ? [] : [operation.reply_if_preferred === true ? 'PreferReply' : 'Prefer']),
  ]
  return [
    ...pathParamNames(operation.path).map((name) => {
      const description = describer.ofProperty([operation.id, 'path', name])
      const described = description === undefined ? {} : { description }
      return { name, in: 'path', required: true, ...described, schema: { type: 'string' } } as const
    }),
    ...(operation.query === undefined ? [] : queryParameters(operation, operation.query, book)),
    ...names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

/** One parameter per property; nested properties use brackets: `created_at[before]=…`. */
function queryParameters({ id }: Operation, query: TSchema, book: SchemaBook): DocumentedParameter[] {
  const { required = [] } = query as JsonSchema
  return Object.entries(book.publishProperties(query, [id, 'query'])).map(([name, { description, ...schema }]) => {
    return {
      name,
      in: 'query',
      ...(required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      ...(schema.type === 'object' ? { style: 'deepObject', explode: true } : {}),
      ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
      schema,
    }
  })
}

/** A missing body counts as `{}`, so the body is required only if one of its properties is. */
function requestBodyOf(
  operation: Operation,
  body: TSchema,
  book: SchemaBook,
): NonNullable<DocumentedOperation['requestBody']> {
  const { required = [] } = body as JsonSchema
  const isRequired = required.length > 0
  const content = { [mediaTypeOf(operation)]: { schema: book.publish(body, [operation.id]) } }
  return { description: bodyWords(operation, isRequired), required: isRequired, content }
}

function bodyWords({ consumes }: Operation, isRequired: boolean): string {
  if (consumes === 'multipart') return 'A form with a file.'
  if (consumes === 'form') return 'The fields of a form.'
  return isRequired ? 'JSON in UTF-8.' : 'JSON in UTF-8; without a body as with `{}`.'
}

function responsesOf(operation: Operation, book: SchemaBook): DocumentedOperation['responses'] {
  const status = successStatus(operation)
  const success: DocumentedResponse = {
    description: successWords[status] as string,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(status === 302 ? { Location: { $ref: '#/components/headers/Location' } } : {}),
      ...(writes(operation) ? { 'Guerdon-Position': { $ref: '#/components/headers/Position' } } : {}),
      ...(isOpen(operation) ? {} : { 'Guerdon-Ignored': { $ref: '#/components/headers/Ignored' } }),
    },
    ...(status === 204 || status === 302 ? {} : { content: contentOf(operation, book) }),
  }
  return {
    [status]: success,
    ...acceptedOf(operation, success, book),
    ...withoutReplyOf(operation, success),
    ...refusalResponses(operation),
  }
}

/** The 204 response of an operation that replies only on request. */
function withoutReplyOf({ reply_if_preferred }: Operation, { headers = {} }: DocumentedResponse) {
  if (reply_if_preferred !== true) return {}
  return { 204: { description: 'Done; without `Prefer: return=representation`.', headers } }
}

/** The 202 response of an operation that may finish its work in the background. */
function acceptedOf({ id, accepted }: Operation, success: DocumentedResponse, book: SchemaBook) {
  if (accepted === undefined) return {}
  const content = { 'application/json': { schema: book.publish(accepted, [id]) } }
  return { 202: { ...success, description: successWords[202] as string, content } }
}

function contentOf({ id, for_pages, download, ...operation }: Operation, book: SchemaBook): Content {
  const { reply } = for_pages ?? operation
  return {
    ...(reply === null ? {} : { 'application/json': { schema: book.publish(reply, [id]) } }),
    ...Object.fromEntries(
      (download?.media_types ?? []).map((mediaType) => [mediaType, { schema: fileSchema(mediaType) }]),
    ),
  }
}

const fileSchema = (mediaType: MediaType): JsonSchema =>
  mediaType === 'image/png' ? { type: 'string', format: 'binary' } : { type: 'string' }

const successWords: Record<number, string> = {
  200: 'Done.',
  202: 'Accepted: the work goes on in the background.',
  204: 'Done; there is nothing to say.',
  302: 'Go on at `Location`.',
}
