import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Settings } from '../settings.ts'
import { jsonBoundsOf } from './body-limits.ts'
import { ApiError, invalidPayload, unsupportedMediaType } from './errors.ts'
import { readForm } from './form.ts'
import { readJson, storable, utf8 } from './json-body.ts'
import { readMultipart } from './multipart.ts'
import { mediaTypeOf, type Operation } from './operation.ts'

/**
 * One parser for all bodies: read up to the limit first (413), then the media type (415), then the content (400). The
 * raw bytes stay on the request for the idempotency fingerprint. An empty body, whatever its media type, counts as missing
 * and is read as `{}`.
 */
export function acceptBodies(app: FastifyInstance, settings: Settings): void {
  app.removeAllContentTypeParsers()
  // JSON by name too: Fastify finds a named parser in a cache, and parses the header for each request that only `*` accepts.
  for (const type of ['*', 'application/json'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      try {
        const body = readBody(request, bytes as Buffer, settings)
        if (body instanceof Promise) body.then((value) => done(null, value), done)
        else done(null, body)
      } catch (error) {
        done(error as Error)
      }
    })
}

function readBody(request: FastifyRequest, bytes: Buffer, settings: Settings): unknown {
  request.raw_body = bytes
  const { operation } = request.routeOptions.config as { operation?: Operation }
  if (operation?.body === undefined || bytes.length === 0) return undefined
  const contentType = request.headers['content-type'] ?? ''
  const mediaType = mediaTypeOf(operation)
  if (contentType !== mediaType && contentType.split(';')[0]?.trim().toLowerCase() !== mediaType)
    throw unsupportedMediaType(mediaType)
  if (operation.consumes === 'form') return storable(readForm(bytes))
  if (operation.consumes === 'multipart') return multipartOf(operation.body, bytes, contentType)
  return readJson(bytes, jsonBoundsOf(operation, settings))
}

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
