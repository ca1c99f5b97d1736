import type { ClientSide, VoucherifyServerSide } from '@voucherify/sdk'

/** Everything the library offers: what a shop's server calls, and what its pages call. */
export type Library = ReturnType<typeof VoucherifyServerSide> & { clientSide: ClientSide }

/** Which test file drives which of the library's objects: `vouchers.test.ts` drives every method of these three. */
export const nouns = {
  'async-actions': ['asyncActions'],
  campaigns: ['campaigns', 'campaigns.qualifications'],
  categories: ['categories'],
  'client-side': ['clientSide'],
  customers: ['customers', 'consents'],
  distributions: ['distributions', 'distributions.publications', 'distributions.exports'],
  events: ['events'],
  limits: ['apiLimitsHandler'],
  loyalties: ['loyalties'],
  'metadata-schemas': ['metadataSchemas'],
  orders: ['orders'],
  'product-collections': ['productCollections'],
  products: ['products'],
  promotions: ['promotions', 'promotions.tiers', 'promotions.stack'],
  qualifications: ['qualifications'],
  redemptions: ['redemptions'],
  rewards: ['rewards'],
  segments: ['segments'],
  'validation-rules': ['validationRules'],
  validations: ['validations'],
  vouchers: ['vouchers', 'vouchers.balance', 'vouchers.qualifications'],
} as const satisfies Record<string, readonly ObjectName<Library>[]>

export type Noun = keyof typeof nouns

/** The objects within objects, by their paths: `vouchers`, `vouchers.balance`. */
type ObjectName<T, Path extends string = ''> = {
  [K in keyof T & string]: T[K] extends (...args: never[]) => unknown
    ? never
    : `${Path}${K}` | ObjectName<T[K], `${Path}${K}.`>
}[keyof T & string]

/** The methods within objects, by their paths: `vouchers.balance.create`. */
export type MethodName<T = Library, Path extends string = ''> = {
  [K in keyof T & string]: T[K] extends (...args: never[]) => unknown ? `${Path}${K}` : MethodName<T[K], `${Path}${K}.`>
}[keyof T & string]
