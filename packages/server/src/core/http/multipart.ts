import { Type } from 'typebox'
import { limits } from '../lib/limits.ts'

/** A part of a multipart body that is read as raw bytes. */
export const Binary = (options: { description?: string; examples?: string[] } = {}) =>
  // JSON Schema has no type for bytes; the OpenAPI document calls it a string, as is usual.
  Type.Unsafe<Buffer>({ format: 'binary', ...options })

/**
 * The parts of a `multipart/form-data` body (RFC 7578) by name; of repeated names the last. Null when malformed. The buffers
 * are views into the body.
 */
export function readMultipart(body: Buffer, contentType: string): Map<string, Buffer> | null {
  const boundary = boundaryIn(contentType)
  if (boundary === null) return null
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const parts = new Map<string, Buffer>()
  let at = afterFirst(body, delimiter)
  for (let count = 0; at !== null && count <= limits.multipart_parts_max; count += 1) {
    if (body.subarray(at, at + 2).toString('latin1') === '--') return parts
    const headAt = afterLine(body, at)
    const headEnd = headAt === null ? -1 : body.indexOf('\r\n\r\n', headAt - 2, 'latin1')
    if (headAt === null || headEnd < 0 || headEnd - headAt > limits.multipart_head_bytes_max) return null
    const name = nameIn(body.subarray(headAt, headEnd).toString('utf8'))
    const contentAt = headEnd + 4
    // In an empty part, the line break that ends the head also begins the delimiter.
    const contentEnd = body.indexOf(delimiter, headEnd + 2)
    if (name === null || contentEnd < 0) return null
    parts.set(name, body.subarray(contentAt, contentEnd))
    at = contentEnd + delimiter.length
  }
  return null
}

/** `multipart/form-data; boundary="…"`: 1 to 70 characters, with or without quotation marks. */
function boundaryIn(contentType: string): string | null {
  const found = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i.exec(contentType)
  return found?.[1] ?? found?.[2] ?? null
}

/** The position after the first delimiter; the preamble before it is ignored. */
function afterFirst(body: Buffer, delimiter: Buffer): number | null {
  const first = delimiter.subarray(2)
  if (body.subarray(0, first.length).equals(first)) return first.length
  const at = body.indexOf(delimiter)
  return at < 0 ? null : at + delimiter.length
}

/** The position after the line break of a delimiter; blanks may precede it. */
function afterLine(body: Buffer, at: number): number | null {
  let end = at
  while (body[end] === 0x20 || body[end] === 0x09) end += 1
  return body[end] === 0x0d && body[end + 1] === 0x0a ? end + 2 : null
}

/** The name of a part, from the lines of its head. */
function nameIn(head: string): string | null {
  for (const line of head.split('\r\n')) {
    const disposition = /^content-disposition:\s*form-data\s*;(.*)$/i.exec(line)?.[1]
    if (disposition === undefined) continue
    const found = /(?:^|;)\s*name=(?:"([^"]*)"|([^\s";]+))/i.exec(disposition)
    const name = found?.[1] ?? found?.[2]
    // Browsers escape these three characters (HTML, "multipart/form-data encoding algorithm").
    return name === undefined ? null : name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')
  }
  return null
}
