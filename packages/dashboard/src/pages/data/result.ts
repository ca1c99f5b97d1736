import { reasonSentence } from './reasons.ts'

export interface RowError {
  /** The row of the file, without header and blank lines; undefined for work that had no file. */
  row: number | undefined
  /** The code or source id it was about. */
  subject: string | undefined
  /** A sentence. */
  reason: string
}

export interface ActionResult {
  message: string | undefined
  done: number | undefined
  failed: number | undefined
  errors: RowError[]
  /** Addresses of report files. */
  reports: string[]
  reportsUntil: string | undefined
}

const textIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const numberIn = (value: unknown) => (typeof value === 'number' ? value : undefined)
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The result of any kind of work in one shape: imports list `failed`, bulk changes list `errors` and have reports. */
export function resultOf(result: Record<string, unknown> | undefined): ActionResult | undefined {
  if (result === undefined) return undefined
  const entries = [...listIn(result.failed), ...listIn(result.errors)] as Record<string, unknown>[]
  return {
    message: textIn(result.message),
    done: numberIn(result.done_count),
    failed: numberIn(result.failed_count),
    errors: entries.map((entry) => ({
      row: numberIn(entry.row),
      subject: textIn(entry.code) ?? textIn(entry.source_id),
      reason: reasonSentence(
        textIn(entry.reason) ?? textIn(entry.details) ?? textIn(entry.message) ?? 'No reason was given.',
      ),
    })),
    reports: listIn(result.reports).filter((report) => typeof report === 'string'),
    reportsUntil: textIn(result.reports_available_till),
  }
}

/** The reasons that occur more than once, the most frequent three first. */
export function commonReasons(errors: readonly RowError[]): { reason: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { reason } of errors) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 3)
    .map(([reason, count]) => ({ reason, count }))
}

/** The errors as a file: what a spreadsheet would run as a formula gets an apostrophe in front, as in the exports. */
export function errorsAsCsv(errors: readonly RowError[]): string {
  const lines = errors.map(({ row, subject, reason }) => [String(row ?? ''), subject ?? '', reason].map(cell).join(','))
  return ['Row,About,What was wrong', ...lines].join('\n')
}

function cell(text: string): string {
  const safe = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
