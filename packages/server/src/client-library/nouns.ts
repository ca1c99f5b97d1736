import type { ClientSide, VoucherifyServerSide } from '@voucherify/sdk'

/** The whole library: its server side, and its client side for the browser. */
export type Library = ReturnType<typeof VoucherifyServerSide> & { clientSide: ClientSide }

/** Which test file covers which objects of the library: `vouchers.test.ts` calls every method of its three objects. */
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
