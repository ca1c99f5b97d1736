import { readCsv } from '../../core/lib/csv.ts'
import { limits } from '../../core/lib/limits.ts'
import { type AccountClient, AccountError } from './client.ts'
import { type Foreign, part } from './foreign.ts'
import type { Stretch, Walked } from './walks.ts'

const fields = ['id', 'campaign_id', 'voucher_id', 'status', 'expires_at', 'points']

/** Has the account write a file, waits for it and reads it: one row per record. */
export async function walkExport(client: AccountClient, { path }: Walked): Promise<Stretch> {
  const created = await client.post(path, { parameters: { fields } })
  const url = await finished(client, String(created.id))
  return { rows: recordsOf(await client.download(url)), next: null, unreachable: 0 }
}

async function finished(client: AccountClient, id: string): Promise<string> {
  const end = Date.now() + limits.account_export_seconds * 1_000
  for (let seconds = 0.2; Date.now() < end; seconds = Math.min(seconds * 2, 30)) {
    const found = await client.get(`/v1/exports/${encodeURIComponent(id)}`)
    if (found.status === 'ERROR') break
    const { url } = part(found, 'result')
    if (found.status === 'DONE' && typeof url === 'string') return url
    await client.wait(seconds)
  }
  throw new AccountError(0, `The account did not finish the export ${id}`)
}

/** The columns are those that were asked for, in that order; services name them differently in the first record. */
function recordsOf(bytes: Buffer): Foreign[] {
  const rows: Foreign[] = []
  let isHeader = true
  for (let at = 0, isCut = false; at < bytes.length; ) {
    const piece = readCsv(bytes.subarray(at), { isStart: at === 0, isEnd: true, isCut, rows_max: 10_000 })
    for (const record of piece.rows) {
      if (!isHeader && Array.isArray(record))
        rows.push(Object.fromEntries(fields.map((name, index) => [name, record[index] ?? null])))
      isHeader = false
    }
    if (piece.used === 0) break
    at += piece.used
    isCut = piece.isCut
  }
  return rows
}
