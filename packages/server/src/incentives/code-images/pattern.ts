import assert from 'node:assert/strict'
import bwip from 'bwip-js/generic'
import { limits } from '../../core/lib/limits.ts'

/** Rows of modules, 1 for dark and 0 for light, including the quiet zone that scanners need. */
export type Pattern = readonly Uint8Array[]

/** The size of a module in pixels. */
export interface ModulePixels {
  width: number
  height: number
}

/**
 * Null for a code that would take long to draw. Choosing the best mask takes milliseconds, and a busy page requests the same image
 * repeatedly, so the most recently used patterns are cached.
 */
export function qrPattern(code: string): Pattern | null {
  if (Buffer.byteLength(code) > limits.qr_code_bytes_max) return null
  const pattern = cache.get(code) ?? drawQr(code)
  cache.delete(code)
  cache.set(code, pattern)
  if (cache.size > limits.qr_patterns_remembered_max) cache.delete(cache.keys().next().value as string)
  return pattern
}

/** LRU cache: the most recently used pattern is the last entry. */
const cache = new Map<string, Pattern>()

function drawQr(code: string): Pattern {
  const [symbol] = bwip.raw({
    bcid: 'qrcode',
    text: code,
    eclevel: 'M',
    fixedeclevel: true, // no higher level, even if the symbol has room for it
    // Without this, pairs of UTF-8 bytes that look like Shift JIS are encoded, and then read, as Japanese.
    suppresskanjimode: true,
  } as Parameters<typeof bwip.raw>[0])
  assert(symbol !== undefined && 'pixs' in symbol)
  const { pixs, pixx } = symbol
  const width = pixx + 2 * qrQuiet
  const quiet = Array.from({ length: qrQuiet }, () => new Uint8Array(width))
  const rows = Array.from({ length: pixs.length / pixx }, (_, y) => {
    const row = new Uint8Array(width)
    row.set(pixs.slice(y * pixx, (y + 1) * pixx), qrQuiet)
    return row
  })
  return [...quiet, ...rows, ...quiet]
}

/** One row of bars, without text; null for a code that Code 128 cannot encode. The quiet zone is at both ends only. */
export function barcodePattern(code: string): Pattern | null {
  if (!/^\p{ASCII}+$/u.test(code)) return null
  const [symbol] = bwip.raw({ bcid: 'code128', text: code })
  assert(symbol !== undefined && 'sbs' in symbol)
  // Widths of alternating bars and spaces, beginning and ending with a bar.
  const widths = [barcodeQuiet, ...symbol.sbs, barcodeQuiet]
  return [Uint8Array.from(widths.flatMap((width, index) => Array<number>(width).fill(index % 2)))]
}

/** In modules (docs/reference/code-images.md). */
const qrQuiet = 4
const barcodeQuiet = 10
