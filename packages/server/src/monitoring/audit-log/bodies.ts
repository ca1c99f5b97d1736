import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { AuditBodiesRow, AuditLogRow } from '../../core/db/tables.ts'
import { daysOf } from './days.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Bytes of bodies that are deflated together. More would hardly get smaller, and to show one entry all of them are inflated. */
const packBytes = 65_536

/** Where the bodies of an entry are. */
export type BodiesPlace = Pick<AuditLogRow, 'bodies_id' | 'bodies_from' | 'request_bytes' | 'response_bytes'>

interface WithBodies extends Pick<AuditLogRow, 'request_body' | 'response_body'> {
  head: Pick<AuditLogRow, 'project_id' | 'id'> & { at: number }
}

/** Bodies that are deflated together: of one project and day, with which they are deleted. */
interface Pack extends Pick<AuditBodiesRow, 'project_id' | 'id'> {
  texts: Buffer[]
  bytes: number
}

/**
 * Puts the bodies of entries into few rows. Bodies resemble each other, so that together they take a third of the space; and the service
 * compresses them in less time than the database, beside the event loop.
 */
export async function packBodies(
  entries: readonly WithBodies[],
): Promise<{ places: BodiesPlace[]; rows: AuditBodiesRow[] }> {
  const packs: Pack[] = []
  const open = new Map<string, Pack>()
  const places = entries.map(({ head, request_body, response_body }): BodiesPlace => {
    if (request_body === null && response_body === null) return noPlace
    const [request, response] = [bytesOf(request_body), bytesOf(response_body)]
    const key = `${head.project_id} ${daysOf([head.at])[0]}`
    let pack = open.get(key)
    if (pack === undefined || pack.bytes >= packBytes) {
      pack = { project_id: head.project_id, id: head.id, texts: [], bytes: 0 }
      open.set(key, pack)
      packs.push(pack)
    }
    const from = pack.bytes
    for (const text of [request, response])
      if (text !== null) {
        pack.texts.push(text)
        pack.bytes += text.length
      }
    return {
      bodies_id: pack.id,
      bodies_from: from,
      request_bytes: request?.length ?? null,
      response_bytes: response?.length ?? null,
    }
  })
  const rows = await Promise.all(
    packs.map(async ({ project_id, id, texts }) => ({ project_id, id, data: await compress(Buffer.concat(texts)) })),
  )
  return { places, rows }
}

const noPlace: BodiesPlace = { bodies_id: null, bodies_from: null, request_bytes: null, response_bytes: null }

const bytesOf = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text))

/** The fastest level: the others take twice the time and more for a tenth of the size. */
export const compress = (bytes: Buffer): Promise<Buffer> => deflate(bytes, { level: 1 })

/** Two bodies of 64 KiB may follow bodies of as many, and one that was a form may take six times that as JSON, of which nobody sends much. */
export const decompress = (data: Uint8Array): Promise<Buffer> => inflate(data, { maxOutputLength: 16 * packBytes })

/** The texts of an entry, out of the inflated bytes. */
export function unpackBodies(
  bytes: Buffer,
  { bodies_from, request_bytes, response_bytes }: BodiesPlace,
): Pick<AuditLogRow, 'request_body' | 'response_body'> {
  const from = bodies_from ?? 0
  const middle = from + (request_bytes ?? 0)
  return {
    request_body: request_bytes === null ? null : bytes.toString('utf8', from, middle),
    response_body: response_bytes === null ? null : bytes.toString('utf8', middle, middle + response_bytes),
  }
}
