import { promisify } from 'node:util'
import { constants, inflateRaw, zstdCompressSync, zstdDecompress } from 'node:zlib'
import { days } from '../../core/db/periods.ts'
import type { AuditBodiesRow, AuditLogRow } from '../../core/db/tables.ts'

const inflate = promisify(inflateRaw)
const unzstd = promisify(zstdDecompress)

/** Bytes of bodies that are compressed together. More would hardly get smaller, and to show one entry all of them are decompressed. */
const packBytes = 65_536

/** Where the bodies of an entry are. */
export type BodiesPlace = Pick<AuditLogRow, 'bodies_id' | 'bodies_from' | 'request_bytes' | 'response_bytes'>

interface WithBodies extends Pick<AuditLogRow, 'request_body' | 'response_body'> {
  head: Pick<AuditLogRow, 'project_id' | 'id'> & { at: number }
}

/** Bodies that are compressed together: of one project and day, with which they are deleted. */
interface Pack extends Pick<AuditBodiesRow, 'project_id' | 'id'> {
  texts: string[]
  bytes: number
}

/**
 * Puts the bodies of entries into few rows. Bodies resemble each other, so that together they take a third of the space; and the service
 * compresses them in less time than the database.
 */
export function packBodies(entries: readonly WithBodies[]): { places: BodiesPlace[]; rows: AuditBodiesRow[] } {
  const packs: Pack[] = []
  const open = new Map<string, Pack>()
  const places = entries.map(({ head, request_body, response_body }): BodiesPlace => {
    if (request_body === null && response_body === null) return noPlace
    const key = `${head.project_id} ${days.startOf(head.at)}`
    let pack = open.get(key)
    if (pack === undefined || pack.bytes >= packBytes) {
      pack = { project_id: head.project_id, id: head.id, texts: [], bytes: 0 }
      open.set(key, pack)
      packs.push(pack)
    }
    return {
      bodies_id: pack.id,
      bodies_from: pack.bytes,
      request_bytes: add(pack, request_body),
      response_bytes: add(pack, response_body),
    }
  })
  const rows = packs.map((pack) => ({ project_id: pack.project_id, id: pack.id, data: compress(bytesOf(pack)) }))
  return { places, rows }
}

/** Returns how many bytes the text takes. */
function add(pack: Pack, text: string | null): number | null {
  if (text === null) return null
  const bytes = Buffer.byteLength(text)
  pack.texts.push(text)
  pack.bytes += bytes
  return bytes
}

/** One buffer for all: a buffer for each text would cost more than to copy the text. */
function bytesOf({ texts, bytes }: Pack): Buffer {
  const joined = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const text of texts) at += joined.write(text, at)
  return joined
}

const noPlace: BodiesPlace = { bodies_id: null, bodies_from: null, request_bytes: null, response_bytes: null }

/** At once: 64 KiB take a tenth of a millisecond, and to hand them to another thread takes as long. Higher levels are slower and hardly smaller. */
export const compress = (bytes: Buffer): Buffer =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })

/** Two bodies of 64 KiB may follow bodies of as many, and one that was a form may take six times that as JSON, of which nobody sends much. */
const limit = { maxOutputLength: 16 * packBytes }

/** Rows written by zstd begin with its magic number, which deflated ones never do. The latter are of an earlier version. */
export const decompress = (data: Uint8Array): Promise<Buffer> =>
  magicNumber.equals(data.subarray(0, magicNumber.length)) ? unzstd(data, limit) : inflate(data, limit)

const magicNumber = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** The texts of an entry, out of the decompressed bytes. */
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
