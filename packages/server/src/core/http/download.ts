import { Readable } from 'node:stream'
import type { Runtime } from '../context.ts'
import { newCtx } from '../new-ctx.ts'
import type { Answer, Download, DownloadedFile, Operation } from './operation.ts'
import { queryReaderOf } from './read-input.ts'

/** Streams the file of the URL, with backpressure: it is read only as fast as the client receives it. */
export function downloadAnswer({ query: schema }: Operation, { find }: Download, runtime: Runtime): Answer {
  const readQuery = queryReaderOf(schema, 'should')
  return async (request, reply) => {
    const query = readQuery(request)
    const ctx = newCtx(runtime, {
      request_id: request.id,
      caller: { channel: 'API', api_key: null, role: 'VIEWER' },
      log: request.log,
    })
    const file = await find(ctx, { params: request.params as Record<string, string>, query })
    reply.headers(headersOf(file))
    // Fastify would read and discard the whole stream for a HEAD request.
    return reply.send(Readable.from(request.method === 'HEAD' ? [] : file.pieces, { objectMode: false }))
  }
}

function headersOf({ name, media_type, size, cached_seconds }: DownloadedFile): Record<string, string | number> {
  const isText = media_type.startsWith('text/')
  return {
    'Content-Type': isText ? `${media_type}; charset=utf-8` : media_type,
    'Content-Length': size,
    'Content-Disposition': `${isText ? 'attachment' : 'inline'}; filename="${name}"`,
    'Cache-Control': cached_seconds === undefined ? 'private, no-store' : `public, max-age=${cached_seconds}`,
    // Browsers must not render a shop's text file as HTML.
    'X-Content-Type-Options': 'nosniff',
  }
}
