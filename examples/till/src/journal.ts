import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Sale, Settlement } from './sale.ts'

type Entry = { sale: Sale } | { settlement: Settlement }

/** Sales and settlements as JSON lines, each on the disk before the next step: a till that loses power forgets nothing. */
export function openJournal(file: string) {
  const sales = new Map<string, Sale>()
  const settlements = new Map<string, Settlement>()
  const take = (entry: Entry) => {
    if ('sale' in entry) sales.set(entry.sale.id, entry.sale)
    else settlements.set(entry.settlement.sale_id, entry.settlement)
  }
  for (const line of linesOf(file)) take(JSON.parse(line))
  const descriptor = openSync(file, 'a')
  // A line that a crash has cut off was not acknowledged to anybody; what follows begins on a line of its own.
  writeSync(descriptor, '\n')

  const write = (entry: Entry) => {
    writeSync(descriptor, `${JSON.stringify(entry)}\n`)
    fsyncSync(descriptor)
    take(entry)
  }
  return {
    addSale: (sale: Sale): void => write({ sale }),
    addSettlement: (settlement: Settlement): void => write({ settlement }),
    /** In the order in which they were made. */
    pending: (): Sale[] => [...sales.values()].filter(({ id }) => !settlements.has(id)),
    /** Sales that the service did not know of at a moment: those that wait, and those that were settled since. */
    unknownAt: (moment: string): Sale[] =>
      [...sales.values()].filter(({ id }) => (settlements.get(id)?.settled_at ?? moment) >= moment),
    settlements: (): Settlement[] => [...settlements.values()],
    close: (): void => closeSync(descriptor),
  }
}

export type Journal = ReturnType<typeof openJournal>

/** The whole lines of the file. */
const linesOf = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}') && isJson(line))
    : []

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
