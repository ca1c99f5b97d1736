import { isAscii } from 'node:buffer'
import { parse as parseJson } from 'secure-json-parse'
import { limits } from '../lib/limits.ts'
import { newTimeSlice } from '../lib/time-slice.ts'
import { invalidPayload, MalformedJson } from './errors.ts'

/** What a JSON body may hold; checked before it is parsed. */
export interface JsonBounds {
  /** Values at any depth: of the whole body, or, where `element_bytes_max` is set, of each element of an array. */
  values_max: number
  /** Elements of a body that is an array. */
  elements_max: number
  /** The size of each element of a body that is an array; null: not limited by itself. */
  element_bytes_max: number | null
}

/**
 * Reads a JSON body. One pass over the bytes counts values, elements and levels, so that a body of millions of tiny values is
 * refused before any of them costs memory. A large array is parsed element by element in slices. Refuses property names that
 * could reach a prototype (`__proto__`) as malformed JSON.
 */
export function readJson(bytes: Buffer, bounds: JsonBounds): unknown {
  const scan = newScan(bytes, bounds)
  if (bytes.length > atOnceBytes) return readInSlices(bytes, scan)
  scan.advance(bytes.length)
  return parsed(bytes, scan.isSuspect())
}

/** Bytes that are scanned, or parsed, without a pause: some 3 ms. */
const atOnceBytes = 262_144
/** Values that are parsed without a pause: some 10 ms. */
const atOnceValues = 20_000

async function readInSlices(bytes: Buffer, scan: Scan): Promise<unknown> {
  const slice = newTimeSlice()
  for (let end = atOnceBytes; ; end += atOnceBytes) {
    scan.advance(Math.min(end, bytes.length))
    if (end >= bytes.length) break
    await slice.pause()
  }
  const pieces = scan.pieces()
  if (pieces === null) return parsed(bytes, scan.isSuspect())
  const elements: unknown[] = []
  for (const { from, to } of pieces) {
    const text = bytes.subarray(from, to)
    const list = parsed(Buffer.concat([openBracket, text, closeBracket]), scan.isSuspect()) as unknown[]
    if (list.length === 0 && pieces.length > 1) throw new MalformedJson() // nothing between two commas
    for (const element of list) elements.push(element)
    if (slice.isOver()) await slice.pause()
  }
  return elements
}

const [openBracket, closeBracket] = [Buffer.from('['), Buffer.from(']')]

function parsed(bytes: Buffer, isSuspect: boolean): unknown {
  let value: unknown
  try {
    // Most bodies are ASCII, which needs no decoder.
    const text = isAscii(bytes) ? bytes.toString('latin1') : utf8.decode(bytes)
    value = mayReachPrototype(text) ? parseJson(text) : JSON.parse(text)
  } catch {
    throw new MalformedJson()
  }
  return isSuspect ? storable(value) : value
}

/** Whether a property may be named `__proto__` or `constructor`, plainly or with escapes: only then `parseJson` need look for it. */
const mayReachPrototype = (text: string): boolean =>
  text.includes('\\') || text.includes('__proto__') || text.includes('constructor')

export const utf8 = new TextDecoder('utf-8', { fatal: true })

interface Scan {
  /** Reads on, up to a position. */
  advance(until: number): void
  /**
   * Whether the text may hold something that the database cannot store. U+0000 and lone surrogates appear in valid JSON only as
   * escapes, and only a long number overflows to Infinity: other bodies need not be traversed.
   */
  isSuspect(): boolean
  /** The elements of a large array, some of them in each piece; null if the body is no array. */
  pieces(): Array<{ from: number; to: number }> | null
}

function newScan(bytes: Buffer, { values_max, elements_max, element_bytes_max }: JsonBounds): Scan {
  let at = 0
  let depth = 0
  let isText = false
  let digits = 0
  let isSuspect = false
  let values = 0
  let elements = 1
  let elementAt = 0
  const cuts: number[] = []
  let valuesInPiece = 0
  let end = -1

  function count(): void {
    values += 1
    valuesInPiece += 1
    if (values > values_max) throw invalidPayload(`Payload has more than ${values_max} values`)
  }

  /** A comma between two elements of the outermost array or object. */
  function separate(): void {
    elements += 1
    if (bytes[start] !== openArray) return
    if (elements > elements_max) throw invalidPayload(`Payload must NOT have more than ${elements_max} items`)
    checkElement(elements - 2)
    const pieceAt = (cuts.at(-1) ?? start) + 1
    if (at - pieceAt < atOnceBytes && valuesInPiece < atOnceValues) return
    cuts.push(at)
    valuesInPiece = 0
  }

  function checkElement(index: number): void {
    if (element_bytes_max === null) return
    if (at - elementAt > element_bytes_max)
      throw invalidPayload(`Property [${index}] must NOT be longer than ${element_bytes_max} bytes`)
    elementAt = at
    values = 0
  }

  const start = firstByte(bytes)
  return {
    advance(until) {
      for (; at < until; at += 1) {
        const byte = bytes[at] as number
        if (isText) {
          if (byte === 0x5c) {
            isSuspect ||= isUnstorableEscape(bytes, at)
            at += 1 // skip the escaped character
          } else if (byte === 0x22) isText = false
        } else if (byte >= 0x30 && byte <= 0x39) {
          digits += 1
          if (digits > digitsMax) isSuspect = true
        } else {
          if (digits > 0 && (byte | 0x20) === 0x65)
            isSuspect ||= digits > digitsWithExponentMax || isLargeExponent(bytes, at)
          if (byte !== 0x2e) digits = 0
          if (byte === 0x22) isText = true
          else if (byte === 0x2c) {
            count()
            if (depth === 1) separate()
          } else if (byte === openArray || byte === 0x7b) {
            count()
            depth += 1
            if (depth > limits.body_nesting_max)
              throw invalidPayload(`Payload is nested deeper than ${limits.body_nesting_max} levels`)
          } else if (byte === closeArray || byte === 0x7d) {
            depth -= 1
            if (depth === 0 && end < 0) {
              end = at
              if (bytes[start] === openArray) checkElement(elements - 1)
            }
          }
        }
      }
    },
    isSuspect: () => isSuspect,
    pieces() {
      if (bytes[start] !== openArray) return null
      // Anything after the closing bracket, or none at all, is malformed; the parser says so when it gets the whole.
      if (end < 0 || bytes[end] !== closeArray || firstByte(bytes, end + 1) < bytes.length) return null
      const bounds = [start, ...cuts, end]
      return bounds.slice(1).map((to, index) => ({ from: (bounds[index] as number) + 1, to }))
    },
  }
}

const openArray = 0x5b
const closeArray = 0x5d
/** A number of more digits may overflow to Infinity. */
const digitsMax = 308
/** With an exponent of up to two digits, one of more digits may. */
const digitsWithExponentMax = digitsMax - 99

/** The first byte after white space and a byte order mark. */
function firstByte(bytes: Buffer, from = 0): number {
  let at = from
  if (at === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1
  return at
}

/** `\u0000`, or half of a surrogate pair, which may have its other half. */
function isUnstorableEscape(bytes: Buffer, at: number): boolean {
  if (bytes[at + 1] !== 0x75) return false
  const code = bytes.toString('latin1', at + 2, at + 6).toLowerCase()
  return code === '0000' || (code[0] === 'd' && code[1] !== undefined && code[1] >= '8')
}

/** An exponent of three digits or more. */
function isLargeExponent(bytes: Buffer, at: number): boolean {
  const from = bytes[at + 1] === 0x2b ? at + 2 : at + 1
  return [from, from + 1, from + 2].every((place) => {
    const byte = bytes[place] ?? 0
    return byte >= 0x30 && byte <= 0x39
  })
}

/** Returns the value; throws 400 if it contains text or numbers that the database cannot store. */
export function storable<T>(value: T): T {
  if (!isStorable(value))
    throw invalidPayload(
      'Payload contains text with the character U+0000 or half of a surrogate pair, or a number too large for a double',
    )
  return value
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  for (const name of Object.keys(value))
    if (!isStorable(name) || !isStorable((value as Record<string, unknown>)[name])) return false
  return true
}
