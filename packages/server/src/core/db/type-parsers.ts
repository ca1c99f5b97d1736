import pg from 'pg'

/** `2026-01-01 00:00:00.5+00` → `2026-01-01T00:00:00.500Z`; sessions run in UTC, columns keep milliseconds. */
function readInstant(text: string): string {
  if (!text.endsWith('+00')) return new Date(text).toISOString()
  const [whole, fraction = ''] = text.slice(0, -3).split('.') as [string, string?]
  return `${whole.replace(' ', 'T')}.${fraction.padEnd(3, '0')}Z`
}

/** How the text of a column becomes a value, by the type of the column; the other types are left to `pg`. */
export const parsers: Record<number, (text: string) => unknown> = {
  20: Number,
  1082: (day) => day,
  1184: readInstant,
  1700: Number,
}

export function typeParser(oid: number, format?: string): (value: string) => unknown {
  return (format !== 'binary' && parsers[oid]) || pg.types.getTypeParser(oid, format as 'text')
}
