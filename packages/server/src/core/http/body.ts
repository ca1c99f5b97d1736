import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parse as parseJson } from 'secure-json-parse'
import type { TSchema } from 'typebox'
import { limits } from '../lib/limits.ts'
import { ApiError, invalidPayload, MalformedJson } from './errors.ts'
import { readMultipart } from './multipart.ts'
import { mediaTypeOf, type Operation } from './operation.ts'

/**
 * One parser for all bodies: read up to the limit first (413), then the media type (415), then the content (400). The
 * raw bytes stay on the request for the idempotency fingerprint. An empty body, whatever its media type, counts as missing
 * and is read as `{}`.
 */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, readBody(request, bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

function readBody(request: FastifyRequest, bytes: Buffer): unknown {
  request.raw_body = bytes
  const { operation } = request.routeOptions.config as { operation?: Operation }
  if (operation?.body === undefined || bytes.length === 0) return undefined
  const contentType = request.headers['content-type'] ?? ''
  if (contentType.split(';')[0]?.trim().toLowerCase() !== mediaTypeOf(operation))
    throw new ApiError('unsupported_media_type')
  if (operation.consumes === 'form') return storable(Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))))
  if (operation.consumes === 'multipart') return multipartOf(operation.body, bytes, contentType)
  if (isNestedDeeper(bytes, limits.body_nesting_max))
    throw invalidPayload(`Payload is nested deeper than ${limits.body_nesting_max} levels`)
  return jsonOf(bytes)
}

/** Refuses property names that could reach a prototype (`__proto__`) as malformed JSON. */
function jsonOf(bytes: Buffer): unknown {
  let text: string
  let value: unknown
  try {
    text = utf8.decode(bytes)
    value = parseJson(text)
  } catch {
    throw new MalformedJson()
  }
  // U+0000 and lone surrogates can appear in valid UTF-8 JSON only as escapes, so only a text with such escapes, or with a
  // number that may overflow to Infinity, is traversed.
  return /\\u(?:0000|d[89a-f])|\de\+?\d{3}|\d{309}/i.test(text) ? storable(value) : value
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The declared parts of the body: bytes where the schema says `binary`, otherwise text. */
function multipartOf(schema: TSchema, bytes: Buffer, contentType: string): Record<string, unknown> {
  const parts = readMultipart(bytes, contentType)
  if (parts === null) throw invalidPayload('Payload is not a well-formed multipart/form-data body')
  const { properties = {} } = schema as { properties?: Record<string, { format?: string }> }
  const body: Record<string, unknown> = {}
  for (const [name, { format }] of Object.entries(properties)) {
    const part = parts.get(name)
    if (part !== undefined) body[name] = format === 'binary' ? part : textOf(name, part)
  }
  return body
}

function textOf(name: string, part: Buffer): string {
  try {
    return storable(utf8.decode(part))
  } catch (error) {
    throw error instanceof ApiError ? error : invalidPayload(`Property .${name} must be text in UTF-8`)
  }
}

/** Counts brackets before parsing: code that recurses over a deeply nested value would overflow the stack. */
function isNestedDeeper(bytes: Buffer, levelsMax: number): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (isText) {
      if (byte === 0x5c)
        at += 1 // skip the escaped character
      else if (byte === 0x22) isText = false
    } else if (byte === 0x22) isText = true
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      if (depth > levelsMax) return true
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1
  }
  return false
}

/** Returns the value; throws 400 if it contains text or numbers that the database cannot store. */
function storable<T>(value: T): T {
  if (!isStorable(value))
    throw invalidPayload(
      'Payload contains text with the character U+0000 or half of a surrogate pair, or a number too large for a double',
    )
  return value
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, part]) => isStorable(name) && isStorable(part))
}
