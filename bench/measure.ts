import { Connection } from './client.ts'

/** A request that is repeated, possibly with variations. */
export interface Load {
  port: number
  /** The nth request, counted from 0 over the whole run, so that each can be different. */
  request(n: number): Buffer
  /** Number of requests sent so far. */
  asked: number
}

/** The result of a period in which a number of connections sent requests as fast as they could. */
export interface Stretch {
  per_second: number
  /** The latency of each request in milliseconds. */
  waits: number[]
}

/** Any status other than 2xx fails the bench: quick rejections would look fast. */
export async function stretch(load: Load, connections: number, seconds: number): Promise<Stretch> {
  const opened = await Promise.all(Array.from({ length: connections }, () => Connection.open(load.port)))
  const waits: number[] = []
  const start = performance.now()
  const end = start + seconds * 1_000
  try {
    await Promise.all(
      opened.map(async (connection) => {
        for (let now = performance.now(); now < end; ) {
          const status = await connection.ask(load.request(load.asked++))
          if (status < 200 || status > 299) throw new Error(`${status}: ${connection.body()}`)
          const then = performance.now()
          waits.push(then - now)
          now = then
        }
      }),
    )
    return { per_second: (waits.length * 1_000) / (performance.now() - start), waits }
  } finally {
    for (const connection of opened) connection.close()
  }
}

/** Sends one request and returns the response body. */
export async function ask(load: Load): Promise<string> {
  const connection = await Connection.open(load.port)
  try {
    const status = await connection.ask(load.request(load.asked++))
    if (status < 200 || status > 299) throw new Error(`${status}: ${connection.body()}`)
    return connection.body()
  } finally {
    connection.close()
  }
}

/** Percentiles of latencies: half of the requests took at most `p50`. */
export function waitsOf(waits: readonly number[]): { p50: number; p99: number } {
  return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The value below which this share of the values lies, interpolated. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  const place = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number]
  return below + (above - below) * (place - Math.floor(place))
}
