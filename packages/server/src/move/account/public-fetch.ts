import { Agent, type RequestInit, fetch as undiciFetch } from 'undici'
import { limits } from '../../core/lib/limits.ts'
import { connectTarget } from '../../webhooks/target/connect.ts'
import { type Lookup, newLookup } from '../../webhooks/target/lookup.ts'

export interface PublicFetchOptions {
  /** For tests. */
  allow_private?: boolean | undefined
  /** For tests: answers instead of the DNS servers of this machine. */
  lookup?: Lookup | undefined
}

export interface PublicFetch {
  fetch: typeof globalThis.fetch
  /** Closes its connections, also those in use. */
  close(): Promise<void>
}

/** A `fetch` that reaches public addresses only. It judges the address that it connects to, so a name that resolves differently the next time gains nothing. */
export function newPublicFetch({ allow_private = false, lookup }: PublicFetchOptions = {}): PublicFetch {
  const names = lookup === undefined ? newLookup({ allow_private }) : { lookup, close() {} }
  const closing = new AbortController()
  const agent = new Agent({
    connect({ hostname, protocol, port }, give) {
      const isTls = protocol === 'https:'
      connectTarget({
        host: hostname.replace(/^\[|\]$|\.$/g, ''),
        port: Number(port) || (isTls ? 443 : 80),
        is_tls: isTls,
        allow_private,
        lookup: names.lookup,
        limit_ms: limits.target_connect_ms,
        signal: closing.signal,
      }).then(
        (socket) => give(null, socket),
        (error: Error) => give(error, null),
      )
    },
  })
  return {
    // The types of the package and of Node name the same things differently.
    fetch: ((url: URL, init: RequestInit) => undiciFetch(url, { ...init, dispatcher: agent })) as never,
    async close() {
      closing.abort(new Error('closed'))
      await agent.destroy()
      names.close()
    },
  }
}
