import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { behave, earlyBehaviours } from './webhook-behaviours.ts'
import type { FromReceiver, ToReceiver } from './webhook-receiver.ts'

/**
 * The process of `webhook-receiver.ts`. Argument: the port for http, or 0. It tells its parent every request before it answers, so
 * that no answered request is unknown when the process is killed.
 */
const [, , httpPort = '0'] = process.argv

const aliases = new Map<string, string>()
process.on('message', ({ path, behaviour }: ToReceiver) => {
  if (path !== undefined && behaviour !== undefined) aliases.set(path, behaviour)
  tell({ type: 'done' })
})
process.on('disconnect', () => process.exit())

function tell(message: FromReceiver, then: () => void = () => {}): void {
  process.send?.(message, undefined, {}, then)
}

let connectionsServed = 0
let connectionsMade = 0
let connectionsOpen = 0
let bytesRead = 0

const tellConnections = () =>
  tell({ type: 'connections', made: connectionsMade, open: connectionsOpen, bytes_read: bytesRead })

/** Counts connections before any TLS handshake. */
function count(socket: Socket): void {
  connectionsMade++
  connectionsOpen++
  tellConnections()
  socket.on('close', () => {
    connectionsOpen--
    bytesRead += socket.bytesRead
    tellConnections()
  })
}

function receive(socket: Socket): void {
  const connection = ++connectionsServed
  socket.on('error', () => {})
  let bytes = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    for (;;) {
      if (isTlsHello(bytes)) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      const headEnd = bytes.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const head = bytes.subarray(0, headEnd).toString('latin1')
      const path = head.split(' ', 2)[1] ?? ''
      const name = aliases.get(path) ?? path.split(/[/?]/)[1] ?? ''
      const end = headEnd + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
      if (bytes.length < end && !earlyBehaviours.has(name)) return
      const body = bytes.subarray(headEnd + 4, end)
      bytes = bytes.subarray(Math.min(end, bytes.length))
      tell({ type: 'request', path, head, body, at: Date.now(), connection }, () => behave(socket, name))
    }
  })
}

/** Of a client that takes the port for http for one of https. */
const isTlsHello = (bytes: Buffer): boolean => bytes[0] === 0x16

const file = (name: string) => readFileSync(new URL(`./tls/${name}`, import.meta.url))
const newTls = (certificate: string) =>
  createTlsServer({ cert: file(certificate), key: file('server.key') }, receive).on('tlsClientError', () => {})

async function listen(server: Server, port = 0): Promise<number> {
  server.on('connection', count)
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

tell({
  type: 'ready',
  ports: {
    http: await listen(createServer(receive), Number(httpPort)),
    https: await listen(newTls('server.pem')),
    self_signed: await listen(newTls('self-signed.pem')),
    expired: await listen(newTls('expired.pem')),
    // Accepts connections, reads, and never says a word, so that a TLS handshake never ends.
    silent: await listen(createServer((socket) => void socket.on('error', () => {}).resume())),
  },
})
