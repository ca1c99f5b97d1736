import type { Settings } from '../../core/settings.ts'

/** The image URLs in the `assets` of a voucher. */
export interface Assets {
  qr: { id: string; url: string }
  barcode: { id: string; url: string }
}

/** Both images share one secret asset id: either image reveals the code anyway. */
export function assetsOf({ base_url }: Pick<Settings, 'base_url'>, assetId: string): Assets {
  return {
    qr: { id: assetId, url: `${base_url}/v1/assets/qr/${assetId}` },
    barcode: { id: assetId, url: `${base_url}/v1/assets/barcode/${assetId}` },
  }
}
