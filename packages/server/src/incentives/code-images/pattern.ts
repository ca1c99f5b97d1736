import assert from 'node:assert/strict'
import bwip from 'bwip-js/generic'
import { limits } from '../../core/lib/limits.ts'

/** Rows of modules, 1 for dark and 0 for light, as a scanner wants to see them: with the quiet zone around. */
export type Pattern = readonly Uint8Array[]

/** What a module measures in a picture. */
export interface ModulePixels {
  width: number
  height: number
}

/**
 * Any code has one: 255 characters of four bytes fill less than half of what QR can hold. To find the best mask takes
 * milliseconds, and a picture on a busy page is asked for again and again: the latest are remembered.
 */
export function qrPattern(code: string): Pattern {
  const pattern = latest.get(code) ?? drawQr(code)
  latest.delete(code)
  latest.set(code, pattern)
  if (latest.size > limits.qr_patterns_remembered_max) latest.delete(latest.keys().next().value as string)
  return pattern
}

/** The latest used last. */
const latest = new Map<string, Pattern>()

function drawQr(code: string): Pattern {
  const [symbol] = bwip.raw({
    bcid: 'qrcode',
    text: code,
    eclevel: 'M',
    fixedeclevel: true, // and no better where there happens to be room
    // Pairs of UTF-8 bytes that look like Shift JIS would be written, and then read, as Japanese.
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

/** One row of bars, without text; null for what Code 128 cannot say. Its quiet zone is at both ends only. */
export function barcodePattern(code: string): Pattern | null {
  if (!/^\p{ASCII}+$/u.test(code)) return null
  const [symbol] = bwip.raw({ bcid: 'code128', text: code })
  assert(symbol !== undefined && 'sbs' in symbol)
  // Widths of bars and spaces in turn, a bar first and last.
  const widths = [barcodeQuiet, ...symbol.sbs, barcodeQuiet]
  return [Uint8Array.from(widths.flatMap((width, index) => Array<number>(width).fill(index % 2)))]
}

/** In modules (docs/reference/code-images.md). */
const qrQuiet = 4
const barcodeQuiet = 10
