import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { verifyWebhook } from '@guerdon/client'
import type { EventStore, KeptEvent } from './event-store.ts'

const bodyBytesMax = 1_048_576

/** A server that stores each event that the service signed, and tells of those that are new. It does not listen yet. */
export function openReceiver(store: EventStore, webhookToken: string, tell: (event: KeptEvent) => void): Server {
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    if (body === null) return void response.writeHead(413, { Connection: 'close' }).end()
    const verified = await verifyWebhook(body, request.headers, webhookToken)
    if (!verified.ok) return void response.writeHead(401).end(verified.error.key)
    const { event, data, test } = verified.data
    const kept = { ...event, data }
    const isNew = !test && store.keep(kept)
    // Stored, so it may be called delivered. The work comes after the answer: the service waits for a few seconds only.
    response.writeHead(204).end()
    if (isNew) tell(kept)
  }
  return createServer((request, response) => {
    receive(request, response).catch((error: unknown) => {
      process.stderr.write(`${error}\n`)
      // The service delivers again what was not stored.
      if (response.headersSent) response.end()
      else response.writeHead(500).end()
    })
  }).on('clientError', (_error, socket) => socket.destroy())
}

/** The body as it arrived, which is what was signed; null if it is too large or was broken off. */
async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer> | null> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of request) {
      size += part.length
      if (size > bodyBytesMax) return null
      parts.push(part)
    }
  } catch {
    return null
  }
  return Buffer.concat(parts)
}
