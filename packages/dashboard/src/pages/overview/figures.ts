import type { Reply } from '../../api/client.ts'

export type Overview = Reply<'GET /v1/statistics/overview'>
type Sums = Overview['totals']

export interface OverviewFigure {
  id: string
  name: string
  unit: 'money' | 'count' | 'points'
  /** Where the number comes from, in one sentence. */
  about: string
  of: (sums: Sums) => number
  /** What there is now, not what happened in the range; `of` is then by how much it changed. */
  now?: (overview: Overview) => number
}

/** The figures of the overview, in their order. */
export const overviewFigures: readonly OverviewFigure[] = [
  {
    id: 'redemptions',
    name: 'Redemptions',
    unit: 'count',
    about: 'Codes and promotions that were redeemed, with those that were rolled back later.',
    of: ({ redemptions }) => redemptions,
  },
  {
    id: 'discount',
    name: 'Discount granted',
    unit: 'money',
    about:
      'What codes and promotions took off orders, with what was rolled back later. Gift cards and points are no discount.',
    of: ({ discount_amount }) => discount_amount,
  },
  {
    id: 'with-discount',
    name: 'Orders with discount',
    unit: 'money',
    about: 'Value of paid orders with a discount, before the discount.',
    of: ({ order_amount }) => order_amount,
  },
  {
    id: 'without-discount',
    name: 'Orders without discount',
    unit: 'money',
    about: 'Value of paid orders in which nothing was redeemed.',
    of: ({ order_amount_without_discount }) => order_amount_without_discount,
  },
  {
    id: 'published',
    name: 'New codes published',
    unit: 'count',
    about: 'Codes that were given to customers, by publications or by joining a program.',
    of: ({ published_codes }) => published_codes,
  },
  {
    id: 'earned',
    name: 'Points earned',
    unit: 'points',
    about: 'Points credited to loyalty cards: by earning rules, by hand and as a first balance.',
    of: ({ points_earned }) => points_earned,
  },
  {
    id: 'spent',
    name: 'Points spent',
    unit: 'points',
    about: 'Points that bought rewards or paid for orders.',
    of: ({ points_spent }) => points_spent,
  },
  {
    id: 'expired',
    name: 'Points expired',
    unit: 'points',
    about: 'Points whose day was over before anybody spent them.',
    of: ({ points_expired }) => points_expired,
  },
  {
    id: 'owed-points',
    name: 'Owed in points',
    unit: 'points',
    about: 'Points on all loyalty cards now, and at the end of each day before.',
    of: ({ points_owed }) => points_owed,
    now: ({ owed }) => owed.points,
  },
  {
    id: 'owed-gift-cards',
    name: 'Owed on gift cards',
    unit: 'money',
    about: 'Credits left on all gift cards now, and at the end of each day before.',
    of: ({ gift_cards_owed }) => gift_cards_owed,
    now: ({ owed }) => owed.gift_cards,
  },
]

/** The values of a figure at each point; of what there is now, the levels that led to it. */
export function valuesOf(figure: OverviewFigure, overview: Overview): number[] {
  const changes = overview.series.map((point) => figure.of(point))
  if (figure.now === undefined) return changes
  let level = figure.now(overview)
  return changes
    .toReversed()
    .map((change) => {
      const atItsEnd = level
      level -= change
      return atItsEnd
    })
    .toReversed()
}

export interface Change {
  /** `+12 %` */
  text: string
  words: string
}

/** How a figure compares with the period before, short and in words. More is not better: that depends on the figure. */
export function changeOf(
  value: number,
  before: number,
  beforeText: string,
  written: (value: number) => string,
): Change {
  if (before === 0 && value === 0) return { text: 'none before', words: `None in ${beforeText} either` }
  if (before === 0) return { text: 'none before', words: `None in ${beforeText}` }
  if (value === before) return { text: 'no change', words: `The same as in ${beforeText}` }
  const percent = Math.round((Math.abs(value - before) / Math.abs(before)) * 100)
  const than = `than ${written(before)} in ${beforeText}`
  if (percent === 0) return { text: '± 0 %', words: `Hardly ${value > before ? 'more' : 'less'} ${than}` }
  if (percent > 999) {
    const times = `${Math.round(value / before)} ×`
    return { text: times, words: `${times} the ${written(before)} of ${beforeText}` }
  }
  return value > before
    ? { text: `+${percent} %`, words: `${percent} % more ${than}` }
    : { text: `−${percent} %`, words: `${percent} % less ${than}` }
}

/** Whether nothing has ever happened here: then the page teaches instead. */
export function isEmptyShop({ all_time, is_complete, owed, updated_at }: Overview, now: number = Date.now()): boolean {
  // Where many rows wait to be added up, as after an import, the sums are empty and old.
  const isFresh = now - Date.parse(updated_at) < 60_000
  return (
    isFresh &&
    is_complete &&
    owed.points === 0 &&
    owed.gift_cards === 0 &&
    Object.values(all_time).every((value) => value === 0)
  )
}
