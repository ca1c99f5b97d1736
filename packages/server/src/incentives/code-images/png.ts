import { crc32, createDeflate } from 'node:zlib'
import type { ModulePixels, Pattern } from './pattern.ts'

/**
 * A black and white PNG with one bit per pixel. zlib compresses it row by row off the main thread, so that even the
 * largest image of 53 million pixels takes little memory and blocks no other request.
 */
export async function pngOf(pattern: Pattern, { width, height }: ModulePixels): Promise<Buffer> {
  const columns = (pattern[0] as Uint8Array).length
  const header = Buffer.alloc(13)
  header.writeUInt32BE(columns * width, 0)
  header.writeUInt32BE(pattern.length * height, 4)
  header[8] = 1 // bits per pixel
  const deflate = createDeflate()
  const compressedChunks = deflate.toArray() as Promise<Buffer[]>
  for (const row of pattern) {
    if (!deflate.write(scanlines(row, { width, height })))
      await new Promise((resolve) => deflate.once('drain', resolve))
  }
  deflate.end()
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', Buffer.concat(await compressedChunks)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Expands a row of modules to rows of pixels: the first in full, each other as a repetition of it. */
function scanlines(row: Uint8Array, { width, height }: ModulePixels): Buffer {
  const length = 1 + Math.ceil((row.length * width) / 8)
  const lines = Buffer.alloc(length * height)
  for (let x = 0; x < row.length * width; x += 1) {
    const isLight = row[Math.floor(x / width)] === 0
    if (isLight) lines[1 + (x >> 3)]! |= 128 >> (x & 7)
  }
  for (let line = 1; line < height; line += 1) lines[line * length] = sameAsAbove
  return lines
}

/** The PNG filter "Up": the data is the difference to the line above, here zero. */
const sameAsAbove = 2

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
