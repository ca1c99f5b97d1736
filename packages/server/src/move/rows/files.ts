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
  const first = await iterator.next()
  if (first.done === true) return
  const whole = joined(first.value, iterator)
  if (first.value[0] === 0x1f && first.value[1] === 0x8b) {
    const gunzip = createGunzip()
    // `pipeline` reports a failure of either end through the stream that is read here.
    pipeline(whole, gunzip).catch(() => {})
    yield* gunzip
  } else yield* whole
}

async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* { [Symbol.asyncIterator]: () => rest }
}
