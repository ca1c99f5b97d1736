/** Columns that hold a moment, in every table. */
const instants = ['created_at', 'updated_at', 'deleted_at', 'start_date', 'expiration_date', 'last_order_date'] as const

/**
 * Converts a row that was read as JSON to what the driver would return: timestamps as instants. Changes the row in place,
 * because nothing else references it.
 *
 * `{"created_at": "2026-01-01T00:00:00.5+00:00"}` → `{ created_at: '2026-01-01T00:00:00.500Z' }`.
 */
export function fromJson<Row>(row: object): Row {
  const columns = row as Record<string, unknown>
  for (const name of instants) {
    const value = columns[name]
    if (typeof value === 'string') columns[name] = readMoment(value)
  }
  return columns as Row
}

export const allFromJson = <Row>(rows: readonly object[] | null | undefined): Row[] =>
  (rows ?? []).map((row) => fromJson<Row>(row))

/** `2026-01-01T00:00:00.5+00:00` → `2026-01-01T00:00:00.500Z`. */
export function readMoment(text: string): string {
  if (!text.endsWith('+00:00')) return new Date(text).toISOString()
  const [whole, fraction = ''] = text.slice(0, -6).split('.') as [string, string?]
  return `${whole}.${fraction.padEnd(3, '0')}Z`
}
