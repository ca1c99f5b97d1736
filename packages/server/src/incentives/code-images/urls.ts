import type { Settings } from '../../core/settings.ts'

/** Where the images of a code are, as every voucher says it. */
export interface Assets {
  qr: { id: string; url: string }
  barcode: { id: string; url: string }
}

/** Both kinds share the one secret of the voucher: whoever has seen one image could read the code from it anyway. */
export function assetsOf({ base_url }: Pick<Settings, 'base_url'>, assetId: string): Assets {
  return {
    qr: { id: assetId, url: `${base_url}/v1/assets/qr/${assetId}` },
    barcode: { id: assetId, url: `${base_url}/v1/assets/barcode/${assetId}` },
  }
}
