/** What became of one kind of objects. */
export interface KindReport {
  read: number
  written: number
  /** By reason: how many, and the first of them. */
  left_out: Record<string, Reason>
  /** Carried over with a difference, by what differs. */
  changed: Record<string, Reason>
}

export interface Reason {
  count: number
  first_ids: string[]
}

export type ImportReport = Record<string, KindReport>

export const newKindReport = (): KindReport => ({ read: 0, written: 0, left_out: {}, changed: {} })

const firstIdsMax = 5
const reasonsMax = 100

/** Counts a reason. A hostile account could make up a new reason for every object: the last one stands for all further ones. */
export function count(reasons: Record<string, Reason>, reason: string, id: unknown, times = 1): void {
  const isNew = !Object.hasOwn(reasons, reason)
  const name = isNew && Object.keys(reasons).length >= reasonsMax ? 'other reasons' : reason
  const entry = Object.hasOwn(reasons, name) ? (reasons[name] as Reason) : { count: 0, first_ids: [] }
  reasons[name] = entry
  entry.count += times
  if (entry.first_ids.length < firstIdsMax && typeof id === 'string') entry.first_ids.push(id.slice(0, 100))
}

/** Whether something of the account is not in the project. */
export const hasLeftOut = (report: ImportReport): boolean =>
  Object.values(report).some(({ left_out }) => Object.keys(left_out).length > 0)

/** The report for people: a table, and the reasons below it. */
export function reportText(report: ImportReport): string {
  const kinds = Object.entries(report)
  const sum = (reasons: Record<string, Reason>) => Object.values(reasons).reduce((total, { count: n }) => total + n, 0)
  const number = (value: number) => value.toLocaleString('en-US')
  const rows = kinds.map(([kind, one]) => [kind, number(one.read), number(one.written), number(sum(one.left_out))])
  const table = [['', 'read', 'written', 'left out'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)))
  const lines = table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  return [
    ...lines,
    ...section('Left out:', 'left_out'),
    ...section('Carried over with a difference:', 'changed'),
    '',
  ].join('\n')

  function section(title: string, name: 'left_out' | 'changed'): string[] {
    const entries = kinds.flatMap(([kind, one]) =>
      Object.entries(one[name]).map(([reason, { count: n, first_ids }]) => {
        const examples = first_ids.length === 0 ? '' : ` (${first_ids.join(', ')}${n > first_ids.length ? ', …' : ''})`
        return `  ${kind}: ${number(n)} × ${reason}${examples}`
      }),
    )
    return entries.length === 0 ? [] : ['', title, ...entries]
  }
}
