import { setTimeout } from 'node:timers/promises'
import { type BenchShop, residentMb } from './shop.ts'

/** Sends a CSV file and waits until it is imported. */
export async function importFile(shop: BenchShop, path: string, csv: string): Promise<void> {
  const id = await send(shop, path, csv)
  while ((await readAction(shop, id)).status !== 'DONE') await setTimeout(100)
}

/** Imports a CSV file and prints the duration, the result, and the growth of the process memory. */
export async function measureImport(
  shop: BenchShop,
  path: string,
  { csv, rows, noun }: { csv: string; rows: number; noun: string },
): Promise<void> {
  const before = residentMb(shop)
  const start = performance.now()
  const actionId = await send(shop, path, csv)
  let most = before
  const seen = new Set<number>()
  for (;;) {
    const action = await readAction(shop, actionId)
    most = Math.max(most, residentMb(shop))
    seen.add(action.progress)
    if (action.status === 'DONE' || action.status === 'FAILED') {
      const seconds = (performance.now() - start) / 1_000
      console.log(`${action.result.message}`)
      console.log(
        `${seconds.toFixed(1)} s, ${(rows / seconds).toFixed(0)} ${noun}/s, ${seen.size} steps of progress seen`,
      )
      console.log(
        `memory ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most: ${(most - before).toFixed(0)} MB more`,
      )
      return
    }
    await setTimeout(100)
  }
}

async function send({ address, headers }: BenchShop, path: string, csv: string): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([csv], { type: 'text/csv' }), 'rows.csv')
  const answer = await fetch(`${address}${path}`, { method: 'POST', headers, body: form })
  const body = (await answer.json()) as { async_action_id: string }
  if (!answer.ok) throw new Error(JSON.stringify(body))
  return body.async_action_id
}

async function readAction({ address, headers }: BenchShop, id: string) {
  const answer = await fetch(`${address}/v1/async-actions/${id}`, { headers })
  return (await answer.json()) as { status: string; progress: number; result: { message: string } }
}
