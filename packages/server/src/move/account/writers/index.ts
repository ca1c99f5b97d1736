import type { Writer } from '../batch.ts'
import { customers, segmentMembers, segments } from './audience.ts'
import { campaigns } from './campaigns.ts'
import { collections, products, skus } from './catalogue.ts'
import { categories, eventSchemas, locations, metadataSchemas } from './definitions.ts'
import { earningRules, loyaltyTiers, rewardAssignments, rewards } from './loyalty.ts'
import { orders } from './orders.ts'
import { pendingPoints, pointsExpirations } from './points.ts'
import { promotionStacks, promotionTiers } from './promotions.ts'
import { publications } from './publications.ts'
import { redemptions } from './redemptions.ts'
import { ruleAssignments, rules, stackingRules } from './rules.ts'
import { transactions } from './transactions.ts'
import { vouchers } from './vouchers.ts'

/** Every list in the order in which it is written: what others refer to comes first. */
export const writers: readonly Writer[] = [
  metadataSchemas,
  eventSchemas,
  categories,
  locations,
  products,
  skus,
  collections,
  customers,
  segments,
  segmentMembers,
  rules,
  campaigns,
  vouchers,
  rewards,
  rewardAssignments,
  loyaltyTiers,
  earningRules,
  promotionTiers,
  promotionStacks,
  ruleAssignments,
  stackingRules,
  orders,
  publications,
  redemptions,
  transactions,
  pointsExpirations,
  pendingPoints,
]
