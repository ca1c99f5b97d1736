import type { LoyaltyTier as TierFacts } from '@guerdon/engine/schema'
import type { Selectable } from 'kysely'
import type { LoyaltyTierRow } from '../../core/db/tables.ts'
import { setOnly } from '../../rules/terms/validity.ts'
import type { LoyaltyTier } from './schema.ts'

type Row = Selectable<LoyaltyTierRow>

/** A tier as the API returns it (docs/reference/loyalty-tiers.md#tier-object), without data of its members. */
export function toLoyaltyTier(row: Row): LoyaltyTier {
  const points = rangeOf(row)
  return {
    id: row.id,
    name: row.name,
    campaign_id: row.campaign_id,
    metadata: row.metadata,
    created_at: row.created_at,
    updated_at: row.updated_at,
    points,
    config: { points },
    earning_rules: row.earning_rules,
    rewards: row.rewards,
    object: 'loyalty_tier',
  }
}

/** A tier as the engine needs it. */
export const toTierFacts = (row: Row): TierFacts => ({
  id: row.id,
  points: rangeOf(row),
  earning_rules: row.earning_rules,
  rewards: row.rewards,
})

const rangeOf = ({ points_from, points_to }: Pick<Row, 'points_from' | 'points_to'>) =>
  setOnly({ from: points_from, to: points_to })
