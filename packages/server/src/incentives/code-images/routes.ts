import { downloadOperation } from '../../core/http/operation.ts'
import { findCodeImage } from './find.ts'
import { CodeImageQuery } from './schema.ts'

export const codeImages = [
  downloadOperation({
    id: 'getQrCode',
    path: '/v1/assets/qr/{assetId}',
    summary: 'Get the QR code of a voucher',
    description:
      'The code of the voucher as a picture; a code of more than 255 bytes has none. The address stands in the `assets` of the voucher and needs no credentials; the picture may be cached for a day.',
    query: CodeImageQuery,
    media_types: ['image/png', 'image/svg+xml'],
    errors: ['invalid_query_params', 'not_found'],
    find: (ctx, { params, query }) => findCodeImage(ctx, 'qr', params.assetId, query),
  }),
  downloadOperation({
    id: 'getBarcode',
    path: '/v1/assets/barcode/{assetId}',
    summary: 'Get the bar code of a voucher',
    description:
      'As Code 128, which knows ASCII only: other codes have none. The address stands in the `assets` of the voucher and needs no credentials; the picture may be cached for a day.',
    query: CodeImageQuery,
    media_types: ['image/png', 'image/svg+xml'],
    errors: ['invalid_query_params', 'not_found'],
    find: (ctx, { params, query }) => findCodeImage(ctx, 'barcode', params.assetId, query),
  }),
]
