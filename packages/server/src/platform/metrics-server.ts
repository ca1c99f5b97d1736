import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { limits } from '../core/lib/limits.ts'
import { finishConnections } from './finish-connections.ts'

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Serves the metrics on a port of their own, which is not published with the API. It opens before the service accepts requests, so
 * that a port in use stops the start, and closes after the service, so that the last requests are still seen.
 */
export function serveMetrics(
  app: FastifyInstance,
  readMetrics: () => Promise<string>,
  { port, host }: { port: number; host: string },
): void {
  const server = createServer((request, response) => {
    const isKnown = (request.method === 'GET' || request.method === 'HEAD') && request.url?.split('?')[0] === '/metrics'
    if (!isKnown) return void response.writeHead(404).end()
    readMetrics().then(
      // A kept connection would be closed with its worker, maybe while a scrape is on its way.
      (text) =>
        response
          .writeHead(200, { 'Content-Type': metricsType, Connection: 'close' })
          .end(request.method === 'HEAD' ? '' : text),
      (error: unknown) => {
        app.log.error({ err: error }, 'metrics cannot be read')
        response.writeHead(500).end()
      },
    )
  })
  app.addHook('onReady', async () => {
    await listen(server, port, host)
    const { address, port: opened } = server.address() as AddressInfo
    app.log.info({ address, port: opened }, 'metrics are served on a port of their own')
  })
  app.addHook('onClose', async () => {
    if (!server.listening) return
    await finishConnections(server, AbortSignal.timeout(limits.scrape_stop_ms))
    server.closeAllConnections()
    server.close()
  })
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`METRICS_PORT cannot be opened: ${error.message}`)))
    server.listen(port, host, resolve)
  })
}
