import { FreeText, InstantInput, Maybe, Metadata, Name } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { Binary } from '../../core/http/multipart.ts'
import { limits } from '../../core/lib/limits.ts'
import { DiscountBody } from '../../rules/terms/discount.ts'
import { ValidityBody } from '../../rules/terms/validity.ts'
import { GiftCardChanges, LoyaltyCardChanges, RedemptionLimit, VoucherType } from './schema.ts'

/**
 * An entry of a JSON import, whatever the target. The code is optional here because missing codes are counted and refused
 * together.
 */
export const ImportedVoucher = Type.Object({
  code: Maybe(Type.String({ maxLength: 1_000 })),
  type: Maybe(VoucherType),
  discount: Maybe(DiscountBody),
  gift: Maybe(GiftCardChanges),
  loyalty_card: Maybe(LoyaltyCardChanges),
  category: Maybe(Name),
  active: Maybe(Type.Boolean()),
  start_date: Maybe(InstantInput),
  expiration_date: Maybe(InstantInput),
  validity_timeframe: ValidityBody.validity_timeframe,
  validity_day_of_week: ValidityBody.validity_day_of_week,
  redemption: Maybe(RedemptionLimit),
  additional_info: Maybe(FreeText),
  metadata: Maybe(Metadata),
})
export type ImportedVoucher = Static<typeof ImportedVoucher>

const limitsOfValidity = ['start_date', 'expiration_date', 'validity_timeframe', 'validity_day_of_week'] as const
export type ImportedValidity = Pick<ImportedVoucher, (typeof limitsOfValidity)[number]>

/** The validity members of an entry; other validity members are ignored. */
export const validityIn = (sent: ImportedVoucher): ImportedValidity =>
  Object.fromEntries(limitsOfValidity.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])))

export const ImportVouchers = Type.Array(ImportedVoucher, {
  minItems: 1,
  maxItems: limits.bulk_items_max,
  examples: [
    [
      { code: 'SPRING-1', discount: { type: 'PERCENT', percent_off: 10 } },
      { code: 'CARD-1', gift: { amount: 5000 } },
    ],
  ],
})
export type ImportVouchers = Static<typeof ImportVouchers>

export const voucherColumns: readonly string[] = (
  'Code,Voucher Type,Value,Discount Type,Discount Effect,Discount Unit Type,Formula,Validation Rule ID,Category,Active,' +
  'Start Date,Expiration Date,Redemption Limit,Redeemed Quantity,Redeemed Amount,Additional Info'
).split(',')

export const ImportVouchersCsv = Type.Object({
  file: Binary({
    description:
      `CSV in UTF-8 with a header row: ${voucherColumns.map((name) => `\`${name}\``).join(', ')}; ` +
      'any other column is metadata.',
    examples: [
      'Code,Voucher Type,Value,Discount Type\nSPRING-1,DISCOUNT_VOUCHER,10,PERCENT\nCARD-1,GIFT_VOUCHER,5000,\n',
    ],
  }),
  webhooks_enable: Type.Optional(Type.Boolean({ default: false, description: 'Whether each stored row is told of.' })),
})

export const BulkVouchers = Type.Array(Type.Object({ code: Name, metadata: Metadata }), {
  maxItems: limits.bulk_items_max,
  examples: [[{ code: 'SPRING-1', metadata: { season: 'spring' } }]],
})
export type BulkVoucher = Static<typeof BulkVouchers>[number]

export const BulkVoucherMetadata = Type.Object(
  { codes: Type.Array(Name, { maxItems: limits.bulk_items_max }), metadata: Metadata },
  { examples: [{ codes: ['SPRING-1', 'SPRING-2'], metadata: { season: 'spring' } }] },
)
