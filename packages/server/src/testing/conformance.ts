import { subscribe } from 'node:diagnostics_channel'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { openapiOf } from '../core/http/openapi.ts'
import { refusalsOf } from '../core/http/openapi-refusals.ts'
import { type Operation, successStatus } from '../core/http/operation.ts'
import '../core/http/validation.ts' // registers our formats with the compiled checks

/** Responses that violate the declaration of their operation, by request id. */
const faults = new Map<string, string>()

// Checks every response of every service in the tests, however it was built or called: the framework announces each
// instance before anything is mounted on it.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onSend', (request, reply, payload, next) => {
    const fault = whyNotDeclared(reply, payload)
    if (fault !== null) faults.set(request.id, `${request.method} ${request.url} answers ${reply.statusCode}: ${fault}`)
    next()
  })
})

/** Throws if the response to this request is not declared by its operation. */
export function expectDeclared(requestId: string): void {
  const fault = faults.get(requestId)
  if (fault === undefined) return
  faults.delete(requestId)
  throw new Error(fault)
}

/** Throws if any response since the last call was not declared by its operation. */
export function expectAllDeclared(): void {
  const found = [...faults.values()]
  faults.clear()
  if (found.length > 0) throw new Error(found.join('\n'))
}

/** The first fault of a response, or null. Without an operation, as for an unknown path, only errors of the usual shape pass. */
function whyNotDeclared(reply: FastifyReply, payload: unknown): string | null {
  const { operation } = reply.routeOptions.config
  const status = reply.statusCode
  if (isPage(reply)) return null
  if (status >= 400) return faultInRefusal(operation, status, payload)
  return operation === undefined ? null : faultInSuccess(operation, reply, payload)
}

/** A page for a person, outside of the contract: the guides have one for a wrong address. */
function isPage(reply: FastifyReply): boolean {
  const isPlatform = reply.routeOptions.config.platform !== undefined
  return isPlatform && String(reply.getHeader('content-type') ?? '').startsWith('text/html')
}

function faultInRefusal(operation: Operation | undefined, status: number, payload: unknown): string | null {
  // The contract wants only the status here.
  if (payload === undefined || payload === null || payload === '') return null
  const body = parsePayload(payload)
  const fault = faultIn(refusalSchema, body)
  if (fault !== null) return fault
  const { code, key } = body as { code: number; key: string }
  if (code !== status) return `the body says ${code}`
  return operation === undefined || declaredKeys(operation).has(key) ? null : `${operation.id} does not declare ${key}`
}

function faultInSuccess(operation: Operation, reply: FastifyReply, payload: unknown): string | null {
  const type = String(reply.getHeader('content-type') ?? '')
  if (operation.download?.media_types.some((mediaType) => type.startsWith(mediaType))) return null
  const status = reply.statusCode
  const { reply: declared } = isForPage(reply) ? (operation.for_pages ?? operation) : operation
  const schema = status === 202 && operation.accepted !== undefined ? operation.accepted : declared
  if (status === 204 && operation.reply_if_preferred === true)
    return payload ? 'there is a body where none is declared' : null
  if (status !== successStatus(operation) && schema !== operation.accepted)
    return `${operation.id} does not declare the status`
  if (payload instanceof Readable) return null // a long reply in pieces, serialised by the same schema
  if (schema === null) return payload ? 'there is a body where none is declared' : null
  return type.startsWith('application/json')
    ? faultIn(schema, withoutWarnings(parsePayload(payload)))
    : `the media type is ${type || 'missing'}`
}

const isForPage = (reply: FastifyReply): boolean => reply.request.admitted?.caller.is_page === true

/** Every object may have `warnings` beside what its operation declares (docs/reference/http.md#unknown-fields). */
function withoutWarnings(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('warnings' in body)) return body
  const { warnings, ...declared } = body
  return Array.isArray(warnings) && warnings.every((each) => typeof each === 'string') ? declared : body
}

/** The payload as JSON; if it cannot be parsed, the text, which then fails the schema. */
function parsePayload(payload: unknown): unknown {
  try {
    return JSON.parse(String(payload))
  } catch {
    return payload
  }
}

/** The first fault of a value, or null. A property that the schema does not declare is one. */
export function faultIn(schema: TSchema, body: unknown): string | null {
  let check = checks.get(schema)
  if (check === undefined) {
    check = Compile(withoutExtraProperties(schema as Schema) as TSchema)
    checks.set(schema, check)
  }
  if (check.Check(body)) return null
  // If a value fits no variant of a union, the deepest error is in the variant that was meant.
  const depth = ({ instancePath }: { instancePath: string }) => instancePath.split('/').length
  const [first] = check.Errors(body).sort((a, b) => depth(b) - depth(a))
  return `${first?.instancePath || '/'} ${first?.message} ${JSON.stringify(first?.params)}`
}

const checks = new WeakMap<TSchema, Validator>()
/** The shape of every refusal. */
export const refusalSchema = openapiOf([], []).components.schemas.Error as TSchema

interface Schema {
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
}

/**
 * The same schema without undeclared properties: unions are serialized without a schema (core/http/serialise.ts), which could
 * leak them. Where an object has properties beside variants, neither knows the properties of the other, so both stay open.
 */
function withoutExtraProperties(schema: Schema, isPart = false): Schema {
  const { anyOf, properties, additionalProperties, items } = schema
  const result: Schema = { ...schema }
  if (anyOf !== undefined)
    result.anyOf = anyOf.map((variant) => withoutExtraProperties(variant, isPart || properties !== undefined))
  if (items !== undefined) result.items = withoutExtraProperties(items)
  if (typeof additionalProperties === 'object')
    result.additionalProperties = withoutExtraProperties(additionalProperties)
  if (properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, withoutExtraProperties(each)]),
    )
    if (anyOf === undefined && !isPart) result.additionalProperties ??= false
  }
  return result
}

const keys = new WeakMap<Operation, ReadonlySet<string>>()

function declaredKeys(operation: Operation): ReadonlySet<string> {
  let declared = keys.get(operation)
  if (declared === undefined) {
    declared = refusalsOf(operation)
    keys.set(operation, declared)
  }
  return declared
}
