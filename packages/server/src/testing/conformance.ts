import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { openapiOf } from '../core/http/openapi.ts'
import { refusalsOf } from '../core/http/openapi-refusals.ts'
import { type Operation, successStatus } from '../core/http/operation.ts'
import '../core/http/validation.ts' // which teaches the compiled checks our formats

/** What was answered and does not keep what its operation declares, by the id of the request. */
const faults = new Map<string, string>()

// Whoever builds the service for a test and however it is called, this sees each answer as it goes out: the framework
// announces every instance before anything is mounted on it.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onSend', (request, reply, payload, next) => {
    const fault = whyNotDeclared(reply, payload)
    if (fault !== null) faults.set(request.id, `${request.method} ${request.url} answers ${reply.statusCode}: ${fault}`)
    next()
  })
})

/** Fails if the answer to this request is none that its operation declares. */
export function expectDeclared(requestId: string): void {
  const fault = faults.get(requestId)
  if (fault === undefined) return
  faults.delete(requestId)
  throw new Error(fault)
}

/** Fails if any answer since the last call was none that its operation declares. */
export function expectAllDeclared(): void {
  const found = [...faults.values()]
  faults.clear()
  if (found.length > 0) throw new Error(found.join('\n'))
}

/** The first fault of an answer, or null. What is no operation, such as an unknown path, can still refuse only in one shape. */
function whyNotDeclared(reply: FastifyReply, payload: unknown): string | null {
  const { operation } = reply.routeOptions.config
  const status = reply.statusCode
  if (status >= 400) return faultInRefusal(operation, status, payload)
  return operation === undefined ? null : faultInSuccess(operation, reply, payload)
}

function faultInRefusal(operation: Operation | undefined, status: number, payload: unknown): string | null {
  // Where the contract wants the status alone.
  if (payload === undefined || payload === null || payload === '') return null
  const body = parsed(payload)
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
  const schema = status === 202 && operation.accepted !== undefined ? operation.accepted : operation.reply
  if (status !== successStatus(operation) && schema !== operation.accepted)
    return `${operation.id} does not declare the status`
  if (schema === null) return payload ? 'there is a body where none is declared' : null
  return type.startsWith('application/json')
    ? faultIn(schema, parsed(payload))
    : `the media type is ${type || 'missing'}`
}

/** What cannot be read as JSON is held against the schema as the text it is. */
function parsed(payload: unknown): unknown {
  try {
    return JSON.parse(String(payload))
  } catch {
    return payload
  }
}

function faultIn(schema: TSchema, body: unknown): string | null {
  let check = checks.get(schema)
  if (check === undefined) {
    check = Compile(closed(schema as Schema) as TSchema)
    checks.set(schema, check)
  }
  if (check.Check(body)) return null
  // Of a value that fits none of several shapes, the fault that lies deepest is in the shape that was meant.
  const depth = ({ instancePath }: { instancePath: string }) => instancePath.split('/').length
  const [first] = check.Errors(body).sort((a, b) => depth(b) - depth(a))
  return `${first?.instancePath || '/'} ${first?.message} ${JSON.stringify(first?.params)}`
}

const checks = new WeakMap<TSchema, Validator>()
const refusalSchema = openapiOf([], []).components.schemas.Error as TSchema

interface Schema {
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
}

/**
 * The same schema without room for undeclared properties: what is one of several things is written as it is
 * (core/http/serialise.ts). Where properties stand beside variants neither knows those of the other, so that both stay open.
 */
function closed(schema: Schema, isPart = false): Schema {
  const { anyOf, properties, additionalProperties, items } = schema
  const result: Schema = { ...schema }
  if (anyOf !== undefined) result.anyOf = anyOf.map((variant) => closed(variant, isPart || properties !== undefined))
  if (items !== undefined) result.items = closed(items)
  if (typeof additionalProperties === 'object') result.additionalProperties = closed(additionalProperties)
  if (properties !== undefined) {
    result.properties = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, closed(each)]))
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
