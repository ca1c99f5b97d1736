import type { Socket } from 'node:net'
import { Client } from 'undici'
import { limits } from '../../core/lib/limits.ts'
import { type Connection as ConnectOptions, connectTarget } from './connect.ts'
import type { Target } from './target-url.ts'

/** A connection to a target; it makes one request at a time. */
export interface Connection {
  readonly client: Client
  readonly socket: Socket
  /** Whether it has made a request before: its target may have closed it meanwhile. */
  is_reused: boolean
  /** Calls `onMore` when more than so many bytes arrive from now on. */
  limitRead(bytes: number, onMore: () => void): void
  destroy(reason: Error): void
}

export interface Connections {
  /** An idle connection to the target, or null. */
  takeIdle(target: Target): Connection | null
  /** Makes a new one. Rejects with the reason; nothing stays open then. */
  open(target: Target, signal: AbortSignal): Promise<Connection>
  /** Keeps a connection whose response was read to its end for the next attempt, or closes it. */
  release(target: Target, connection: Connection): void
  close(): void
}

/**
 * Makes connections by `connectTarget`, and keeps idle ones for a few seconds. A client of undici gets its one socket from here: it never
 * connects by itself, so no request goes to an address that was not judged.
 */
export function newConnections(options: Pick<ConnectOptions, 'allow_private' | 'lookup' | 'limit_ms'>): Connections {
  const idle = new Map<string, Connection[]>()
  let idleCount = 0

  function drop(origin: string, connection: Connection): void {
    const list = idle.get(origin)
    const at = list?.indexOf(connection) ?? -1
    if (list === undefined || at < 0) return
    list.splice(at, 1)
    idleCount -= 1
    if (list.length === 0) idle.delete(origin)
  }

  return {
    takeIdle({ url: { origin } }) {
      for (let connection = idle.get(origin)?.at(-1); connection !== undefined; connection = idle.get(origin)?.at(-1)) {
        drop(origin, connection)
        if (!connection.socket.destroyed) return connection
      }
      return null
    },

    async open({ url: { origin, protocol }, host, port }, signal) {
      const socket = await connectTarget({ ...options, host, port, is_tls: protocol === 'https:', signal })
      const connection = newConnection(origin, socket)
      connection.client.on('disconnect', () => drop(origin, connection))
      return connection
    },

    release({ url: { origin } }, connection) {
      const list = idle.get(origin) ?? []
      const isFull = list.length >= limits.webhook_attempts_max || idleCount >= limits.target_idle_connections_max
      // Before the request was sent whole, the next one would wait for that, without a time limit.
      if (isFull || connection.socket.destroyed || connection.socket.writableLength > 0)
        return connection.destroy(new Error('the connection is not kept'))
      connection.is_reused = true
      list.push(connection)
      idle.set(origin, list)
      idleCount += 1
    },

    close() {
      for (const connection of [...idle.values()].flat()) connection.destroy(new Error('the client is closed'))
    },
  }
}

function newConnection(origin: string, socket: Socket): Connection {
  let isGiven = false
  let readMax = 0
  let more = () => {}
  socket.on('readable', () => {
    if (socket.bytesRead > readMax) more()
  })
  const client = new Client(origin, {
    connect(_options, give) {
      const isFirst = !isGiven
      isGiven = true
      // Not at once: undici misses a connection that it gets while it asks for one.
      queueMicrotask(() => (isFirst ? give(null, socket) : give(closedBefore(), null)))
    },
    pipelining: 1,
    maxHeaderSize: limits.target_response_header_bytes_max,
    // The attempt has one time limit for all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
  })
  return {
    client,
    socket,
    is_reused: false,
    limitRead(bytes, onMore) {
      readMax = socket.bytesRead + bytes
      more = onMore
    },
    destroy(reason) {
      socket.destroy()
      client.destroy(reason).catch(() => {}) // it is destroyed already
    },
  }
}

/**
 * undici asks for a second connection if the target closed the first one before it could write the request. The code is that of a
 * connection closed by the target, so that the request is sent on a new one.
 */
const closedBefore = (): Error => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })

/** Less than the 5 s after which many servers close an idle connection. */
const idleMs = 4_000
