import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A target of webhooks that keeps what it got, and compares repeated requests with the first one. */
export interface Inbox {
  url: string
  /** By `<webhook id> <event id>`: the ids of the send-outs that carried the event. */
  arrived(): ReadonlyMap<string, ReadonlySet<string>>
  counts(): { deliveries: number; repeated: number }
  violations: string[]
  close(): Promise<void>
}

/** Closes the connection of one in `dropsEvery` new send-outs without an answer, so that it is sent again a minute later. */
export async function openInbox(dropsEvery: number | null): Promise<Inbox> {
  const arrived = new Map<string, Set<string>>()
  /** The hash of the first body of each send-out. */
  const bodies = new Map<string, string>()
  const violations: string[] = []
  let deliveries = 0
  let repeated = 0

  const keep = (body: Buffer, id: string): boolean => {
    deliveries += 1
    const hash = createHash('sha256').update(body).digest('base64')
    const first = bodies.get(id)
    const payload = JSON.parse(body.toString('utf8'))
    if (payload.id !== id) violations.push(`webhook-id ${id} and the id of the payload ${payload.id} differ`)
    if (first !== undefined) repeated += 1
    if (first !== undefined && first !== hash) violations.push(`${id} was repeated with other bytes`)
    bodies.set(id, first ?? hash)
    const delivery = `${payload.source.id} ${payload.event.id}`
    arrived.set(delivery, (arrived.get(delivery) ?? new Set()).add(id))
    return first === undefined && dropsEvery !== null && bodies.size % dropsEvery === 0
  }

  const server = createServer((request, response) => {
    void bodyOf(request).then(
      (body) => {
        const drops = keep(body, String(request.headers['webhook-id']))
        if (drops) request.socket.destroy()
        else response.writeHead(204).end()
      },
      () => {}, // the sender was killed while it sent
    )
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/inbox`,
    arrived: () => arrived,
    counts: () => ({ deliveries, repeated }),
    violations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}
