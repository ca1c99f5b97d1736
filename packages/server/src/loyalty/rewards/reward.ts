import type { Selectable } from 'kysely'
import type { RewardRow } from '../../core/db/tables.ts'
import type { SimpleReward } from '../../core/events/shapes.ts'
import type { Reward, RewardAttributes, RewardParameters } from './schema.ts'

export type StoredReward = Selectable<RewardRow>

export function toReward(row: StoredReward): Reward {
  const { id, name, type, parameters, stock, redeemed, attributes, metadata, created_at, updated_at } = row
  return {
    id,
    name,
    type,
    parameters: parameters as RewardParameters,
    stock,
    redeemed,
    attributes: attributes as RewardAttributes,
    metadata,
    created_at,
    updated_at,
    object: 'reward',
  }
}

/** What is known of a reward once somebody gets it. */
export type Given = Partial<
  Pick<SimpleReward, 'customer' | 'assignment_id' | 'voucher' | 'product' | 'sku' | 'loyalty_tier_id'>
>

/** [RR], a reward as it was given. */
export function toGivenReward(row: StoredReward, given: Given): SimpleReward {
  const { id, name, type, parameters, metadata, created_at, updated_at } = row
  return {
    id,
    name,
    type,
    parameters,
    metadata,
    customer: given.customer ?? null,
    assignment_id: given.assignment_id ?? null,
    voucher: given.voucher ?? null,
    product: given.product ?? null,
    sku: given.sku ?? null,
    loyalty_tier_id: given.loyalty_tier_id ?? null,
    created_at,
    updated_at,
    object: 'reward',
  }
}
