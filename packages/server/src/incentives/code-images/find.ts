import type { InstallationCtx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { DownloadedFile } from '../../core/http/operation.ts'
import { barcodePattern, type Pattern, qrPattern } from './pattern.ts'
import { pngOf } from './png.ts'
import type { CodeImageQuery } from './schema.ts'
import { svgOf } from './svg.ts'

/** The code of a voucher as an image; its asset id is the only credential (docs/reference/code-images.md). */
export async function findCodeImage(
  ctx: InstallationCtx,
  kind: keyof typeof kinds,
  assetId: string,
  { size = 10, format = 'png' }: CodeImageQuery,
): Promise<DownloadedFile> {
  const code = await findCode(ctx, assetId)
  const { patternOf, modulePixels } = kinds[kind]
  const pattern = code === undefined ? null : patternOf(code)
  if (pattern === null) throw new ApiError('not_found', { details: 'There is no such image' })
  const bytes = await formats[format].write(pattern, modulePixels(size))
  return {
    name: `${kind}.${format}`,
    media_type: formats[format].media_type,
    size: bytes.length,
    pieces: singleChunk(bytes),
    cached_seconds: 86_400,
  }
}

/** The code of a voucher that is readable: neither it nor its campaign or project is deleted. */
async function findCode({ db }: InstallationCtx, assetId: string): Promise<string | undefined> {
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(assetId)) return undefined
  const row = await db
    .selectFrom('vouchers as v')
    .innerJoin('projects as p', 'p.id', 'v.project_id')
    .leftJoin('campaigns as c', (on) =>
      on.onRef('c.project_id', '=', 'v.project_id').onRef('c.id', '=', 'v.campaign_id'),
    )
    .where('v.asset_id', '=', assetId)
    .where('v.deleted_at', 'is', null)
    .where('c.deleted_at', 'is', null)
    .where('p.deleted_at', 'is', null)
    .select('v.code')
    .executeTakeFirst()
  return row?.code
}

/** The size of a module in pixels, by kind of image. */
const kinds = {
  qr: { patternOf: qrPattern, modulePixels: (size: number) => ({ width: size, height: size }) },
  barcode: {
    patternOf: barcodePattern,
    modulePixels: (size: number) => ({ width: Math.ceil(size / 5), height: 10 * size }),
  },
} satisfies Record<string, { patternOf(code: string): Pattern | null; modulePixels(size: number): object }>

const formats = {
  png: { media_type: 'image/png', write: pngOf },
  svg: { media_type: 'image/svg+xml', write: svgOf },
} as const

async function* singleChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
