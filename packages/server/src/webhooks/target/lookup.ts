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
  return allow_private ? { lookup: sharedWhileRunning(lookupInTwoThreads), close() {} } : newDnsLookup()
}

/** `servers` are for tests: others than those of the machine. */
export function newDnsLookup(servers?: readonly string[]): ClosableLookup {
  let resolver = newResolver(servers)
  let openedAt = performance.now()
  const lookup: Lookup = async (hostname) => {
    // A resolver reads the servers of the machine once.
    if (performance.now() - openedAt > resolverAgeMaxMs) {
      resolver = newResolver(servers)
      openedAt = performance.now()
    }
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found = [...addressesIn(four, 4), ...addressesIn(six, 6)]
    if (found.length === 0 && four.status === 'rejected') throw four.reason
    return found
  }
  return { lookup: sharedWhileRunning(lookup), close: () => resolver.cancel() }
}

/** Two tries of 1 and 2 s, which leaves time to connect. */
function newResolver(servers: readonly string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return resolver
}

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
