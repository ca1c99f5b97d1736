import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import type { PipelineOptions, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

interface WriteOptions {
  to: string | Writable
  gzip: boolean
  signal?: AbortSignal | undefined
}

/** Writes text to a stream, or to a file that appears under its name only when it is complete and on the disk. */
export async function writeText(
  text: AsyncIterable<string>,
  { to, gzip, signal = new AbortController().signal }: WriteOptions,
): Promise<void> {
  if (typeof to !== 'string') return pipe(text, gzip, to, { end: false, signal })
  await expectFile(to)
  const partial = `${to}.partial`
  try {
    // The file contains customer data and secrets: only its owner may read it.
    // A new one: what somebody else has put under this name would keep its owner, its mode, or lead elsewhere.
    await rm(partial, { force: true })
    await pipe(text, gzip, createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }), { signal })
    await rename(partial, to)
  } catch (error) {
    await rm(partial, { force: true })
    throw signal.aborted ? signal.reason : error
  }
}

/** The file takes the place of what has its name: that must not be a device, a pipe, a folder, or a link that somebody relies on. */
async function expectFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found !== null && !found.isFile())
    throw new Error(`${path} exists and is no ordinary file: name another one, or write to standard output.`)
}

async function pipe(text: AsyncIterable<string>, gzip: boolean, to: Writable, options: PipelineOptions): Promise<void> {
  if (gzip) await pipeline(text, createGzip(), to, options)
  else await pipeline(text, to, options)
}

/** The bytes of a file or a stream, decompressed if they are gzip. */
export function readBytes(from: string | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return decompressed(typeof from === 'string' ? contentOf(from) : from)
}

/** Opened by its first reader: before, nobody would hear that there is no such file, and the error would end the process. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path)
}

async function* decompressed(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = stream[Symbol.asyncIterator]()
  const first = await readStart(iterator, gzipStart.length)
  const whole = joined(first, iterator)
  if (first.subarray(0, gzipStart.length).equals(gzipStart)) {
    const gunzip = createGunzip()
    // `pipeline` reports a failure of either end through the stream that is read here.
    pipeline(whole, gunzip).catch(() => {})
    try {
      yield* gunzip
    } catch (error) {
      const isCut = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
      throw isCut ? new Error('The file is incomplete: its compressed data ends early.') : error
    }
  } else yield* whole
}

const gzipStart = Buffer.from([0x1f, 0x8b])

/** At least so many bytes, or all: a pipe may bring the first of them alone. */
async function readStart(iterator: AsyncIterator<Uint8Array>, bytes: number): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < bytes) {
    const next = await iterator.next()
    if (next.done === true) break
    start = Buffer.concat([start, next.value])
  }
  return start
}

async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* { [Symbol.asyncIterator]: () => rest }
}
