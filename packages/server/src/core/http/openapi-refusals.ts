import { limits } from '../lib/limits.ts'
import { apiVersion } from './admission-checks.ts'
import { type ErrorBody, type ErrorKey, errorMessage, errorStatus } from './errors.ts'
import type { DocumentedOperation, DocumentedResponse, SchemaReference } from './openapi-document.ts'
import type { JsonSchema } from './openapi-schema.ts'
import { type Family, familyOf, isOpen, mayRepeat, type Operation } from './operation.ts'

/** Every error key of an operation: those it declares, and those that follow from its method, path and family. */
export function refusalsOf(operation: Operation): Set<ErrorKey> {
  const family = familyOf(operation.path)
  const shared: ErrorKey[] = ['invalid_api_version', 'query_too_large', 'internal_error', 'service_unavailable']
  if (isOpen(operation)) return new Set([...operation.errors, ...shared])
  if (family === 'auth' && operation.session === undefined) shared.push('not_signed_in')
  // Unknown query parameters and fields, where they are to be refused.
  shared.push('invalid_query_params')
  if (operation.body !== undefined && operation.consumes === undefined) shared.push('invalid_payload')
  shared.push(...refusalsByFamily[family], 'forbidden')
  if (operation.redirects !== true) shared.push('not_acceptable')
  if (operation.method !== 'GET') shared.push('payload_too_large')
  if (operation.body !== undefined) shared.push('unsupported_media_type')
  if (mayRepeat(operation)) shared.push('idempotency_key_conflict', 'idempotency_key_in_progress', 'invalid_payload')
  return new Set([...operation.errors, ...shared])
}

/** What the gates of each family refuse. */
const refusalsByFamily: Record<Family, readonly ErrorKey[]> = {
  server: ['unauthorized', 'not_signed_in', 'missing_project_id', 'missing_required_permission', 'too_many_requests'],
  client: ['unauthorized', 'missing_required_permission', 'too_many_requests'],
  oauth: ['unauthorized', 'too_many_requests'],
  management: ['unauthorized', 'not_signed_in', 'missing_required_permission', 'too_many_requests'],
  auth: [],
}

/** The error responses of an operation, by status. */
export function refusalResponses(operation: Operation): DocumentedOperation['responses'] {
  const byStatus = Map.groupBy(refusalsOf(operation), errorStatus)
  return Object.fromEntries([...byStatus].sort(([a], [b]) => a - b).map(([code, keys]) => [code, sharedOr(keys)]))
}

/** Combinations of error keys that many operations have, as shared response components. */
const sharedResponses: ReadonlyArray<readonly [name: string, keys: readonly ErrorKey[]]> = [
  ['InvalidVersion', ['invalid_api_version']],
  ['InvalidQuery', ['invalid_api_version', 'invalid_query_params']],
  ['InvalidCall', ['invalid_api_version', 'invalid_query_params', 'missing_project_id']],
  ['Unauthorized', ['unauthorized', 'not_signed_in']],
  ['UnauthorizedKey', ['unauthorized']],
  ['NotSignedIn', ['not_signed_in']],
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

export const refusalComponents = (): Record<string, DocumentedResponse> =>
  Object.fromEntries(sharedResponses.map(([name, keys]) => [name, refusal(keys)]))

function sharedOr(keys: readonly ErrorKey[]): DocumentedResponse | SchemaReference {
  const shared = sharedResponses.find(
    ([, group]) => group.length === keys.length && group.every((key) => keys.includes(key)),
  )
  return shared === undefined ? refusal(keys) : { $ref: `#/components/responses/${shared[0]}` }
}

function refusal(keys: readonly ErrorKey[]): DocumentedResponse {
  const status = errorStatus(keys[0] as ErrorKey)
  return {
    description: keys.map((key) => `\`${key}\`: ${explanations[key] ?? errorMessage(key)}`).join('\n\n'),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(keys.includes('invalid_query_params') ? { 'Guerdon-Ignored': { $ref: '#/components/headers/Ignored' } } : {}),
      ...(status === 429 || status === 503 ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
      ...(status === 405 ? { Allow: { $ref: '#/components/headers/Allow' } } : {}),
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

/** Explanations for error keys whose message does not say when they occur. */
const explanations: Partial<Record<ErrorKey, string>> = {
  unauthorized: 'credentials are missing or wrong.',
  not_signed_in: 'there is no session, or it has ended.',
  missing_project_id: 'a call by a session lacks the header `X-Project-Id`.',
  forbidden:
    'the key is blocked or used from a wrong address, the access token lacks the scope, or this is not allowed here.',
  missing_required_permission: 'the role of the key does not allow it.',
  not_found: 'there is no such resource, or it belongs to another project.',
  method_not_allowed: 'the path has no such method; `Allow` lists those it has.',
  not_acceptable: 'the `Accept` header excludes `application/json`.',
  payload_too_large:
    'the body is over the limit of the installation: unless it says otherwise 1 MiB, 64 KiB on the client side, 16 KiB for forms, 10 MiB for bulk updates, imports and files.',
  query_too_large:
    'path and query together are over the limit (16,384 bytes unless the installation says otherwise), or the headers are (16,384 bytes).',
  unsupported_media_type: 'the `Content-Type` is not the one this operation takes.',
  too_many_requests:
    'a rate limit of the installation or the project is used up, or too many wrong credentials or codes came from the same network.',
  invalid_api_version: `\`X-Voucherify-API-Version\` is something else than \`${apiVersion}\`.`,
  invalid_payload:
    'the body or the `Idempotency-Key` is malformed or not of the required shape; `details` names the first fault, `errors` all. Also an unknown field, where those are to be refused.',
  invalid_query_params:
    'a query parameter is malformed or out of range; `details` names the first fault, `errors` all. Also an unknown parameter, where those are to be refused.',
  idempotency_key_conflict: 'the `Idempotency-Key` was used with another request.',
  idempotency_key_in_progress: 'a request with this `Idempotency-Key` has not ended.',
  internal_error: 'unexpected; the log of the service knows more under the `request_id`.',
  service_unavailable: 'the service is starting, stopping or overloaded, or its database is away: try again later.',
}

const text = (description: string): JsonSchema => ({ type: 'string', description })

export const errorSchema: JsonSchema = {
  type: 'object',
  description: 'A refusal. Programs go by `key`; `message` and `details` are for people.',
  required: ['code', 'key', 'message', 'request_id'],
  properties: {
    code: { type: 'integer', description: 'The HTTP status.' },
    key: text('The kind of refusal.'),
    message: text('Short text.'),
    details: text('Longer text, often the offending value.'),
    errors: {
      type: 'array',
      maxItems: limits.listed_faults_max,
      description: 'All faults of a body or query; `details` is that of the first.',
      items: {
        type: 'object',
        required: ['path', 'details'],
        properties: {
          path: text('Where, from the root: `.order.items[0].price`; empty for the root itself.'),
          details: text('What is wrong there.'),
        },
      },
    },
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
        { type: 'object', required: ['message'], properties: { message: text('Text for customers.') } },
        { type: 'string' },
      ],
    },
  } satisfies Record<keyof ErrorBody, JsonSchema>,
}
