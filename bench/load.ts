import autocannon from 'autocannon'

export interface Load {
  url: string
  headers?: Record<string, string>
  connections: number
  seconds: number
}

/** Requests per second of one load on the loopback; anything but a 2xx is a failed bench. */
export async function requestsPerSecond({ url, headers = {}, connections, seconds }: Load): Promise<number> {
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname))
    throw new Error(`Not a loopback address: ${url}`)
  const result = await autocannon({ url, headers, connections, duration: seconds })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`)
  return result.requests.average
}

/** Of how long some requests took: half of them took no longer than `p50`. */
export function waitsOf(waits: readonly number[]): { p50: number; p99: number } {
  const sorted = waits.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
  return { p50: at(0.5), p99: at(0.99) }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
