import type { ModulePixels, Pattern } from './pattern.ts'

/** Black bars on white. It contains no text of the voucher, so nothing needs to be escaped. */
export async function svgOf(pattern: Pattern, { width, height }: ModulePixels): Promise<Buffer> {
  const [w, h] = [(pattern[0] as Uint8Array).length * width, pattern.length * height]
  const bars = pattern.map((row, y) => barsOf(row, y * height, { width, height })).join('')
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" shape-rendering="crispEdges">` +
      `<path fill="#fff" d="M0 0h${w}v${h}H0z"/><path d="${bars}"/></svg>\n`,
  )
}

/** Each run of dark modules as a rectangle: `M40 40h70v10h-70z`. */
function barsOf(row: Uint8Array, y: number, { width, height }: ModulePixels): string {
  let bars = ''
  for (let start = row.indexOf(1); start !== -1; ) {
    const next = row.indexOf(0, start)
    const end = next === -1 ? row.length : next
    bars += `M${start * width} ${y}h${(end - start) * width}v${height}H${start * width}z`
    start = row.indexOf(1, end)
  }
  return bars
}
