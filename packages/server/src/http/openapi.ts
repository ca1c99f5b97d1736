import type { TSchema } from 'typebox'
import { limits } from '../lib/limits.ts'
import { version } from '../lib/version.ts'
import { apiVersion } from './admission.ts'
import { type ErrorBody, type ErrorKey, errorMessage, errorStatus } from './errors.ts'
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
  successStatus,
} from './operation.ts'
import { scopes, scopesFor } from './scopes.ts'

/** The OpenAPI 3.1 document, as far as we write it. */
export interface OpenapiDocument {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: Array<{ url: string; description: string }>
  tags: Array<{ name: string }>
  /** Path → method in lower case → operation. */
  paths: Record<string, Record<string, DocumentedOperation>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, DocumentedResponse>
    parameters: Record<string, DocumentedParameter>
    headers: Record<string, { description: string; schema: JsonSchema }>
    securitySchemes: Record<string, SecurityScheme>
  }
}

export interface DocumentedOperation {
  operationId: string
  summary: string
  description?: string
  deprecated?: true
  tags: [string]
  security: Array<Record<string, string[]>>
  parameters: Array<DocumentedParameter | Reference>
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, DocumentedResponse | Reference>
}

export interface DocumentedParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: true
  description?: string
  style?: 'deepObject' | 'form'
  explode?: true
  schema: JsonSchema
}

export interface DocumentedResponse {
  description: string
  headers?: Record<string, Reference>
  content?: Content
}

export type SecurityScheme =
  | { type: 'apiKey'; in: 'header'; name: string; description: string }
  | {
      type: 'oauth2'
      description: string
      flows: { clientCredentials: { tokenUrl: string; scopes: Record<string, string> } }
    }

export interface Reference {
  $ref: string
}

type Content = Record<string, { schema: JsonSchema }>

/** Writes the documentation of a table of operations; `named` says what their schemas are called. */
export function openapiOf(
  operations: readonly Operation[],
  named: Iterable<readonly [name: string, schema: TSchema]>,
): OpenapiDocument {
  const book = newSchemaBook(named)
  const paths: OpenapiDocument['paths'] = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: documented(operation, book) }
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
    tags: [...new Set(operations.map(({ path }) => tagOf(path)))].map((name) => ({ name })),
    paths,
    components: {
      schemas: sorted({ Error: errorSchema, ...book.components() }),
      responses: Object.fromEntries(sharedResponses.map(([name, keys]) => [name, refusal(keys)])),
      parameters,
      headers,
      securitySchemes,
    },
  }
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Every refusal an operation may answer with: its own, and those that come with its method, path and family. */
export function refusalsOf(operation: Operation): Set<ErrorKey> {
  const family = familyOf(operation.path)
  const shared: ErrorKey[] = ['invalid_api_version', 'query_too_large', 'internal_error', 'service_unavailable']
  if (isOpen(operation)) return new Set([...operation.errors, ...shared])
  shared.push('unauthorized', 'forbidden', 'not_acceptable')
  if (family === 'server' || family === 'client') shared.push('missing_required_permission')
  if (family !== 'management') shared.push('too_many_requests')
  if (operation.method !== 'GET') shared.push('payload_too_large')
  if (operation.body !== undefined) shared.push('unsupported_media_type')
  if (mayRepeat(operation)) shared.push('idempotency_key_conflict', 'idempotency_key_in_progress', 'invalid_payload')
  return new Set([...operation.errors, ...shared])
}

/** The heading an operation stands under: `/v1/stacking-rules/{id}` → `Stacking rules`. */
export function tagOf(path: string): string {
  const [, , second = '', third = '', fourth = '', fifth = ''] = path.split('/')
  switch (familyOf(path)) {
    case 'oauth':
      return 'OAuth'
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

/** Below a project, but a part of it and no resource of its own. */
const partsOfProject = new Set(['limits', 'webhook-token', 'usage'])

/** `stacking-rules` → `Stacking rules`. */
function heading(segment: string): string {
  const words = segment
    .replaceAll('-', ' ')
    .replace(/^api\b/, 'API')
    .replace(/^skus$/, 'SKUs')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function documented(operation: Operation, book: SchemaBook): DocumentedOperation {
  const { id, path, summary, description, deprecated, body } = operation
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    tags: [tagOf(path)],
    security: securityOf(operation),
    parameters: parametersOf(operation, book),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(operation, body, book) }),
    responses: responsesOf(operation, book),
  }
}

/** What the default `AUTH_MODE=strict` demands; each entry is enough by itself. */
function securityOf(operation: Operation): DocumentedOperation['security'] {
  const { path, download } = operation
  if (isOpen(operation)) return []
  const pair = { ApplicationId: [], ApplicationToken: [] }
  const withScope = (scopesFor(path) ?? []).map((scope) => ({ ...pair, AccessToken: [scope] }))
  const alternatives: Record<Family, DocumentedOperation['security']> = {
    oauth: [pair],
    server: withScope,
    client: [...withScope, { ClientId: [], ClientToken: [] }],
    management: [{ ManagementId: [], ManagementToken: [] }],
  }
  return [...alternatives[familyOf(path)], ...(download === undefined ? [] : [{}])]
}

function parametersOf(operation: Operation, book: SchemaBook): DocumentedOperation['parameters'] {
  const names = ['ApiVersion', ...(mayRepeat(operation) ? ['IdempotencyKey'] : [])]
  return [
    ...pathParamNames(operation.path).map(
      (name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }) as const,
    ),
    ...(operation.query === undefined ? [] : queryParameters(operation.query, book)),
    ...names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

/** One parameter for each property; what is nested is written in brackets: `created_at[before]=…`. */
function queryParameters(query: TSchema, book: SchemaBook): DocumentedParameter[] {
  const { required = [] } = query as JsonSchema
  return Object.entries(book.publishProperties(query)).map(([name, { description, ...schema }]) => {
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

/** A missing body counts as `{}`, so a body is required where something in it is. */
function requestBodyOf(operation: Operation, body: TSchema, book: SchemaBook): { required: boolean; content: Content } {
  const { required = [] } = body as JsonSchema
  return { required: required.length > 0, content: { [mediaTypeOf(operation)]: { schema: book.publish(body) } } }
}

function responsesOf(operation: Operation, book: SchemaBook): DocumentedOperation['responses'] {
  const status = successStatus(operation)
  const success: DocumentedResponse = {
    description: successWords[status] as string,
    headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
    ...(status === 204 ? {} : { content: contentOf(operation, book) }),
  }
  const by_status = Map.groupBy(refusalsOf(operation), errorStatus)
  const refusals = [...by_status].sort(([a], [b]) => a - b).map(([code, keys]) => [code, sharedOr(keys)] as const)
  return { [status]: success, ...acceptedOf(operation, success, book), ...Object.fromEntries(refusals) }
}

/** Where some calls only begin the work: what those are answered. */
function acceptedOf({ accepted }: Operation, success: DocumentedResponse, book: SchemaBook) {
  if (accepted === undefined) return {}
  const content = { 'application/json': { schema: book.publish(accepted) } }
  return { 202: { ...success, description: successWords[202] as string, content } }
}

function contentOf({ reply, download }: Operation, book: SchemaBook): Content {
  return {
    ...(reply === null ? {} : { 'application/json': { schema: book.publish(reply) } }),
    ...Object.fromEntries(
      (download?.media_types ?? []).map((media_type) => [media_type, { schema: fileSchema(media_type) }]),
    ),
  }
}

const fileSchema = (media_type: MediaType): JsonSchema =>
  media_type === 'image/png' ? { type: 'string', format: 'binary' } : { type: 'string' }

const successWords: Record<number, string> = {
  200: 'Done.',
  202: 'Accepted: the work goes on in the background.',
  204: 'Done; there is nothing to say.',
}

/** Refusals that many operations have in exactly this combination, said once. */
const sharedResponses: ReadonlyArray<readonly [name: string, keys: readonly ErrorKey[]]> = [
  ['InvalidVersion', ['invalid_api_version']],
  ['Unauthorized', ['unauthorized']],
  ['Forbidden', ['forbidden', 'missing_required_permission']],
  ['ForbiddenKey', ['forbidden']],
  ['NotFound', ['not_found']],
  ['MethodNotAllowed', ['method_not_allowed']],
  ['NotAcceptable', ['not_acceptable']],
  ['IdempotencyConflict', ['idempotency_key_conflict', 'idempotency_key_in_progress']],
  ['TooLarge', ['payload_too_large', 'query_too_large']],
  ['QueryTooLarge', ['query_too_large']],
  ['UnsupportedMediaType', ['unsupported_media_type']],
  ['TooManyRequests', ['too_many_requests']],
  ['InternalError', ['internal_error']],
  ['ServiceUnavailable', ['service_unavailable']],
]

function sharedOr(keys: readonly ErrorKey[]): DocumentedResponse | Reference {
  const shared = sharedResponses.find(
    ([, group]) => group.length === keys.length && group.every((key) => keys.includes(key)),
  )
  return shared === undefined ? refusal(keys) : { $ref: `#/components/responses/${shared[0]}` }
}

function refusal(keys: readonly ErrorKey[]): DocumentedResponse {
  const status = errorStatus(keys[0] as ErrorKey)
  return {
    description: keys.map((key) => `\`${key}\`: ${explained[key] ?? errorMessage(key)}`).join('\n\n'),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(status === 429 || status === 503 ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
      ...(status === 405 ? { Allow: { $ref: '#/components/headers/Allow' } } : {}),
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

/** Where the message of a refusal does not say when it comes. */
const explained: Partial<Record<ErrorKey, string>> = {
  unauthorized: 'credentials are missing or wrong.',
  forbidden:
    'the key is blocked or used from a wrong address, the access token lacks the scope, or this is not allowed here.',
  missing_required_permission: 'the role of the key does not allow it.',
  not_found: 'there is no such resource, or it belongs to another project.',
  method_not_allowed: 'the path has no such method; `Allow` lists those it has.',
  not_acceptable: 'the `Accept` header excludes `application/json`.',
  payload_too_large: 'the body is over the limit of the installation (10 MiB unless it says otherwise).',
  query_too_large: 'path and query together are over the limit (16,384 bytes unless the installation says otherwise).',
  unsupported_media_type: 'the `Content-Type` is not the one this operation takes.',
  too_many_requests: 'a rate limit of the installation or the project is used up.',
  invalid_api_version: `\`X-Voucherify-API-Version\` is something else than \`${apiVersion}\`.`,
  invalid_payload:
    'the body or the `Idempotency-Key` is malformed or not of the required shape; `details` names the first fault.',
  invalid_query_params: 'a query parameter is malformed or out of range; `details` names the first fault.',
  idempotency_key_conflict: 'the `Idempotency-Key` was used with another request.',
  idempotency_key_in_progress: 'a request with this `Idempotency-Key` has not ended.',
  internal_error: 'unexpected; the log of the service knows more under the `request_id`.',
  service_unavailable: 'the service is starting, stopping or overloaded, or its database is away: try again later.',
}

const text = (description: string): JsonSchema => ({ type: 'string', description })

const errorSchema: JsonSchema = {
  type: 'object',
  description: 'A refusal. Programs go by `key`; `message` and `details` are for people.',
  required: ['code', 'key', 'message', 'request_id'],
  properties: {
    code: { type: 'integer', description: 'The HTTP status.' },
    key: text('The kind of refusal.'),
    message: text('Short text.'),
    details: text('Longer text, often the offending value.'),
    request_id: text('Of this request; also in the header `X-Request-Id` and in the log of the service.'),
    resource_id: text('The id, code or name of the resource concerned, as it was sent.'),
    resource_type: text('What `resource_id` names.'),
    related_object_ids: {
      type: 'array',
      items: { type: 'string' },
      description: 'What uses the resource, the first 20.',
    },
    related_object_type: text('What `related_object_ids` are.'),
    related_object_total: { type: 'integer', description: 'How many there are in all.' },
    redeemable_id: text('The redeemable that was refused, as it was sent.'),
    redeemable_type: text('What `redeemable_id` names.'),
    explanation: {
      type: 'array',
      items: { type: 'object' },
      description: 'With `options.explain`: why, redeemable by redeemable.',
    },
    statusCode: { type: 'integer', description: 'Only when the request could not be read: the HTTP status.' },
    error: {
      description:
        "The operator's own message for this key; the name of the status when the request could not be read.",
      anyOf: [
        { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
        { type: 'string' },
      ],
    },
  } satisfies Record<keyof ErrorBody, JsonSchema>,
}

const parameters: OpenapiDocument['components']['parameters'] = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: `A repeated request with the same key has no further effect and gets the first reply again, for ${limits.idempotency_ttl_hours} hours.`,
    schema: { type: 'string', minLength: 1, maxLength: limits.idempotency_key_length_max, pattern: '^[\\x20-\\x7e]+$' },
  },
  ApiVersion: {
    name: 'X-Voucherify-API-Version',
    in: 'header',
    description: 'The version of the interface the caller was written for. There is one.',
    schema: { type: 'string', enum: [apiVersion] },
  },
}

const headers: OpenapiDocument['components']['headers'] = {
  RequestId: {
    description: 'Of this request, on every answer.',
    schema: { type: 'string', pattern: '^v-[0-9a-f]{18}$' },
  },
  RetryAfter: { description: 'Seconds after which another try may succeed.', schema: { type: 'integer', minimum: 1 } },
  Allow: { description: 'The methods the path has.', schema: { type: 'string' } },
}

const headerScheme = (name: string, description: string): SecurityScheme => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
})

const securitySchemes: OpenapiDocument['components']['securitySchemes'] = {
  ApplicationId: headerScheme('X-App-Id', 'Id of an application key of the project.'),
  ApplicationToken: headerScheme('X-App-Token', 'Secret of that application key.'),
  AccessToken: {
    type: 'oauth2',
    description:
      'A short-lived token, sent as `Authorization: Bearer …` beside the application key. It is issued to an application key, whose pair of headers takes the place of HTTP Basic.',
    flows: {
      clientCredentials: {
        tokenUrl: '/v1/oauth/token',
        scopes: Object.fromEntries([...scopes].sort().map((scope) => [scope, openedBy(scope)])),
      },
    },
  },
  ClientId: headerScheme(
    'X-Client-Application-Id',
    'Id of a client-side key; taken into account only with `AUTH_MODE=either`.',
  ),
  ClientToken: headerScheme('X-Client-Token', 'Secret of that client-side key.'),
  ManagementId: headerScheme('X-Management-Id', 'Id of a management key of the installation.'),
  ManagementToken: headerScheme('X-Management-Token', 'Secret of that management key.'),
}

function openedBy(scope: string): string {
  if (scope === 'api') return 'All of /v1.'
  if (scope === 'client_api') return 'All of /client/v1.'
  if (scope.startsWith('client_')) return `/client/v1/${scope.slice('client_'.length)} and below.`
  return `/v1/${scope.toLowerCase()} and below.`
}

const introduction = `Promotions, vouchers and loyalty, self-hosted; compatible with the Voucherify API of ${apiVersion}.

Three families of paths: \`/v1\` for servers, \`/client/v1\` for browsers and apps, \`/management/v1\` for operators. Server-side and client-side calls carry an application key and an access token; with the setting \`AUTH_MODE=either\` one of the two is enough, and client-side calls may carry a client-side key instead. Management calls carry a management key.

Bodies are JSON in UTF-8; imports take a CSV file as \`multipart/form-data\`, exports and reports are downloaded as CSV from addresses that need no credentials because they hold a secret. Unknown fields and query parameters are ignored. Moments are ISO 8601 in UTC with milliseconds; amounts are whole numbers of the smallest unit of the currency. Nested query parameters are written in brackets: \`created_at[before]=2026-01-01\`.

Every refusal has the shape of the schema \`Error\`. A known path with another method answers 405, an unknown path 404.

Without credentials and outside of this document: \`/health/live\`, \`/health/ready\`, \`/management/v1/health\`, \`/metrics\`.`
