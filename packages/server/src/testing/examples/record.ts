import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pathParamNames } from '../../core/http/operation.ts'
import type { Example, ExampleReply, ExampleRequest } from '../../platform/docs/examples.ts'
import { isBetter } from './choose.ts'
import { faultInExample } from './faults.ts'
import { scrub } from './scrub.ts'

/** One line of a file of recorded examples. */
export interface RecordedExample {
  operation_id: string
  status: number
  example: Example
  /** A call of the story, which precedes those of all other tests. */
  is_story?: true
}

/** The header that marks a request of the story (story/teller.ts). */
export const storyHeader = 'x-guerdon-story'

/** In characters: longer requests and replies are never chosen, and would take long to scrub. */
const recordedMax = 20_000
const folder = process.env.GUERDON_RECORD_EXAMPLES

// Only in `npm run examples`: watches every service of the tests, as conformance.ts does, and keeps the best example of each operation and status.
if (folder !== undefined) {
  const best = new Map<string, Example>()
  const file = join(folder, `${process.pid}.jsonl`)
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onSend', (request, reply, payload, next) => {
      if (payload instanceof Readable) {
        next(null, Readable.from(withBeginning(payload, (text) => keep(request, reply, text))))
        return
      }
      keep(request, reply, payload)
      next()
    })
  })

  function keep(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const { operation } = reply.routeOptions.config
    const status = reply.statusCode
    if (operation === undefined || status >= 500) return
    if ((request.raw_body?.length ?? 0) > recordedMax || String(payload ?? '').length > recordedMax) return
    const recorded = { ...(status < 400 ? { request: requestOf(request) } : {}), reply: replyOf(reply, payload) }
    const example = scrub<Example>(recorded)
    const key = `${operation.id} ${status}`
    const isStory = request.headers[storyHeader] !== undefined
    if (!isStory && !isBetter(example, best.get(key))) return
    if (faultInExample(operation, status, example) !== null) return
    if (!isStory) best.set(key, example)
    const line: RecordedExample = {
      operation_id: operation.id,
      status,
      example,
      ...(isStory ? { is_story: true } : {}),
    }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
  }
}

function requestOf(request: FastifyRequest): ExampleRequest {
  const { operation } = request.routeOptions.config
  const params = request.params as Record<string, string>
  const names = pathParamNames(operation?.path ?? '')
  const query = request.url.split('?')[1] ?? ''
  const { prefer } = request.headers
  const body = bodyOf(request)
  return {
    ...(names.length === 0 ? {} : { path: Object.fromEntries(names.map((name) => [name, params[name] ?? ''])) }),
    ...(query === '' ? {} : { query }),
    ...(prefer === undefined ? {} : { prefer: String(prefer) }),
    ...(body === undefined ? {} : { body }),
  }
}

/** The body as it was sent: validation has changed that of the request. */
function bodyOf({ raw_body: bytes, body, routeOptions }: FastifyRequest): unknown {
  const { operation } = routeOptions.config
  if (operation?.body === undefined || bytes === undefined || bytes === null || bytes.length === 0) return undefined
  if (operation.consumes === 'form') return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
  if (operation.consumes !== 'multipart') return JSON.parse(bytes.toString('utf8'))
  const parts = Object.entries(body as Record<string, unknown>)
  return Object.fromEntries(parts.map(([name, part]) => [name, Buffer.isBuffer(part) ? part.toString('utf8') : part]))
}

function replyOf(reply: FastifyReply, payload: unknown): ExampleReply {
  const location = reply.getHeader('location')
  if (location !== undefined) return { location: String(location) }
  if (payload === undefined || payload === null || payload === '') return {}
  const [type = ''] = String(reply.getHeader('content-type') ?? '').split(';')
  if (type === 'application/json') return { body: JSON.parse(String(payload)) }
  return type === 'image/png' ? { media_type: type } : { media_type: type, text: String(payload).slice(0, 1_000) }
}

/** Passes a stream on, and tells its beginning at its end. */
async function* withBeginning(stream: Readable, tell: (text: string) => void): AsyncGenerator<Buffer> {
  let beginning = ''
  for await (const piece of stream) {
    if (beginning.length <= recordedMax) beginning += String(piece)
    yield piece as Buffer
  }
  tell(beginning)
}
