import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Serves a text that never changes while the process runs: generated at the first request, then cached, plain and compressed. */
export function publishedText(
  headers: Record<string, string>,
  write: () => string,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  let cached: { text: string; zipped: Buffer; etag: string } | undefined

  return (request, reply) => {
    cached ??= newCacheEntry(write())
    const { text, zipped, etag } = cached
    reply.headers({ ...headers, ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(text)
    return reply.header('Content-Encoding', 'gzip').send(zipped)
  }
}

function newCacheEntry(text: string) {
  // A weak ETag: the compressed and the plain form share it.
  return { text, zipped: gzipSync(text), etag: `W/"${hash('sha256', text, 'base64url').slice(0, 16)}"` }
}
