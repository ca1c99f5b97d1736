import { type Static, Type } from 'typebox'
import { Binary } from '../../core/http/multipart.ts'
import { limits } from '../../core/lib/limits.ts'
import { ImportedVoucher } from '../vouchers/import-schema.ts'

/** An omitted member takes the value of the campaign. */
export const ImportCampaignVouchers = Type.Array(ImportedVoucher, {
  minItems: 1,
  maxItems: limits.bulk_items_max,
  examples: [[{ code: 'SPRING-1' }, { code: 'SPRING-2', active: false, metadata: { season: 'spring' } }]],
})
export type ImportCampaignVouchers = Static<typeof ImportCampaignVouchers>

export const ImportCampaignVouchersCsv = Type.Object({
  file: Binary({
    description:
      'CSV in UTF-8 with a header row: `Code`, `Active`, `Category`, `Start Date`, `Expiration Date`, `Redeemed Quantity`, ' +
      'for gift cards `Gift Amount` and `Redeemed Amount`, for loyalty cards `Loyalty Points`; any other column is metadata.',
    examples: ['Code,Active\nSPRING-1,TRUE\nSPRING-2,FALSE\n'],
  }),
})
