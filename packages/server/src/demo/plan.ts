/** How large the shop is. */
export interface DemoSize {
  customers: number
  days: number
  /** Orders of an ordinary day at the end of the history; at the beginning there are half as many. */
  orders_per_day: number
}

export const fullSize: DemoSize = { customers: 500, days: 120, orders_per_day: 28 }

/** For tests: everything that the full one has, in a few seconds. */
export const smallSize: DemoSize = { customers: 40, days: 21, orders_per_day: 12 }

/** The smallest shop in which every campaign has its place. */
const smallest: DemoSize = { customers: 20, days: 14, orders_per_day: 8 }

/** Which offer runs when; moments are Unix milliseconds. */
export interface Plan extends DemoSize {
  /** The beginning of the first day. */
  start: number
  present: number
  sale: Period
  /** Ends in three days. */
  beans: Period
  /** Used up to 88 % at present. */
  influencer: Partnership
  /** Used up two thirds of the way. */
  podcast: Partnership
  birthday: { codes_count: number; left_count: number }
}

interface Period {
  from: number
  to: number
}

interface Partnership {
  /** In minor units. */
  budget: number
  /** Redemptions that the history makes. */
  uses: number
  until: number
}

export const dayMs = 86_400_000

/** What the code of a partnership takes off. */
export const partnershipAmount = 400

export function newPlan(size: DemoSize, present: number): Plan {
  for (const name of ['customers', 'days', 'orders_per_day'] as const)
    if (size[name] < smallest[name]) throw new Error(`A demo shop has at least ${smallest[name]} ${name}.`)
  const { days } = size
  const start = Math.floor(present / dayMs) * dayMs - days * dayMs
  const day = (share: number) => start + Math.round(days * share) * dayMs
  const influencerUses = Math.round(days * 0.7)
  const podcastUses = Math.round(days * 0.3)
  return {
    ...size,
    start,
    present,
    sale: { from: day(0.6), to: day(0.6) + Math.max(2, Math.round(days / 15)) * dayMs },
    beans: { from: present - Math.min(18, days - 2) * dayMs, to: present + 3 * dayMs },
    influencer: {
      uses: influencerUses,
      // Whole steps of the amount, so that the share that is used does not depend on the carts.
      budget: Math.round(influencerUses / 0.88) * partnershipAmount,
      until: present,
    },
    podcast: { uses: podcastUses, budget: podcastUses * partnershipAmount, until: day(0.66) },
    birthday: { codes_count: Math.max(20, Math.round(days * 0.75)), left_count: 3 },
  }
}
