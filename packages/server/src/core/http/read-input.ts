import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { Ctx, InstallationCtx } from '../context.ts'
import { limits } from '../lib/limits.ts'
import { forEachInSlices } from '../lib/time-slice.ts'
import { type Fault, invalidPayload, invalidQuery } from './errors.ts'
import type { Schema } from './json-schema.ts'
import { familyOf, type Operation, type OperationInput } from './operation.ts'
import { prefersStrict } from './preference.ts'
import { parseQueryString, type QueryObject } from './query-string.ts'
import { type UnknownField, unknownFieldFaults, unknownFieldFinder, unknownFieldWarnings } from './unknown-fields.ts'
import { compileValidator, faultsIn, type Wording } from './validation.ts'
import { warn } from './warnings.ts'

export type InputReader = (
  ctx: InstallationCtx,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<OperationInput>

/** Validates the query, finds the target, validates the body: failures are reported in this order. */
export function inputReaderOf(operation: Operation): InputReader {
  const required: Wording['required'] = familyOf(operation.path) === 'management' ? 'must' : 'should'
  const readQuery = queryReaderOf(operation.query, required)
  const readBody = bodyReaderOf(operation, required)
  return async (ctx, request, reply) => {
    const params = request.params as Record<string, string>
    const reportUnknown = unknownFieldReporter(ctx, request, reply)
    const query = readQuery(request, reportUnknown)
    const target = operation.target === undefined ? undefined : await operation.target(ctx, { params, query })
    return { params, query, target, body: await readBody(request, reportUnknown) }
  }
}

/** Reports unknown fields to the client. Returns them as faults if they are to be refused. */
type UnknownFieldReporter = (part: 'query' | 'body', fields: readonly UnknownField[]) => readonly Fault[]

const reportNothing: UnknownFieldReporter = () => []

/**
 * Names unknown fields in a header, and makes faults of them where the client, the project or the operator wants that; else the answer
 * warns of them (docs/reference/http.md#unknown-fields).
 */
function unknownFieldReporter(
  ctx: InstallationCtx & Partial<Pick<Ctx, 'project'>>,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): UnknownFieldReporter {
  const isStrict = prefersStrict(headers.prefer)
  if (isStrict) reply.header('Preference-Applied', 'handling=strict')
  const ignored: string[] = []
  return (part, fields) => {
    if (fields.length === 0) return []
    for (const { path } of fields) ignored.push(part === 'query' ? `?${path.slice(1)}` : path)
    reply.header('Guerdon-Ignored', ignoredHeader(ignored))
    if (isStrict || ctx.settings.unknown_fields === 'refuse') return unknownFieldFaults(fields)
    const refused =
      ctx.project?.unknown_fields === 'REFUSE'
        ? fields.filter(({ is_sent_back }) => part === 'query' || !is_sent_back)
        : []
    const rest = fields.filter((field) => !refused.includes(field))
    for (const sentence of unknownFieldWarnings(rest)) warn(ctx, sentence)
    return unknownFieldFaults(refused)
  }
}

/** The paths as a header: what is not visible ASCII is percent-encoded, and so is a comma within a path. */
export function ignoredHeader(paths: readonly string[]): string {
  let header = ''
  for (const path of paths) {
    const encoded = path.toWellFormed().replaceAll(/[^\x21-\x24\x26-\x2b\x2d-\x7e]/gu, encodeURIComponent)
    const longer = header === '' ? encoded : `${header}, ${encoded}`
    if (longer.length + rest.length > limits.ignored_header_length_max) return header === '' ? '...' : header + rest
    header = longer
  }
  return paths.length < limits.listed_faults_max ? header : header + rest
}

const rest = ', ...'

type Reader = (request: FastifyRequest, reportUnknown: UnknownFieldReporter) => unknown

export function queryReaderOf(
  schema: TSchema | undefined,
  required: Wording['required'],
): (request: FastifyRequest, reportUnknown?: UnknownFieldReporter) => unknown {
  if (schema === undefined) return ignoreQuery
  const validator = compileValidator(schema)
  return (request, reportUnknown = reportNothing) => {
    const sent = parseQueryString(request.query as string)
    const unknown = reportUnknown('query', validator.unknownFields(sent))
    const query = validator.coerce(sent)
    const faults = [...validator.faults(query, { root: 'Query', required }), ...unknown]
    if (faults.length > 0) throw invalidQuery(faults)
    return query
  }
}

const emptyQuery = compileValidator(Type.Object({}))

/** An operation without query parameters ignores any query, also a malformed one. */
function ignoreQuery({ query }: FastifyRequest, reportUnknown: UnknownFieldReporter = reportNothing): undefined {
  if (query === '') return
  let sent: QueryObject
  try {
    sent = parseQueryString(query as string)
  } catch {
    return
  }
  const faults = reportUnknown('query', emptyQuery.unknownFields(sent))
  if (faults.length > 0) throw invalidQuery(faults)
}

function bodyReaderOf({ body: schema, reply, consumes = 'json' }: Operation, required: Wording['required']): Reader {
  if (schema === undefined) return () => undefined
  const validator = compileValidator(schema)
  const readElements = elementsReaderOf(schema, { root: 'Payload', required })
  const markSentBack = sentBackMarker(reply)
  return (request, reportUnknown) => {
    const sent = request.body === undefined ? {} : request.body
    if (readElements !== null && Array.isArray(sent) && sent.length > atOnceElements)
      return readElements(sent, reportUnknown)
    // Forms are those of OAuth, which requires that unknown parameters are ignored (RFC 6749, section 3.2).
    const unknown =
      consumes === 'json'
        ? reportUnknown('body', markSentBack(withoutPathParams(validator.unknownFields(sent), sent, request), sent))
        : []
    const body = consumes === 'json' ? sent : validator.coerce(sent)
    const faults = [...validator.faults(body, { root: 'Payload', required }), ...unknown]
    if (faults.length > 0) throw invalidPayload(faults)
    return validator.normalise(body)
  }
}

/** Marks the fields that the answer of the operation shows in the same place: a client reads an object, changes it and sends it back. */
function sentBackMarker(reply: TSchema | null): (fields: UnknownField[], body: unknown) => UnknownField[] {
  const unknownInReply = unknownFieldFinder((reply ?? {}) as Schema)
  const declaresFields = unknownInReply({ '\0': null }).length > 0
  return (fields, body) => {
    if (fields.length === 0 || !declaresFields || Array.isArray(body)) return fields
    const unknown = unknownInReply(body).map(({ path }) => path)
    const isShown = (path: string) =>
      !unknown.some((other) => path.startsWith(other) && ['', '.', '['].includes(path.charAt(other.length)))
    return fields.map((field) => ({ ...field, is_sent_back: field.is_sent_back || isShown(field.path) }))
  }
}

/** Clients repeat in the body what the path says (`POST /v1/vouchers/A` with `code: "A"`): that has its effect. */
function withoutPathParams(fields: UnknownField[], body: unknown, { params }: FastifyRequest): UnknownField[] {
  if (fields.length === 0) return fields
  const values = new Set<unknown>(Object.values(params as object))
  return fields.filter(({ path, name }) => path !== `.${name}` || !values.has((body as Record<string, unknown>)[name]))
}

/** Elements of a list that are checked without a pause. */
const atOnceElements = 100

type ElementsReader = (sent: unknown[], reportUnknown: UnknownFieldReporter) => Promise<unknown[]>

/** Reads a long list element by element, in slices; the same result and the same errors as reading it whole. */
function elementsReaderOf(schema: TSchema, wording: Wording): ElementsReader | null {
  const { type, items, uniqueItems } = schema as TSchema & { type?: unknown; items?: TSchema; uniqueItems?: boolean }
  if (type !== 'array' || items === undefined || uniqueItems === true) return null
  const list = compileValidator({ ...schema, items: {} })
  const element = compileValidator(items)
  return async (sent, reportUnknown) => {
    const faults = list.faults(sent, wording)
    const unknown: UnknownField[] = []
    const read: unknown[] = []
    await forEachInSlices(sent, (item, index) => {
      const place = `[${index}]`
      if (unknown.length < limits.listed_faults_max)
        unknown.push(...element.unknownFields(item).map((field) => ({ ...field, path: place + field.path })))
      if (faults.length < limits.listed_faults_max && element.firstError(item, wording) !== null)
        addFaults(faults, place, faultsIn(items as Schema, item, place, wording))
      read.push(faults.length === 0 ? element.normalise(item) : item)
    })
    const listed = [...faults, ...reportUnknown('body', unknown.slice(0, limits.listed_faults_max))]
    if (listed.length > 0) throw invalidPayload(listed.slice(0, limits.listed_faults_max))
    return read
  }
}

/** Adds the faults of an element, up to the number that is listed. An element that fails the compiled check has at least one. */
function addFaults(faults: Fault[], place: string, found: Iterable<Fault>): void {
  const before = faults.length
  for (const fault of found) {
    faults.push(fault)
    if (faults.length === limits.listed_faults_max) return
  }
  if (faults.length === before)
    faults.push({ path: place, details: `Property ${place} does not have the required shape` })
}
