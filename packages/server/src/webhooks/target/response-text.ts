import { isUtf8 } from 'node:buffer'

/**
 * What is kept of a response: valid UTF-8 without U+0000, which PostgreSQL does not store, and at most `bytes_max` bytes. Invalid bytes
 * become U+FFFD, which is longer than what it replaces; so the text is cut again. Null if nothing was read.
 */
export function responseText(chunks: readonly Buffer[], bytesMax: number): string | null {
  const bytes = Buffer.concat(chunks)
  if (bytes.length === 0) return null
  if (bytes.length <= bytesMax && isUtf8(bytes) && !bytes.includes(0)) return bytes.toString()
  const text = decodeWhole(bytes).replaceAll('\0', '\uFFFD')
  const encoded = Buffer.from(text)
  return encoded.length <= bytesMax ? text : decodeWhole(encoded.subarray(0, bytesMax))
}

/** Leaves out a character that is cut at the end. */
const decodeWhole = (bytes: Buffer): string => new TextDecoder('utf-8').decode(bytes, { stream: true })
