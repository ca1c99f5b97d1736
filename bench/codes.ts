import { setTimeout } from 'node:timers/promises'
import { median, waitsOf } from './measure.ts'
import { type BenchShop, call, managementHeaders, openShop, residentMb } from './shop.ts'

const sizes = [10_000, 100_000, 1_000_000]
/** Short runs are noisy: they are repeated, and the median counts. */
const repeats: Record<number, number> = { 10000: 9, 100000: 3, 1000000: 1 }

/**
 * Generates up to a million codes in one campaign: the cost of a code as their number grows, the memory of the process, and the
 * latency of concurrent reads; then a change of that campaign and its export.
 */
export async function codes(): Promise<void> {
  const shop = await openShop()
  try {
    await allowMany(shop)
    const warm = await create(shop, 'Warm-up', 5_000)
    await finished(shop, warm)
    const [code] = await codesOf(shop, 'Warm-up')
    await readsDuring(shop, code as string, setTimeout(2_000))
    const idle = waitsOf(await readsDuring(shop, code as string, setTimeout(5_000)))
    const before = residentMb(shop)
    console.log(
      `idle: a voucher is read in ${idle.p50.toFixed(1)} ms, p99 ${idle.p99.toFixed(1)} ms; ${before.toFixed(0)} MB`,
    )

    const costs = new Map<number, number>()
    for (const size of sizes) {
      const runs = []
      for (let n = 1; n <= (repeats[size] as number); n++)
        runs.push(await generate(shop, `${size} codes, ${n}`, size, code as string))
      const seconds = median(runs.map((run) => run.seconds))
      const reads = waitsOf(runs.flatMap((run) => run.waits))
      const most = Math.max(...runs.map((run) => run.most))
      costs.set(size, seconds / size)
      const cost = (costs.get(size) as number) / (costs.get(sizes[0] as number) as number)
      console.log(
        `${size} codes: ${seconds.toFixed(1)} s, ${(size / seconds).toFixed(0)} codes/s, a code costs ${cost.toFixed(2)} × that of ${sizes[0]}; ` +
          `at most ${most.toFixed(0)} MB; meanwhile a voucher is read in ${reads.p50.toFixed(1)} ms, p99 ${reads.p99.toFixed(1)} ms (${(reads.p99 / idle.p99).toFixed(1)} × idle)`,
      )
    }
    await change(shop, '1000000 codes, 1')
    await exported(shop, '1000000 codes, 1')
  } finally {
    await shop.stop()
  }
}

interface Run {
  seconds: number
  most: number
  /** The latency of each concurrent read. */
  waits: number[]
}

async function generate(shop: BenchShop, name: string, count: number, code: string): Promise<Run> {
  const start = performance.now()
  const campaign = await create(shop, name, count)
  const memory = { most: 0 }
  const done = finished(shop, campaign, memory)
  const waits = await readsDuring(shop, code, done)
  return { seconds: ((await done) - start) / 1_000, most: memory.most, waits }
}

/** Sets an expiration date for a million codes: time until the response, and until the last code has it. */
async function change(shop: BenchShop, name: string): Promise<void> {
  const start = performance.now()
  await call(shop, 'PUT', `/v1/campaigns/${encodeURIComponent(name)}`, { expiration_date: '2040-01-01T00:00:00Z' })
  const answered = performance.now()
  const memory = { most: 0 }
  const over = await finished(shop, name, memory)
  console.log(
    `changing that campaign: response after ${(answered - start).toFixed(0)} ms, all codes updated after ${((over - start) / 1_000).toFixed(1)} s, at most ${memory.most.toFixed(0)} MB`,
  )
}

async function exported(shop: BenchShop, name: string): Promise<void> {
  const before = residentMb(shop)
  const start = performance.now()
  const campaign = await call(shop, 'GET', `/v1/campaigns/${encodeURIComponent(name)}`)
  const { id } = await call(shop, 'POST', '/v1/exports', {
    exported_object: 'voucher',
    parameters: {
      campaign_id: campaign.id,
      fields: ['code', 'voucher_type', 'value', 'discount_type', 'expiration_date'],
    },
  })
  let most = before
  for (;;) {
    const { status, result } = await call(shop, 'GET', `/v1/exports/${id}`)
    most = Math.max(most, residentMb(shop))
    if (status === 'ERROR') throw new Error('the export failed')
    if (status === 'DONE') {
      const seconds = (performance.now() - start) / 1_000
      const { lines, megabytes, most: reading } = await download(shop, result.url)
      console.log(
        `exported in ${seconds.toFixed(1)} s: ${lines} lines, ${megabytes.toFixed(1)} MB; memory ${before.toFixed(0)} MB before, at most ${most.toFixed(0)} MB, ${reading.toFixed(0)} MB while it is downloaded`,
      )
      return
    }
    await setTimeout(100)
  }
}

async function download(shop: BenchShop, url: string) {
  const answer = await fetch(url.replace(/^https?:\/\/[^/]+/, shop.address))
  let [lines, bytes, most] = [0, 0, 0]
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    for (const byte of piece) if (byte === 10) lines++
    most = Math.max(most, residentMb(shop))
  }
  return { lines, megabytes: bytes / 1_048_576, most }
}

/** Reads a voucher every few milliseconds until `work` is done; returns the latencies. */
async function readsDuring(shop: BenchShop, code: string, work: Promise<unknown>): Promise<number[]> {
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  const waits: number[] = []
  while (!isOver) {
    const start = performance.now()
    await call(shop, 'GET', `/v1/vouchers/${encodeURIComponent(code)}`)
    waits.push(performance.now() - start)
    await setTimeout(5)
  }
  return waits
}

async function create(shop: BenchShop, name: string, vouchersCount: number): Promise<string> {
  await call(shop, 'POST', '/v1/campaigns', {
    name,
    vouchers_count: vouchersCount,
    voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 }, code_config: { length: 10 } },
  })
  return name
}

/** Waits until the campaign is complete, and returns the time of that. */
async function finished(shop: BenchShop, name: string, memory = { most: 0 }): Promise<number> {
  for (;;) {
    const { creation_status } = await call(shop, 'GET', `/v1/campaigns/${encodeURIComponent(name)}`)
    memory.most = Math.max(memory.most, residentMb(shop))
    if (creation_status === 'FAILED') throw new Error(`${name} failed`)
    if (creation_status === 'DONE') return performance.now()
    await setTimeout(20)
  }
}

async function codesOf(shop: BenchShop, campaign: string): Promise<string[]> {
  const { vouchers } = await call(shop, 'GET', `/v1/vouchers?limit=10&campaign=${encodeURIComponent(campaign)}`)
  return vouchers.map(({ code }: { code: string }) => code)
}

/** Raises the limit of vouchers per campaign, which only an operator can do. */
async function allowMany(shop: BenchShop): Promise<void> {
  const path = `/management/v1/projects/${shop.project_id}/limits`
  await call({ ...shop, headers: managementHeaders }, 'PUT', path, { campaign_vouchers: 2_000_000 })
}
