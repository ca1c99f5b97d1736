import { limits } from '../core/lib/limits.ts'

const lineFeed = 0x0a

/**
 * The lines of a stream without their line feeds, with bounded memory. A last line without one is a line too. By bytes: `readline`
 * also splits at U+2028, which JSON may contain.
 */
export async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const line of readLinesAndGaps(stream)) {
    if (line === null) throw new Error(`A line is longer than ${limits.moved_line_bytes_max} bytes.`)
    yield line
  }
}

/** The same, with null in the place of a line that is too long: as soon as it is, for what follows may be endless. */
export async function* readLinesAndGaps(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer | null> {
  let pieces: Buffer[] = []
  let length = 0
  /** Returns whether the line has just become too long. */
  const take = (piece: Buffer): boolean => {
    const wasTooLong = length > limits.moved_line_bytes_max
    length += piece.length
    if (length <= limits.moved_line_bytes_max) {
      pieces.push(piece)
      return false
    }
    pieces = []
    return !wasTooLong
  }
  const whole = () => (pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces))
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      if (take(bytes.subarray(start, end))) yield null
      else if (length <= limits.moved_line_bytes_max) yield whole()
      pieces = []
      length = 0
      start = end + 1
    }
    if (start < bytes.length && take(bytes.subarray(start))) yield null
  }
  if (length > 0 && length <= limits.moved_line_bytes_max) yield whole()
}
