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
    ...(Object.keys(attributes as RewardAttributes).length === 0 ? {} : { attributes: attributes as RewardAttributes }),
    metadata,
    created_at,
    updated_at,
    object: 'reward',
  }
}

/** The context of an issued reward. */
export type IssueContext = Partial<
  Pick<SimpleReward, 'customer' | 'assignment_id' | 'voucher' | 'product' | 'sku' | 'loyalty_tier_id'>
>

/** [RR], an issued reward. */
export function toGivenReward(
  row: Omit<SimpleReward, keyof IssueContext | 'object'>,
  context: IssueContext,
): SimpleReward {
  const { id, name, type, parameters, metadata, created_at, updated_at } = row
  return {
    id,
    name,
    type,
    parameters,
    metadata,
    customer: context.customer ?? null,
    assignment_id: context.assignment_id ?? null,
    voucher: context.voucher ?? null,
    product: context.product ?? null,
    sku: context.sku ?? null,
    loyalty_tier_id: context.loyalty_tier_id ?? null,
    created_at,
    updated_at,
    object: 'reward',
  }
}
