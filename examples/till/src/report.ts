import type { Settlement } from './sale.ts'

/** What the shop has to look at after a settlement, line by line. */
export function reportOf(settlements: readonly Settlement[]): string[] {
  const differences = settlements.flatMap(differenceOf)
  const agreed = settlements.length - differences.length
  return [`${settlements.length} sales are settled; the service agrees with ${agreed}.`, ...differences]
}

function differenceOf(settlement: Settlement): string[] {
  if (settlement.outcome === 'agreed') return []
  const what =
    settlement.outcome === 'refused'
      ? `${money(settlement.discount)} was granted and is refused: ${settlement.reason}`
      : `the till charged ${money(settlement.total)}, the service counts ${money(settlement.service_total)}`
  return [`Sale ${settlement.sale_id}: ${what}`]
}

/** `1160` as `11.60`. */
export const money = (cents: number): string => (cents / 100).toFixed(2)
