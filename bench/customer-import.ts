import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { type BenchShop, openShop } from './shop.ts'

const rows = 100_000

/** A CSV file of 100,000 customers: how long it takes, and by how much the process grows meanwhile. */
export async function customerImport(): Promise<void> {
  const shop = await openShop()
  try {
    await upload(shop, file(1, 2_000)) // what the first import costs for ever is no part of what one costs
    const before = residentMb(shop)
    const start = performance.now()
    const action_id = await send(shop, file(2, rows))
    let most = before
    const seen = new Set<number>()
    for (;;) {
      const action = await readAction(shop, action_id)
      most = Math.max(most, residentMb(shop))
      seen.add(action.progress)
      if (action.status === 'DONE' || action.status === 'FAILED') {
        const seconds = (performance.now() - start) / 1_000
        console.log(`${action.result.message}`)
        console.log(
          `${seconds.toFixed(1)} s, ${(rows / seconds).toFixed(0)} customers/s, ${seen.size} steps of progress seen`,
        )
        console.log(
          `memory ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most: ${(most - before).toFixed(0)} MB more`,
        )
        break
      }
      await setTimeout(100)
    }
  } finally {
    await shop.stop()
  }
}

/** Every hundredth row has a date that is none. */
function file(of: number, count: number): string {
  const lines = ['Name,Email,Source_id,Birthdate,Address_City,loyal']
  for (let n = 1; n <= count; n += 1)
    lines.push(`Customer ${n},c${n}@example.com,s${of}-${n},${n % 100 === 0 ? 'never' : '1990-03-01'},Kraków,yes`)
  return lines.join('\n')
}

async function upload(shop: BenchShop, csv: string): Promise<void> {
  const id = await send(shop, csv)
  while ((await readAction(shop, id)).status !== 'DONE') await setTimeout(100)
}

async function send({ address, headers }: BenchShop, csv: string): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([csv], { type: 'text/csv' }), 'customers.csv')
  const answer = await fetch(`${address}/v1/customers/importCSV`, { method: 'POST', headers, body: form })
  const body = (await answer.json()) as { async_action_id: string }
  if (answer.status !== 202) throw new Error(JSON.stringify(body))
  return body.async_action_id
}

async function readAction({ address, headers }: BenchShop, id: string) {
  const answer = await fetch(`${address}/v1/async-actions/${id}`, { headers })
  return (await answer.json()) as { status: string; progress: number; result: { message: string } }
}

/** What the process holds in memory, as the kernel counts it. */
function residentMb({ pid }: BenchShop): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}
