import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { atEnd } from '../../server/src/testing/closings.ts'

/** What happens to a request instead of being passed on and answered. */
export type Disturbance =
  /** The service does the work, but its answer is lost with the connection. */
  | 'lose the answer'
  /** The answer breaks off in the middle of its body. */
  | 'cut the answer'
  | 'never answer'
  | { status: number; headers?: Record<string, string>; body?: object | string }

export interface PassedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** What the caller was answered; undefined if it was not. */
  status: number | undefined
}

export interface FlakyProxy {
  url: string
  requests: PassedRequest[]
  /** The requests for a path, such as `POST /v1/redemptions`. */
  requestsTo(route: string): PassedRequest[]
  /** The next requests for a path meet these, one after another; those that follow are passed on. */
  disturb(route: string, ...disturbances: Disturbance[]): void
}

/** A proxy on the loopback interface before the service, as bad as the networks between a shop and its service. */
export async function openFlakyProxy(port: number): Promise<FlakyProxy> {
  const requests: PassedRequest[] = []
  const planned = new Map<string, Disturbance[]>()
  const routeOf = ({ method, path }: Pick<PassedRequest, 'method' | 'path'>) => `${method} ${path.split('?')[0]}`

  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming).catch(() => null)
    if (body === null) return
    const { method = '', url: path = '', headers } = incoming
    const passed: PassedRequest = { method, path, headers, body, status: undefined }
    requests.push(passed)
    const disturbance = planned.get(routeOf(passed))?.shift()
    if (disturbance === 'never answer') return
    if (typeof disturbance === 'object') {
      passed.status = disturbance.status
      const text = typeof disturbance.body === 'object' ? JSON.stringify(disturbance.body) : disturbance.body
      const type = typeof disturbance.body === 'object' ? 'application/json' : 'text/html'
      outgoing.writeHead(disturbance.status, { 'Content-Type': type, ...disturbance.headers }).end(text)
      return
    }
    const answer = await pass(port, passed)
    if (disturbance === 'lose the answer') return void outgoing.destroy()
    passed.status = answer.head.statusCode
    outgoing.writeHead(answer.head.statusCode as number, answer.head.headers)
    if (disturbance === 'cut the answer') cut(outgoing, answer.body)
    else outgoing.end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    requestsTo: (route) => requests.filter((passed) => routeOf(passed) === route),
    disturb: (route, ...disturbances) => void planned.set(route, disturbances),
  }
}

function pass(
  port: number,
  { method, path, headers, body }: PassedRequest,
): Promise<{ head: IncomingMessage; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const onward = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (head) => {
      buffer(head).then((answer) => resolve({ head, body: answer }), reject)
    })
    onward.on('error', reject)
    onward.end(body)
  })
}

/** The head has announced the whole length. */
function cut(outgoing: ServerResponse, body: Buffer): void {
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy())
}
