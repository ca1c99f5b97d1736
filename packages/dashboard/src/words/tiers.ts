import type { Schemas } from '../api/client.ts'
import type { Format } from '../ui/format.tsx'
import { pointsWords } from './gives.ts'

type Tier = Pick<Schemas['LoyaltyTier'], 'id' | 'name' | 'points'>

interface WayToNext {
  words: string
  /** How much of the way is done, where it can be known. */
  share?: number
}

const periods = { MONTH: 'month', QUARTER: 'quarter', HALF_YEAR: 'half-year', YEAR: 'year' }

/**
 * What a member lacks for the next tier. Where tiers go by the points collected in a period, how many those are is known to the
 * service alone, so only the goal is said.
 */
export function wayToNext(
  tiers: readonly Tier[],
  current: Tier | undefined,
  balance: number,
  settings: Schemas['TierExpiration'] | undefined,
  format: Pick<Format, 'number'>,
): WayToNext | undefined {
  const fromOf = ({ points }: Tier) => points.from ?? 0
  const ladder = [...tiers].sort((a, b) => fromOf(a) - fromOf(b))
  if (ladder.length === 0) return undefined
  const next = ladder.find((tier) => fromOf(tier) > (current ? fromOf(current) : -1) && tier.id !== current?.id)
  if (next === undefined) return { words: 'The highest tier', share: 1 }
  const goal = fromOf(next)
  if (settings?.qualification_type === 'POINTS_IN_PERIOD') {
    const period = periods[settings.qualification_period]
    return { words: `${next.name} takes ${pointsWords(goal, format)} collected within a ${period}` }
  }
  const missing = Math.max(0, goal - balance)
  if (missing === 0) return { words: `${next.name} is reached with the next change of the points`, share: 1 }
  const base = current ? fromOf(current) : 0
  const share = goal === base ? 1 : Math.max(0, (balance - base) / (goal - base))
  return { words: `${pointsWords(missing, format)} more to ${next.name}`, share }
}
