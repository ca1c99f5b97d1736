import assert from 'node:assert/strict'
import { crc32, inflateSync } from 'node:zlib'
import {
  BinaryBitmap,
  Code128Reader,
  DecodeHintType,
  GlobalHistogramBinarizer,
  QRCodeReader,
  ReedSolomonDecoder,
  ResultMetadataType,
  RGBLuminanceSource,
} from '@zxing/library'

/** A black-and-white image. */
export interface Picture {
  width: number
  height: number
  isDark(x: number, y: number): boolean
}

/** Reads a PNG of one bit per pixel, accepting only the form that we write. */
export function readPng(bytes: Buffer): Picture {
  assert.equal(bytes.toString('latin1', 0, 8), '\x89PNG\r\n\x1a\n')
  const chunks: Array<[type: string, data: Buffer]> = []
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const [body, checksum] = [bytes.subarray(at + 4, at + 8 + length), bytes.readUInt32BE(at + 8 + length)]
    assert.equal(crc32(body), checksum)
    chunks.push([body.toString('latin1', 0, 4), body.subarray(4)])
    at += 12 + length
  }
  assert.deepEqual(
    chunks.map(([type]) => type),
    ['IHDR', 'IDAT', 'IEND'],
  )
  const [header, packed] = chunks.map(([, data]) => data) as [Buffer, Buffer]
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  assert.deepEqual([...header.subarray(8)], [1, 0, 0, 0, 0], 'one bit of grey, not interlaced')
  const bytesPerLine = Math.ceil(width / 8)
  const lines = inflateSync(packed)
  assert.equal(lines.length, height * (1 + bytesPerLine))
  for (let y = 0; y < height; y += 1) unfilter(lines, y, 1 + bytesPerLine)
  return {
    width,
    height,
    isDark: (x, y) => ((lines[y * (1 + bytesPerLine) + 1 + (x >> 3)] as number) & (128 >> (x & 7))) === 0,
  }
}

function unfilter(lines: Buffer, y: number, length: number): void {
  const filter = lines[y * length]
  assert(filter === 0 || filter === 2, `unexpected PNG filter: ${filter}`)
  if (filter === 0 || y === 0) return
  for (let at = y * length + 1; at < (y + 1) * length; at += 1)
    lines[at] = ((lines[at] as number) + (lines[at - length] as number)) & 255
}

/** Reads an SVG with a white background and black rectangles of the form `M1 2h3v4H1z`. */
export function readSvg(text: string): Picture {
  const found =
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="(\d+)" height="(\d+)" viewBox="0 0 \1 \2"[^>]*>/.exec(text)
  assert(found)
  const [width, height] = [Number(found[1]), Number(found[2])]
  const dark = new Uint8Array(width * height)
  const bars = / d="((?:M\d+ \d+h\d+v\d+H\d+z)+)"\/><\/svg>\n$/.exec(text)?.[1] ?? ''
  for (const bar of bars.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)H(\d+)z/g)) {
    const [x, y, w, h, back] = bar.slice(1).map(Number) as [number, number, number, number, number]
    assert(x === back && x + w <= width && y + h <= height)
    for (let line = y; line < y + h; line += 1) dark.fill(1, line * width + x, line * width + x + w)
  }
  return { width, height, isDark: (x, y) => dark[y * width + x] === 1 }
}

/** The modules of an image: blocks of pixels, which must all have the same colour. */
export function modulesOf({ width, height, isDark }: Picture, pixels: { width: number; height: number }): boolean[][] {
  assert(width % pixels.width === 0 && height % pixels.height === 0)
  const modules = Array.from({ length: height / pixels.height }, (_, row) =>
    Array.from({ length: width / pixels.width }, (_, column) => isDark(column * pixels.width, row * pixels.height)),
  )
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      if (isDark(x, y) !== modules[Math.floor(y / pixels.height)]?.[Math.floor(x / pixels.width)])
        assert.fail(`pixel ${x}, ${y} differs from its module`)
  return modules
}

/** The quiet zone is light and exactly this wide. */
export function assertQuietZone(modules: boolean[][], { x, y }: { x: number; y: number }): void {
  const inner = modules.slice(y, modules.length - y).map((row) => row.slice(x, row.length - x))
  const count = (rows: boolean[][]) => rows.flat().filter(Boolean).length
  assert.equal(count(inner), count(modules), 'the quiet zone is light')
  assert(inner[0]?.[0] === true && inner[0].at(-1) === true, 'the quiet zone ends where the symbol begins')
}

/** Reads a row of modules, with its quiet zones, as Code 128. */
export function scanBarcode(modules: boolean[]): string {
  // The library allows for bars of inexact width. Every symbol is 11 modules wide, the last 13.
  assert.equal(modules.slice(modules.indexOf(true), modules.lastIndexOf(true) + 1).length % 11, 2)
  return new Code128Reader().decode(bitmapOf([modules])).getText()
}

/** Reads the modules of a QR code, with its quiet zone. */
export function scanQr(modules: boolean[][]): { text: string; level: string } {
  const found = new QRCodeReader().decode(bitmapOf(modules), new Map([[DecodeHintType.PURE_BARCODE, true]]))
  return {
    text: found.getText(),
    level: String(found.getResultMetadata().get(ResultMetadataType.ERROR_CORRECTION_LEVEL)),
  }
}

/** One pixel per module. */
function bitmapOf(modules: boolean[][]): BinaryBitmap {
  const pixels = Uint8ClampedArray.from(modules.flat(), (isDark) => (isDark ? 0 : 255))
  const source = new RGBLuminanceSource(pixels, modules[0]?.length ?? 0, modules.length)
  return new BinaryBitmap(new GlobalHistogramBinarizer(source))
}

// A QR code is read although some modules are wrong. None of ours may be.
const { decode } = ReedSolomonDecoder.prototype
ReedSolomonDecoder.prototype.decode = function (received, corrections) {
  const drawn = received.slice()
  decode.call(this, received, corrections)
  assert.deepEqual(received, drawn, 'a module is wrong')
}
