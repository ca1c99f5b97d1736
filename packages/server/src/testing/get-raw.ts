import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'

/** Sends a path as it is to a listening service: `inject` and `fetch` would resolve its dots first. */
export function getRaw(app: FastifyInstance, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const { port } = app.server.address() as AddressInfo
    request({ port, host: '127.0.0.1', path }, async (answer) =>
      resolve({ status: answer.statusCode, body: await text(answer) }),
    )
      .on('error', reject)
      .end()
  })
}
