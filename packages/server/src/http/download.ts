import { Readable } from 'node:stream'
import type { House } from '../context.ts'
import { toInstant } from '../lib/instant.ts'
import type { Answer } from './answer.ts'
import { invalidQuery } from './errors.ts'
import type { Download, Operation } from './operation.ts'
import { parseQueryString } from './query-string.ts'
import { compileShape } from './validation.ts'

/** Answers with the file that the address leads to, read as fast as the caller takes it. */
export function downloadAnswer({ query: schema }: Operation, { media_type, find }: Download, house: House): Answer {
  const { database, jobs, settings, credentials } = house
  const query_shape = schema === undefined ? null : compileShape(schema)
  return async (request, reply) => {
    const query = query_shape?.coerce(parseQueryString(request.query as string))
    const fault = query_shape?.fault(query, { root: 'Query', required: 'should' }) ?? null
    if (fault !== null) throw invalidQuery(fault)
    const ctx = {
      db: database.db,
      now: toInstant(house.now()),
      request_id: request.id,
      caller: { channel: 'API', api_key: null, role: 'VIEWER' } as const,
      jobs,
      settings,
      credentials,
      log: request.log,
      afterCommit: (work: () => void) => work(),
    }
    const { name, size, pieces } = await find(ctx, { params: request.params as Record<string, string>, query })
    reply.headers({
      'Content-Type': `${media_type}; charset=utf-8`,
      'Content-Length': size,
      'Content-Disposition': `attachment; filename="${name}"`,
      // Nobody on the way keeps what a secret address led to, and no browser takes a shop's texts for a page.
      'Cache-Control': 'private, no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    // Fastify empties the stream of a HEAD request: there is no need to read the file for that.
    return reply.send(Readable.from(request.method === 'HEAD' ? [] : pieces, { objectMode: false }))
  }
}
