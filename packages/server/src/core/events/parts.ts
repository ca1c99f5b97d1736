import type { Selectable } from 'kysely'
import type { EventRow, StoredEventRow } from '../db/tables.ts'

/** The row of an event without its data. */
export type EventHead = Omit<Selectable<EventRow>, 'campaign_id' | 'voucher_id' | 'data'>

/** Events that are written together, with each distinct value of their data stored once. */
export interface SharedEventParts {
  /** The data of each row maps a property to the position of its value in `parts`. */
  rows: Array<Omit<Selectable<StoredEventRow>, 'data' | 'position'> & { data: Record<string, number> }>
  /** All values, as the text of a JSON array. */
  parts: string
}

/**
 * `[{ data: { customer, order } }, { data: { customer } }]` → rows with `{ customer: 0, order: 1 }` and `{ customer: 0 }`, and
 * the parts `[customer, order]`.
 */
export function shareParts(events: ReadonlyArray<Selectable<EventRow>>): SharedEventParts {
  const partsId = events[0]?.id ?? null
  const byValue = new Map<unknown, number>()
  const byText = new Map<string, number>()
  const positionOf = (value: unknown): number => {
    let position = byValue.get(value)
    if (position === undefined) {
      const text = JSON.stringify(value)
      position = byText.get(text) ?? byText.size
      byText.set(text, position)
      byValue.set(value, position)
    }
    return position
  }
  const rows = events.map((event) => {
    const positions: Record<string, number> = {}
    for (const [name, value] of Object.entries(event.data as object))
      if (value !== undefined) positions[name] = positionOf(value)
    return { ...event, data: positions, parts_id: partsId }
  })
  return { rows, parts: `[${[...byText.keys()].join(',')}]` }
}
