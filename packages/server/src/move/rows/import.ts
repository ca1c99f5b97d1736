import { createHash } from 'node:crypto'
import type { Db } from '../../core/db/database.ts'
import { rebuildStatistics } from '../../statistics/sums/work.ts'
import { abandonClaim, type Claim, ClaimLostError, claimProject, openClaimed, type Target } from './claim.ts'
import { type ExportEnd, type ExportHeader, readEnd, readHeader, readRowLine } from './format.ts'
import { insertRows, type RowBatch } from './insert-rows.ts'
import { requireOwnSchema, whyNotReadable } from './schema-version.ts'
import { listMovedTables } from './tables.ts'

export interface ImportOptions {
  target: Target
  now(): number
  /** Called after every batch with the number of rows so far. */
  onRows?(count: number): void
}

export interface ImportResult {
  project_id: string
  name: string
  rows: number
  /** Whether keys stayed out and webhooks were switched off. */
  is_copy: boolean
}

/**
 * Reads an exported project. Nobody sees it before every line is inserted and the file has proved complete. If it fails, nothing is left; if
 * the process dies, the next import of the project clears what is left and starts over (docs/decisions/0073-projects-as-json-lines.md).
 */
export async function importProject(
  db: Db,
  lines: AsyncIterable<Buffer>,
  options: ImportOptions,
): Promise<ImportResult> {
  await requireOwnSchema(db)
  const hash = createHash('sha256')
  const onLine = (line: Buffer) => void hash.update(line).update('\n')
  const iterator = lines[Symbol.asyncIterator]()
  const header = await readFirst(iterator, onLine)
  const refusal = whyNotReadable(header)
  if (refusal !== null) throw new Error(refusal)
  const claim = await claimProject(db, header, options.target, options.now())
  try {
    const rest = { [Symbol.asyncIterator]: () => iterator }
    const { end, tables } = await insertAll(db, rest, claim, options, onLine)
    expectComplete(end, tables, hash.digest('hex'))
    await rebuildStatistics(db, claim.project_id)
    await openClaimed(db, claim, header)
    return { project_id: claim.project_id, name: header.project.name, rows: end.rows, is_copy: claim.is_copy }
  } catch (error) {
    if (!(error instanceof ClaimLostError))
      await abandonClaim(db, claim, options.now()).catch((second: unknown) => {
        throw notUndone(claim, error as Error, second as Error)
      })
    throw error
  }
}

/** The first error is the one that somebody has to mend. */
const notUndone = ({ project_id }: Claim, first: Error, second: Error): Error =>
  new Error(
    `The project ${project_id} stays hidden, with a part of the import, which could not be undone (${second.message}): the next import into it clears it. The import failed: ${first.message}`,
    { cause: first },
  )

async function readFirst(lines: AsyncIterator<Buffer>, onLine: (line: Buffer) => void): Promise<ExportHeader> {
  const first = await lines.next()
  const header = first.done === true ? null : readHeader(first.value.toString())
  if (header === null) throw new Error('This is not a file of guerdon export: its first line is not a header.')
  onLine(first.value)
  return header
}

/** A statement inserts at most so many rows, of about this size together. */
const batchRowsMax = 1_000
const batchLengthMax = 2_097_152

/** Inserts the rows of all lines up to the last one, and counts them per table. */
async function insertAll(
  db: Db,
  lines: AsyncIterable<Buffer>,
  claim: Claim,
  { onRows = () => {} }: ImportOptions,
  onLine: (line: Buffer) => void,
): Promise<{ end: ExportEnd; tables: ReadonlyMap<string, number> }> {
  const known = new Map((await listMovedTables(db)).map((table, place) => [table.name, { table, place }]))
  const tables = new Map([...known.keys()].map((name) => [name, 0]))
  let [count, length, lastPlace] = [0, 0, 0]
  let batch: RowBatch | null = null
  let end: ExportEnd | null = null
  const flush = async () => {
    if (batch === null) return
    // The keys of the original would open the copy too.
    if (!(claim.is_copy && batch.table.name === 'api_keys')) await insertRows(db, claim, batch)
    count += batch.rows.length
    batch = null
    length = 0
    onRows(count)
  }
  for await (const line of lines) {
    if (end !== null) throw new Error('The file goes on after its last line.')
    const text = line.toString()
    const read = readRowLine(text)
    if (read === null) {
      end = readEnd(text)
      if (end === null) throw new Error(`The line after row ${count + (batch?.rows.length ?? 0)} is not a row.`)
      continue
    }
    onLine(line)
    const found = known.get(read.table)
    // In another order rows would miss those they refer to, and webhooks would get the events of the past.
    if (found === undefined || found.place < lastPlace) throw new Error(`Rows of ${read.table} are not expected here.`)
    lastPlace = found.place
    if (
      batch !== null &&
      (batch.table !== found.table || batch.rows.length === batchRowsMax || length > batchLengthMax)
    )
      await flush()
    batch ??= { table: found.table, rows: [] }
    batch.rows.push(read.row)
    length += read.row.length
    tables.set(read.table, (tables.get(read.table) as number) + 1)
  }
  await flush()
  if (end === null) throw new Error(`The file is incomplete: it ends after ${count} rows, without its last line.`)
  return { end, tables }
}

function expectComplete(end: ExportEnd, tables: ReadonlyMap<string, number>, sha256: string): void {
  for (const [name, count] of tables)
    if ((end.tables[name] ?? 0) !== count)
      throw new Error(
        `The file is damaged: it has ${count} rows of ${name}, and its last line says ${end.tables[name] ?? 0}.`,
      )
  if (end.sha256 !== sha256)
    throw new Error('The file is damaged: its lines are not those that were exported (SHA-256).')
}
