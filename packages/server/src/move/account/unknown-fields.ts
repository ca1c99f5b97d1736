import { Customer } from '../../audience/customers/schema.ts'
import { Segment } from '../../audience/segments/schema.ts'
import { ProductCollection } from '../../catalogue/product-collections/schema.ts'
import { Product } from '../../catalogue/products/schema.ts'
import { Sku } from '../../catalogue/skus/schema.ts'
import { Location } from '../../definitions/locations/schema.ts'
import { Campaign } from '../../incentives/campaigns/schema.ts'
import { PromotionStack, PromotionTier } from '../../incentives/promotions/schema.ts'
import { ListedPublication } from '../../incentives/publications/schema.ts'
import { Voucher } from '../../incentives/vouchers/schema.ts'
import { EarningRule } from '../../loyalty/earning-rules/schema.ts'
import { RewardAssignment } from '../../loyalty/reward-assignments/schema.ts'
import { Reward } from '../../loyalty/rewards/schema.ts'
import { LoyaltyTier } from '../../loyalty/tiers/schema.ts'
import { Order } from '../../orders/schema.ts'
import { Redemption, RedemptionRollback } from '../../redemptions/schema.ts'
import { Category } from '../../rules/categories/schema.ts'
import { StoredValidationRule } from '../../rules/validation-rules/schema.ts'
import { type Foreign, shown } from './foreign.ts'
import { count, type KindReport } from './report.ts'

/** The objects of each list as our own API shows them. */
const schemas: Readonly<Record<string, ReadonlyArray<{ properties: object }>>> = {
  categories: [Category],
  locations: [Location],
  products: [Product],
  skus: [Sku],
  collections: [ProductCollection],
  customers: [Customer],
  segments: [Segment],
  rules: [StoredValidationRule],
  campaigns: [Campaign],
  vouchers: [Voucher],
  rewards: [Reward],
  'reward-assignments': [RewardAssignment],
  'loyalty-tiers': [LoyaltyTier],
  'earning-rules': [EarningRule],
  'promotion-tiers': [PromotionTier],
  'promotion-stacks': [PromotionStack],
  orders: [Order],
  publications: [ListedPublication],
  redemptions: [Redemption, RedemptionRollback],
}

const known = new Map(
  Object.entries(schemas).map(([list, shapes]) => [
    list,
    new Set(shapes.flatMap(({ properties }) => Object.keys(properties))),
  ]),
)

/** `parent_id` is ours: the object whose list it was in. SKUs of products are a list of their own. */
const isReadApart = (list: string, name: string): boolean =>
  name === 'parent_id' || (list === 'products' && name === 'skus')

/** Counts the fields that objects have there and not here: they are dropped. */
export function countUnknownFields(list: string, objects: readonly Foreign[], report: KindReport): void {
  const names = known.get(list)
  if (names === undefined) return
  for (const object of objects)
    for (const [name, value] of Object.entries(object))
      if (!names.has(name) && !isReadApart(list, name) && value !== null)
        count(report.changed, `the field ${shown(name)} is not known here, and was dropped`, object.id)
}
