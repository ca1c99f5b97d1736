import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../core/lib/limits.ts'

/**
 * Accepts no more connections, and waits until those that are open have ended by themselves: after their next answer, which says
 * `Connection: close`, or when they have been idle for as long as the service promises in `Keep-Alive`. To close an idle connection
 * earlier could cross a request on its way, which then would have no answer.
 */
export async function finishConnections(server: HttpServer, hurry: AbortSignal): Promise<void> {
  if (!server.listening) return
  const ended = once(server, 'close', { signal: hurry }).catch(() => {})
  // Not the method of the HTTP server, which closes idle connections at once.
  Server.prototype.close.call(server)
  const waited = new AbortController()
  const late = sleep(limits.retirement_seconds * 1_000, undefined, { signal: waited.signal, ref: false }).catch(
    () => {},
  )
  await Promise.race([ended, late])
  waited.abort()
}
