import assert from 'node:assert/strict'
import { crc32, inflateSync } from 'node:zlib'

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

/** The modules within the quiet zone, which must be light and exactly this wide. */
export function withinQuietZone(modules: boolean[][], { x, y }: { x: number; y: number }): boolean[][] {
  const inner = modules.slice(y, modules.length - y).map((row) => row.slice(x, row.length - x))
  const count = (rows: boolean[][]) => rows.flat().filter(Boolean).length
  assert.equal(count(inner), count(modules), 'the quiet zone is light')
  assert(inner[0]?.[0] === true && inner[0].at(-1) === true, 'the quiet zone ends where the symbol begins')
  return inner
}

/** Decodes a row of modules as Code 128 (ISO/IEC 15417). */
export function scanBarcode(modules: boolean[]): string {
  const widths = runsOf(modules)
  const values: number[] = []
  for (let at = 0; at + 7 < widths.length; at += 6) values.push(symbolOf(widths.slice(at, at + 6)))
  assert.equal(widths.slice(-7).join(''), '2331112', 'the stop symbol')
  const check = values.pop() as number
  assert.equal(
    values.reduce((sum, value, index) => sum + value * Math.max(1, index), 0) % 103,
    check,
    'the check symbol',
  )

  let text = ''
  let set = ({ 103: 'A', 104: 'B', 105: 'C' } as Record<number, string>)[values[0] as number]
  let shifted: string | null = null
  for (const value of values.slice(1)) {
    const now: string | undefined = shifted ?? set
    shifted = null
    if (now === 'C' && value < 100) text += String(value).padStart(2, '0')
    else if (now !== 'C' && value < 96)
      text += String.fromCharCode(now === 'A' && value >= 64 ? value - 64 : value + 32)
    else if (now !== 'C' && value === 98) shifted = now === 'A' ? 'B' : 'A'
    else if (now !== 'C' && value === 99) set = 'C'
    else if (now !== 'B' && value === 100) set = 'B'
    else if (now !== 'A' && value === 101) set = 'A'
    else assert.fail(`symbol ${value} in set ${now}`)
  }
  return text
}

function runsOf(modules: boolean[]): number[] {
  const runs: number[] = []
  modules.forEach((isDark, index) => {
    if (isDark !== modules[index - 1]) runs.push(0)
    runs[runs.length - 1]! += 1
  })
  return runs
}

function symbolOf(widths: number[]): number {
  const value = symbols.indexOf(widths.join(''))
  assert(value !== -1, `${widths} is no symbol`)
  return value
}

const symbols =
  `212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222
  123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121
  111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331
  231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421
  141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212
  124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131
  311141 411131 211412 211214 211232`.split(/\s+/)

/** Decodes a QR code (ISO/IEC 18004) without error correction: there must be no errors. Bytes are UTF-8. */
export function scanQr(modules: boolean[][]): { text: string; level: string } {
  const size = modules.length
  const version = (size - 17) / 4
  assert(Number.isInteger(version) && version >= 1 && version <= 40 && modules.every((row) => row.length === size))
  const at = (x: number, y: number): number => (modules[y]?.[x] ? 1 : 0)
  const { level, mask } = formatOf(at)
  assert.equal(level, 'M', 'the table of blocks below is that of level M')
  const bits = codewordsOf(at, size, version, mask)
  return { text: textOf(dataOf(bits, version), version), level }
}

type At = (x: number, y: number) => number

function formatOf(at: At): { level: string; mask: number } {
  const places: Array<[x: number, y: number]> = [0, 1, 2, 3, 4, 5, 7, 8].map((y) => [8, y])
  for (const x of [7, 5, 4, 3, 2, 1, 0]) places.push([x, 8])
  const format = places.reduce((value, [x, y], index) => value | (at(x, y) << index), 0) ^ 0x5412
  let rest = format >> 10
  for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537)
  assert.equal(rest, format & 0x3ff, 'the format is protected by its own code')
  return { level: 'MLHQ'[format >> 13] as string, mask: (format >> 10) & 7 }
}

const masks: ReadonlyArray<(x: number, y: number) => number> = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
]

/** All codewords, eight bits each, read in the zigzag order of the symbol. */
function codewordsOf(at: At, size: number, version: number, mask: number): number[] {
  const centres = alignmentCentres(size, version)
  const isFunction = (x: number, y: number): boolean =>
    (y <= 8 && (x <= 8 || x >= size - 8)) ||
    (x <= 8 && y >= size - 8) ||
    x === 6 ||
    y === 6 ||
    (version >= 7 && ((x >= size - 11 && y <= 5) || (y >= size - 11 && x <= 5))) ||
    centres.some(([cx, cy]) => Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2)
  const bits: number[] = []
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    const isUpward = ((right + 1) & 2) === 0
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = isUpward ? size - 1 - step : step
        if (!isFunction(x, y)) bits.push(at(x, y) ^ (masks[mask]?.(x, y) === 0 ? 1 : 0))
      }
  }
  const codewords: number[] = []
  for (let start = 0; start + 8 <= bits.length; start += 8)
    codewords.push(bits.slice(start, start + 8).reduce((byte, bit) => byte * 2 + bit, 0))
  return codewords
}

function alignmentCentres(size: number, version: number): Array<[x: number, y: number]> {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  const places = [6, ...Array.from({ length: count - 1 }, (_, index) => size - 7 - index * step).reverse()]
  const [first, last] = [0, count - 1]
  return places.flatMap((x, i) =>
    places.flatMap((y, j): Array<[number, number]> => {
      const isFinder = (i === first && j === first) || (i === first && j === last) || (i === last && j === first)
      return isFinder ? [] : [[x, y]]
    }),
  )
}

/** The data codewords in their original order: in the symbol they are interleaved across blocks. */
function dataOf(codewords: number[], version: number): number[] {
  const [blocksCount, corrections] = [blocks[version - 1] as number, correctionsPerBlock[version - 1] as number]
  const shortCount = blocksCount - (codewords.length % blocksCount)
  const shortLength = Math.floor(codewords.length / blocksCount) - corrections
  const blockData: number[][] = Array.from({ length: blocksCount }, () => [])
  let next = 0
  for (let index = 0; index <= shortLength; index += 1)
    for (const [block, data] of blockData.entries())
      if (index < shortLength || block >= shortCount) data.push(codewords[next++] as number)
  return blockData.flat()
}

// For error correction level M and versions 1 to 40.
const blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49] // biome-ignore format: a table
const correctionsPerBlock = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, ...Array<number>(19).fill(28)] // biome-ignore format: a table

function textOf(data: number[], version: number): string {
  const bits = data.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1))
  let next = 0
  const take = (count: number): number => {
    assert(next + count <= bits.length, 'the data ends too early')
    const value = bits.slice(next, next + count).reduce((sum, bit) => sum * 2 + bit, 0)
    next += count
    return value
  }
  const group = version <= 9 ? 0 : version <= 26 ? 1 : 2
  const bytes: Buffer[] = []
  while (bits.length - next >= 4) {
    const mode = take(4)
    if (mode === 0) break
    assert(mode === 1 || mode === 2 || mode === 4, `unexpected QR mode: ${mode}`)
    let left = take({ 1: [10, 12, 14], 2: [9, 11, 13], 4: [8, 16, 16] }[mode][group] as number)
    for (; mode === 4 && left > 0; left -= 1) bytes.push(Buffer.from([take(8)]))
    for (; mode === 1 && left > 0; left -= 3) {
      const digits = Math.min(3, left)
      bytes.push(Buffer.from(String(take([0, 4, 7, 10][digits] as number)).padStart(digits, '0')))
    }
    for (; mode === 2 && left > 0; left -= 2) {
      const value = take(left === 1 ? 6 : 11)
      const pair = left === 1 ? [value] : [Math.floor(value / 45), value % 45]
      bytes.push(Buffer.from(pair.map((index) => alphanumeric[index]).join('')))
    }
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes))
}

const alphanumeric = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'
