import { useFormat } from '../../ui/format.tsx'
import type { OverviewFigure } from './figures.ts'

/** How the values of a figure are written: in full, and short for tiles and axes. */
export function useWritten({ unit }: OverviewFigure) {
  const { money, shortMoney, number, shortNumber } = useFormat()
  const full = (value: number) =>
    unit === 'money' ? money(value) : `${number(value)}${unit === 'points' ? ' points' : ''}`
  const short = unit === 'money' ? shortMoney : shortNumber
  // Whole while they fit into a tile.
  const inTile = (value: number) => {
    if (unit === 'money') return Math.abs(value) < 100_000_000 ? money(value) : shortMoney(value)
    return Math.abs(value) < 10_000_000 ? number(value) : shortNumber(value)
  }
  return { full, short, inTile }
}
