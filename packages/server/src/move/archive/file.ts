import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { readLines } from '../read-lines.ts'

/** The version of the format: docs/operate/growth.md#the-file. */
const formatVersion = 1

/** The first line of a file. */
const ArchiveHeader = Type.Object({
  guerdon_archive: Type.Literal(formatVersion),
  of: Type.Union([Type.Literal('events'), Type.Literal('audit-log')]),
  /** Null: unbounded, or not known any more. */
  from: Type.Union([Type.String(), Type.Null()]),
  to: Type.Union([Type.String(), Type.Null()]),
  /** Null: of all projects. */
  project_id: Type.Union([Type.String(), Type.Null()]),
  release: Type.String(),
})
export type ArchiveHeader = Static<typeof ArchiveHeader>

/** The last line. */
const ArchiveEnd = Type.Object({
  end: Type.Literal(true),
  rows: Type.Integer({ minimum: 0 }),
  /** Of the rows in the database: whether they have changed since. */
  fingerprint: Type.String(),
  /** Of all lines before, with their line feeds. */
  sha256: Type.String(),
})
export type ArchiveEnd = Static<typeof ArchiveEnd>

export const newHeader = (header: Omit<ArchiveHeader, 'guerdon_archive'>): ArchiveHeader => ({
  guerdon_archive: formatVersion,
  ...header,
})

/**
 * Writes a file that only its owner can read, and reads it again: under its name it appears complete and verified, or not at all.
 */
export async function writeArchive(
  path: string,
  header: ArchiveHeader,
  rows: AsyncIterable<string[]>,
  fingerprint: string,
  signal: AbortSignal,
): Promise<ArchiveEnd> {
  const partial = `${path}.partial`
  const hash = createHash('sha256')
  let end: ArchiveEnd | undefined
  async function* text() {
    const first = `${JSON.stringify(header)}\n`
    hash.update(first)
    yield first
    let count = 0
    for await (const batch of rows) {
      const lines = batch.map((row) => `${row}\n`).join('')
      hash.update(lines)
      count += batch.length
      yield lines
    }
    end = { end: true, rows: count, fingerprint, sha256: hash.digest('hex') }
    yield `${JSON.stringify(end)}\n`
  }
  try {
    await pipeline(
      Readable.from(text()),
      createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 6 } }),
      createWriteStream(partial, { mode: 0o600, flush: true }),
      { signal },
    )
    const found = await verifyArchive(partial, signal)
    if (found.end.sha256 !== end?.sha256) throw new Error(`What was written to ${partial} is not what was read back.`)
    await rename(partial, path)
    await syncFolder(path)
    return found.end
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** So that a power cut does not take the name of the file away. Windows cannot do that for a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => null)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

export interface OpenedArchive {
  header: ArchiveHeader
  /** The rows as JSON texts, without the first line. Throws at the end if the file is damaged. */
  rows: AsyncGenerator<string, ArchiveEnd>
}

export async function openArchive(path: string, signal?: AbortSignal): Promise<OpenedArchive> {
  const lines = readLines(decompressed(path, signal))
  const hash = createHash('sha256')
  const damaged = (why: string) => new Error(`${path} is damaged: ${why}.`)
  const first = await lines.next()
  const header = first.done === true ? null : readAs(ArchiveHeader, first.value.toString())
  if (first.done === true || header === null)
    throw new Error(`${path} is not a file of guerdon archive: its first line is not a header.`)
  hash.update(first.value).update('\n')
  async function* rows(): AsyncGenerator<string, ArchiveEnd> {
    let count = 0
    for await (const line of lines) {
      const text = line.toString()
      const end = text.startsWith('{"end":true,') ? readAs(ArchiveEnd, text) : null
      if (end === null) {
        hash.update(line).update('\n')
        count += 1
        yield text
        continue
      }
      if ((await lines.next()).done !== true) throw damaged('it goes on after its last line')
      if (end.rows !== count) throw damaged(`it has ${count} rows, and its last line says ${end.rows}`)
      if (end.sha256 !== hash.digest('hex')) throw damaged('its lines are not those that were written (SHA-256)')
      return end
    }
    throw damaged('it ends without its last line')
  }
  return { header, rows: rows() }
}

async function* decompressed(path: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const file = createReadStream(path, signal === undefined ? {} : { signal })
  const bytes = createZstdDecompress()
  // An error of the file ends the reading of the bytes too.
  const done = pipeline(file, bytes).catch((error: Error) => bytes.destroy(error))
  yield* bytes
  await done
}

/** Reads a whole file and throws if it is damaged. */
export async function verifyArchive(
  path: string,
  signal?: AbortSignal,
): Promise<{ header: ArchiveHeader; end: ArchiveEnd }> {
  const { header, rows } = await openArchive(path, signal)
  for (;;) {
    const next = await rows.next()
    if (next.done === true) return { header, end: next.value }
  }
}

function readAs<S extends TSchema>(schema: S, line: string): Static<S> | null {
  try {
    const content: unknown = JSON.parse(line)
    return Check(schema, content) ? content : null
  } catch {
    return null
  }
}
