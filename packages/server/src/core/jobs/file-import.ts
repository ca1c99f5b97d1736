import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import type { FileRow } from '../db/tables.ts'
import { ApiError } from '../http/errors.ts'
import type { Id } from '../lib/ids.ts'
import { type ActionOutcome, type AsyncActionDefinition, defineAsyncAction, startAsyncAction } from './async-action.ts'
import type { AsyncActionType } from './async-actions/schema.ts'
import { appendToFile, deleteFile, fileExpiry, findFile, insertFile, readFileRange } from './files/store.ts'

/** A row of a CSV file, or an entry of a JSON body. */
export interface ImportRow {
  /** Unique in its step. */
  row: number
  /** Why the format refuses the row. */
  unreadable?: string
}

/** A row that is not imported, by its number. */
export interface Refusal {
  row: number
  reason: string
}

/** An import of one kind of object, whatever the format of its file. */
export interface FileImport<Row extends ImportRow, Setup, Input extends object> {
  type: AsyncActionType
  /** For the message of the result: `customer(s)`. */
  noun: string
  /** See `AsyncActionDefinition`. */
  serialKey?(input: Input): string
  /** Called in the transaction that starts the import. */
  begin?(ctx: Ctx, input: Input): Promise<void>
  /** Called once per step: loads what all its rows need. Undefined: the target was deleted, and the import ends. */
  prepare(ctx: Ctx, input: Input): Promise<Setup | undefined>
  /** Imports at most `limits.csv_step_rows` rows in one transaction and returns the refused ones. */
  rows(ctx: Ctx, rows: Row[], setup: Setup): Promise<Refusal[]>
  /** Identifies a failed row in the result. */
  failure(row: Row): object
  /** Called in the transaction that ends the import, completed or failed as a whole. */
  onEnd?(ctx: Ctx, input: Input, ending: { failed: boolean }): Promise<void>
}

export interface FileInput {
  file_id: FileRow['id']
}

/** Where the next step begins; a format may add to it. */
export interface FileState {
  size: number
  /** Byte position in the file. */
  offset: number
}

/**
 * Defines an import as an async action. `read` reads the rows of a step, at least one unless the file ends, so the size of
 * the file costs no memory. Unreadable and refused rows are reported and do not stop the others.
 */
export function defineFileImport<Row extends ImportRow, Setup, Input extends object, State extends FileState>(
  { type, noun, serialKey, begin, prepare, rows: save, failure, onEnd }: FileImport<Row, Setup, Input>,
  read: (ctx: Ctx, fileId: FileRow['id'], state: State) => Promise<{ rows: Row[]; state: State }>,
): AsyncActionDefinition<FileInput & Input, State> {
  return defineAsyncAction<FileInput & Input, State>({
    type,
    ...(serialKey === undefined ? {} : { serialKey }),
    async begin(ctx, input) {
      await begin?.(ctx, input)
      const file = await findFile(ctx, input.file_id)
      if (file === undefined) throw new Error(`File ${input.file_id} is gone`)
      return { size: file.size, offset: 0 } as State
    },
    async step(ctx, input, state) {
      const { rows, state: next } = await read(ctx, input.file_id, state)
      const reasons = new Map(rows.map(({ row, unreadable }) => [row, unreadable]))
      const readable = rows.filter(({ unreadable }) => unreadable === undefined)
      if (readable.length > 0) {
        const setup = await prepare(ctx, input)
        if (setup === undefined) return { state, progress: 100, done: 0, failed: [], finished: true }
        for (const { row, reason } of await save(ctx, readable, setup)) reasons.set(row, reason)
      }
      const failed = rows.flatMap((row) => {
        const reason = reasons.get(row.row)
        return reason === undefined ? [] : [{ ...failure(row), reason }]
      })
      return {
        state: next,
        progress: (next.offset / next.size) * 100,
        done: rows.length - failed.length,
        failed,
        finished: next.offset >= next.size,
      }
    },
    async finish(ctx, input, outcome) {
      await deleteFile(ctx, input.file_id)
      await onEnd?.(ctx, input, { failed: false })
      return importResult(noun, outcome)
    },
    async onFailed(ctx, input) {
      await deleteFile(ctx, input.file_id)
      await onEnd?.(ctx, input, { failed: true })
    },
  })
}

/** The `result` of an import in the API. */
export const importResult = (noun: string, { done_count, failed_count, failed }: ActionOutcome<object>): object => ({
  message: `${done_count} ${noun} imported successfully, ${failed_count} failed.`,
  failed,
  done_count,
  failed_count,
})

/** Starts an import in the caller's transaction. The file is stored separately, because a job carries only ids. */
export async function startFileImport<Input extends object>(
  ctx: Ctx,
  action: AsyncActionDefinition<FileInput & Input>,
  pieces: Iterable<Buffer>,
  input: Input,
): Promise<{ async_action_id: Id<'async_action'> }> {
  const fileId = await insertFile(ctx, { expires_at: fileExpiry(ctx) })
  for (const piece of pieces) {
    await appendToFile(ctx, fileId, piece)
    await setImmediate() // yields to other requests
  }
  return startAsyncAction(ctx, action, { ...input, file_id: fileId })
}

/** Reads bytes of an imported file, at least one unless it ends. */
export async function readPiece(
  ctx: Ctx,
  fileId: FileRow['id'],
  { size, offset }: FileState,
  length: number,
): Promise<{ bytes: Buffer; isEnd: boolean }> {
  const bytes = await readFileRange(ctx, fileId, offset, length)
  if (bytes.length === 0 && offset < size) throw new Error(`File ${fileId} is gone`)
  return { bytes, isEnd: offset + bytes.length >= size }
}

/** Converts each row on its own; a row for which `read` throws an `ApiError` is refused with its message. */
export async function readEach<Row extends ImportRow, To>(
  rows: readonly Row[],
  read: (row: Row) => To | Promise<To>,
): Promise<{ passed: To[]; refused: Refusal[] }> {
  const passed: To[] = []
  const refused: Refusal[] = []
  for (const row of rows)
    try {
      passed.push(await read(row))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      refused.push({ row: row.row, reason: error.message })
    }
  return { passed, refused }
}

/**
 * Converts each row on its own and saves the results in as few batches as possible without a repeated key within a batch,
 * since one statement cannot write a row twice. Returns the refused rows.
 */
export async function importInBatches<Row extends ImportRow, To>(
  rows: readonly Row[],
  read: (row: Row) => To | Promise<To>,
  /** Null: the key of no other row. */
  keyOf: (item: To) => string | null,
  save: (batch: To[]) => Promise<Refusal[]>,
): Promise<Refusal[]> {
  const { passed, refused } = await readEach(rows, read)
  const occurrences = new Map<string, number>()
  const batches = Map.groupBy(passed, (item) => {
    const key = keyOf(item)
    if (key === null) return 0
    const occurrence = occurrences.get(key) ?? 0
    occurrences.set(key, occurrence + 1)
    return occurrence
  })
  for (const batch of batches.values()) refused.push(...(await save(batch)))
  return refused
}
