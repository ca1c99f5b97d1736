import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readBytes } from './files.ts'

test.each([1, 2, 7])('gzip is recognised, and text stays as it is, in pieces of %i bytes', async (length) => {
  const content = Buffer.from('{"end":true}\n')
  const decompressed = async (bytes: Buffer) => {
    async function* pieces() {
      yield Buffer.alloc(0)
      for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
    }
    return (await buffer(readBytes(pieces()))).toString()
  }
  expect(await decompressed(gzipSync(content))).toBe(content.toString())
  for (const text of [content, content.subarray(0, 1), content.subarray(0, 0)])
    expect(await decompressed(text)).toBe(text.toString())
})

test('a file that does not exist fails where it is read, not before', async () => {
  const failures: unknown[] = []
  const onFailure = (error: unknown) => void failures.push(error)
  process.on('uncaughtException', onFailure)
  const bytes = readBytes(join(import.meta.dirname, 'absent.jsonl'))
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  process.off('uncaughtException', onFailure)
  expect(failures).toEqual([])
  await expect(bytes[Symbol.asyncIterator]().next()).rejects.toThrow('ENOENT')
})

test('compressed data that ends early is told as a file that is incomplete', async () => {
  const cut = gzipSync('line\n'.repeat(1_000)).subarray(0, -10)
  const read = async () => {
    for await (const _ of readBytes(Readable.from([cut])));
  }
  await expect(read()).rejects.toThrow('The file is incomplete: its compressed data ends early.')
})
