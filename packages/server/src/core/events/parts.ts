import type { Selectable } from 'kysely'
import type { EventRow, StoredEventRow } from '../db/tables.ts'

/** The row of an event, but for what it tells. */
export type EventHead = Omit<Selectable<EventRow>, 'campaign_id' | 'voucher_id' | 'data'>

/** Events that are written together: each value that any of them has is there once. */
export interface SharedEventParts {
  /** Each has the places of its values as its data. */
  rows: Array<Omit<Selectable<StoredEventRow>, 'data'> & { data: Record<string, number> }>
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
  const place = (value: unknown): number => {
    let found = byValue.get(value)
    if (found === undefined) {
      const text = JSON.stringify(value)
      found = byText.get(text) ?? byText.size
      byText.set(text, found)
      byValue.set(value, found)
    }
    return found
  }
  const rows = events.map((event) => {
    const places: Record<string, number> = {}
    for (const [name, value] of Object.entries(event.data as object))
      if (value !== undefined) places[name] = place(value)
    return { ...event, data: places, parts_id: partsId }
  })
  return { rows, parts: `[${[...byText.keys()].join(',')}]` }
}
