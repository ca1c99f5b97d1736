import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../../core/lib/limits.ts'
import { readLines } from '../read-lines.ts'
import { type Foreign, isForeign } from './foreign.ts'

/** How far a list was read: only what a checkpoint counts is valid, whatever follows it in the file. */
export interface ListCheckpoint {
  bytes: number
  rows: number
  is_done: boolean
  /** Where its walk goes on; each walk has its own. */
  cursor: Foreign
  /** Rows that the account has and no request reaches. */
  unreachable: number
  /** Of a list per parent: how many of its parents have none. */
  missing: number
}

export interface DownloadState {
  base: string
  app_id: string
  /** The copy has what was created before. */
  started_at: string
  lists: Record<string, ListCheckpoint>
  /** Lists that were not read, or not to their end, with the reason. */
  refused: Record<string, string>
}

/** A copy of an account: a file of JSON lines for each list, and how far each was read. */
export interface AccountFolder {
  path: string
  readState<T extends object>(name: 'download' | 'write'): Promise<T | null>
  /** Replaces a state as a whole: a crash leaves the old one or the new one. */
  saveState(name: 'download' | 'write', state: object): Promise<void>
  /** Appends rows after the first `bytes` of a list and returns its length; drops what a crash left behind them. */
  append(list: string, bytes: number, rows: readonly object[]): Promise<number>
  /** The rows of a list from a byte on, in batches with the byte after them. */
  batches(
    list: string,
    checkpoint: { from: number; to: number },
    size: number,
  ): AsyncGenerator<{ rows: Foreign[]; oversized: number; next: number }>
}

export async function openFolder(path: string): Promise<AccountFolder> {
  // The copy contains customers and codes.
  await mkdir(path, { recursive: true, mode: 0o700 })
  const fileOf = (list: string) => join(path, `${list}.jsonl`)
  return {
    path,
    async readState(name) {
      const file = join(path, `${name}.json`)
      return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : null
    },
    async saveState(name, state) {
      const file = join(path, `${name}.json`)
      const next = await open(`${file}.next`, 'w', 0o600)
      try {
        await writeAll(next, Buffer.from(JSON.stringify(state, null, 1)), 0)
        await next.datasync()
      } catch (error) {
        throw notWritten(path, error)
      } finally {
        await next.close()
      }
      await rename(`${file}.next`, file)
    },
    async append(list, bytes, rows) {
      const file = await open(fileOf(list), existsSync(fileOf(list)) ? 'r+' : 'w', 0o600)
      try {
        await file.truncate(bytes)
        const lines = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
        await writeAll(file, lines, bytes)
        await file.datasync()
        return bytes + lines.length
      } catch (error) {
        throw notWritten(path, error)
      } finally {
        await file.close()
      }
    },
    async *batches(list, { from, to }, size) {
      if (from >= to) return
      let [rows, oversized, next]: [Foreign[], number, number] = [[], 0, from]
      for await (const line of readLines(createReadStream(fileOf(list), { start: from, end: to - 1 }))) {
        next += line.length + 1
        const row: unknown = line.length > limits.account_row_bytes_max ? null : JSON.parse(line.toString())
        if (isForeign(row)) rows.push(row)
        else oversized += 1
        if (rows.length + oversized < size) continue
        yield { rows, oversized, next }
        rows = []
        oversized = 0
      }
      if (rows.length + oversized > 0) yield { rows, oversized, next }
    },
  }
}

/** A disk that becomes full takes a part of the bytes without an error: only the next write is refused. */
async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    if (bytesWritten === 0) throw new Error('the disk took no more bytes')
    done += bytesWritten
  }
}

const fullDisk = ['ENOSPC', 'EDQUOT', 'EFBIG']

function notWritten(path: string, error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException
  const remedy = fullDisk.includes(code)
    ? 'There is no more room for it: make room and run the same command again, which goes on from its last checkpoint.'
    : 'The same command goes on from its last checkpoint.'
  return new Error(`The folder ${path} could not be written: ${message}. ${remedy}`, { cause: error })
}
