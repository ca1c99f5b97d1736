import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { whyNotPublic } from './addresses.ts'
import { codeOf, inWords, PrivateTargetFailure, TargetFailure, tlsFailure } from './failure.ts'
import type { Lookup } from './lookup.ts'

export interface Connection {
  /** A name, or an address without brackets. */
  host: string
  port: number
  is_tls: boolean
  allow_private: boolean
  lookup: Lookup
  /** For name, connection and TLS handshake together. */
  limit_ms: number
  signal: AbortSignal
}

/**
 * Connects to a target: resolves the name once, judges every address, connects to these addresses and to no others, and compares the
 * address at the other end before it gives the socket to anybody who could write to it. So a name that resolves differently
 * the next time gains nothing. Rejects with the reason; nothing stays open then.
 */
export function connectTarget(connection: Connection): Promise<Socket> {
  const { limit_ms, signal } = connection
  return new Promise((resolve, reject) => {
    let socket: Socket | undefined
    let isOver = false
    const end = (error?: Error) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      if (error !== undefined) {
        socket?.destroy()
        reject(error)
      } else resolve(socket as Socket)
    }
    const onAbort = () => end(signal.reason)
    const timer = setTimeout(() => end(new TargetFailure(`no connection within ${inWords(limit_ms)}`)), limit_ms)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()

    const open = async () => {
      const lookup = isIP(connection.host) === 0 ? await checkedLookup(connection) : judgedLiteral(connection)
      if (isOver) return
      const { host, port } = connection
      socket = connectTcp({
        host,
        port,
        lookup,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: attemptMs,
        noDelay: true,
      })
      await untilEvent(socket, 'connect')
      refusePrivate(connection, socket.remoteAddress ?? '')
      if (isOver || !connection.is_tls) return
      socket = connectTls({
        socket,
        host,
        servername: isIP(host) === 0 ? host : '',
        ALPNProtocols: ['http/1.1'],
        secureContext: secureContext(),
        // Also where NODE_TLS_REJECT_UNAUTHORIZED is 0.
        rejectUnauthorized: true,
      })
      await untilEvent(socket, 'secureConnect').catch((error) => Promise.reject(tlsFailure(error)))
    }
    open().then(() => end(), end)
  })
}

/** After this time the next address of a name is tried. Node's 250 ms is less than a connection across the world can take. */
const attemptMs = 1_000

/** Asks for the addresses of the name; returns a lookup that gives the socket these and no others. */
async function checkedLookup(connection: Connection): Promise<LookupFunction> {
  const addresses = await connection.lookup(connection.host, { all: true }).catch((error) => {
    throw new TargetFailure(`the name ${connection.host} does not resolve (${codeOf(error)})`)
  })
  const [first] = addresses
  if (first === undefined) throw new TargetFailure(`the name ${connection.host} does not resolve`)
  for (const { address } of addresses) refusePrivate(connection, address)
  return (_hostname, { all }, answer) => (all ? answer(null, addresses) : answer(null, first.address, first.family))
}

/** Node connects to a literal address without a lookup. */
function judgedLiteral(connection: Connection): undefined {
  refusePrivate(connection, connection.host)
}

function refusePrivate({ allow_private }: Connection, address: string): void {
  const whyNot = allow_private ? null : whyNotPublic(address)
  if (whyNot !== null) throw new PrivateTargetFailure(whyNot)
}

/** The listeners stay: an error after the event, until a request takes the socket over, must not end the process. */
function untilEvent(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on(event, () => resolve())
    socket.on('error', reject)
    socket.on('close', () => reject(new TargetFailure('the connection was closed')))
  })
}

let context: SecureContext | undefined

/** The trusted authorities, with those of NODE_EXTRA_CA_CERTS; read once, because that costs more than the rest of a handshake. */
function secureContext(): SecureContext {
  context ??= createSecureContext()
  return context
}
