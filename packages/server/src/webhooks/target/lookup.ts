import type { LookupAddress } from 'node:dns'
import { Resolver, lookup as systemLookup } from 'node:dns/promises'

/** All addresses of a name; the type of `lookup` of node:dns/promises with `all`. It rejects if there are none. */
export type Lookup = (hostname: string, options: { all: true }) => Promise<LookupAddress[]>

export interface ClosableLookup {
  lookup: Lookup
  close(): void
}

/**
 * How names of targets are resolved. `dns.lookup` occupies one of the four threads that all files, hashes and database connections of
 * this process share, for as long as a name server takes: a webhook to a name whose server never answers would stop the node. So
 * names are asked of the DNS servers directly, without a thread. Only where private targets are allowed does the hosts file of
 * the machine count (`localhost`, names of containers); there the system resolves, in at most two of the threads.
 */
export function newLookup({ allow_private }: { allow_private: boolean }): ClosableLookup {
  const { lookup, close } = allow_private ? { lookup: lookupInTwoThreads, close: () => {} } : newDnsLookup()
  return { lookup: sharedWhileRunning(lookup), close }
}

function newDnsLookup(): ClosableLookup {
  let resolver = newResolver()
  let openedAt = performance.now()
  return {
    async lookup(hostname) {
      // A resolver reads the servers of the machine once.
      if (performance.now() - openedAt > resolverAgeMaxMs) {
        resolver = newResolver()
        openedAt = performance.now()
      }
      const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
      const found = [...addressesIn(four, 4), ...addressesIn(six, 6)]
      if (found.length === 0) throw (four as PromiseRejectedResult).reason ?? (six as PromiseRejectedResult).reason
      return found
    },
    close: () => resolver.cancel(),
  }
}

/** Two tries of 1 and 2 s, which leaves time to connect. */
const newResolver = () => new Resolver({ timeout: 1_000, tries: 2 })

const resolverAgeMaxMs = 10_000

const addressesIn = (result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []

/** Attempts for one name at the same time share one query. */
function sharedWhileRunning(lookup: Lookup): Lookup {
  const running = new Map<string, Promise<LookupAddress[]>>()
  return (hostname, options) => {
    const shared = running.get(hostname)
    if (shared !== undefined) return shared
    const own = lookup(hostname, options).finally(() => running.delete(hostname))
    running.set(hostname, own)
    return own
  }
}

/** Counted for the whole process, as its threads are. A thread is occupied until the system answers, also if nobody waits any longer. */
const threads = { free: 2, waiting: [] as Array<() => void> }

async function lookupInTwoThreads(hostname: string): Promise<LookupAddress[]> {
  if (threads.free > 0) threads.free--
  else await new Promise<void>((resolve) => threads.waiting.push(resolve))
  try {
    return await systemLookup(hostname, { all: true })
  } finally {
    const next = threads.waiting.shift()
    if (next === undefined) threads.free++
    else next()
  }
}
