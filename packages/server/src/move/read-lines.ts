import { limits } from '../core/lib/limits.ts'

const lineFeed = 0x0a

/**
 * The lines of a stream without their line feeds, with bounded memory. A last line without one is a line too. By bytes: `readline`
 * also splits at U+2028, which JSON may contain.
 */
export async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let length = 0
  const take = (piece: Buffer) => {
    length += piece.length
    if (length > limits.moved_line_bytes_max)
      throw new Error(`A line is longer than ${limits.moved_line_bytes_max} bytes.`)
    pieces.push(piece)
  }
  const whole = () => {
    const line = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    pieces = []
    length = 0
    return line
  }
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      take(bytes.subarray(start, end))
      yield whole()
      start = end + 1
    }
    if (start < bytes.length) take(bytes.subarray(start))
  }
  if (length > 0) yield whole()
}
