import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../core/context.ts'
import type { FileRow } from '../../core/db/tables.ts'
import { ApiError } from '../../core/http/errors.ts'
import { type AsyncAction, defineAsyncAction, startAsyncAction } from '../../core/jobs/async-action.ts'
import type { AsyncActionType } from '../../core/jobs/async-actions/schema.ts'
import {
  appendToFile,
  deleteFile,
  fileExpiry,
  findFile,
  insertFile,
  readFileRange,
} from '../../core/jobs/files/store.ts'
import type { Id } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { whyNotCode } from './code-config.ts'
import { invalidVoucher } from './create.ts'
import type { RefusedRow } from './import-codes.ts'
import { codeKey, listTakenKeys } from './store.ts'

/** An entry of a JSON import, as stored until the job processes it. */
export interface Entry {
  code: string
}

export interface EntryImport<ImportEntry extends Entry, Input extends object> {
  type: AsyncActionType
  /** As in every async action. */
  lane?(input: Input): string
  begin?(ctx: Ctx, input: Input): Promise<void>
  /** Imports one step; returns the refused entries, or undefined if the import target no longer exists. */
  entries(ctx: Ctx, entries: ImportEntry[], input: Input): Promise<RefusedRow<ImportEntry>[] | undefined>
  /** Called in the transaction that ends the import, after it finished or failed as a whole. */
  over?(ctx: Ctx, input: Input, ending: { failed: boolean }): Promise<void>
}

export interface EntryInput {
  file_id: FileRow['id']
}

export interface EntryState {
  size: number
  /** Byte offset of the next entry. */
  offset: number
}

/**
 * Defines an import of JSON entries as an async action. The entries are stored in a file, one per line, so that memory
 * use does not depend on their number.
 */
export function defineEntryImport<ImportEntry extends Entry, Input extends object = object>(
  definition: EntryImport<ImportEntry, Input>,
): AsyncAction<EntryInput & Input, EntryState> {
  const { type, lane } = definition
  return defineAsyncAction<EntryInput & Input, EntryState>({
    type,
    ...(lane === undefined ? {} : { lane }),
    async begin(ctx, input) {
      await definition.begin?.(ctx, input)
      const file = await findFile(ctx, input.file_id)
      if (file === undefined) throw new Error(`Import file ${input.file_id} does not exist`)
      return { size: file.size, offset: 0 }
    },
    async step(ctx, input, { size, offset }) {
      const { lines, next } = await readLines(ctx, input.file_id, offset, size)
      const entries = lines.map((line) => JSON.parse(line) as ImportEntry)
      const refused = await definition.entries(ctx, entries, input)
      if (refused === undefined) return { state: { size, offset }, progress: 100, done: 0, failed: [], finished: true }
      const places = new Map(entries.map((entry, index) => [entry, index]))
      refused.sort((a, b) => (places.get(a.row) ?? 0) - (places.get(b.row) ?? 0))
      return {
        state: { size, offset: next },
        progress: (next / size) * 100,
        done: entries.length - refused.length,
        failed: refused.map(({ row, reason }) => ({ code: row.code, reason })),
        finished: next >= size,
      }
    },
    async finish(ctx, input, { done_count, failed_count, failed }) {
      await deleteFile(ctx, input.file_id)
      await definition.over?.(ctx, input, { failed: false })
      const message = `${done_count} voucher(s) imported successfully, ${failed_count} failed.`
      return { message, failed, done_count, failed_count }
    },
    async broken(ctx, input) {
      await deleteFile(ctx, input.file_id)
      await definition.over?.(ctx, input, { failed: true })
    },
  })
}

/** Starts an import of entries in the caller's transaction. */
export async function startEntryImport<ImportEntry extends Entry, Input extends object>(
  ctx: Ctx,
  action: AsyncAction<EntryInput & Input>,
  entries: readonly ImportEntry[],
  input: Input,
): Promise<{ async_action_id: Id<'async_action'> }> {
  const fileId = await insertFile(ctx, { expires_at: fileExpiry(ctx) })
  for (let at = 0; at < entries.length; at += entriesPerWrite) {
    const lines = entries.slice(at, at + entriesPerWrite).map((entry) => `${JSON.stringify(entry)}\n`)
    await appendToFile(ctx, fileId, Buffer.from(lines.join('')))
    await setImmediate() // yields to other requests
  }
  return startAsyncAction(ctx, action, { ...input, file_id: fileId })
}

const entriesPerWrite = 1_000

/**
 * The codes in a body; one invalid or missing code refuses the whole body
 * (docs/reference/imports.md#import-vouchers-as-json).
 */
export function codesIn(entries: ReadonlyArray<{ code?: string | null }>): string[] {
  const codes = entries.map(({ code }) => code?.trim() ?? '')
  const missing = codes.filter((code) => code === '').length
  if (missing > 0) throw invalidVoucher(`Found ${missing} voucher(s) without 'code' value`)
  for (const code of codes) {
    const reason = whyNotCode(code)
    if (reason !== null) throw invalidVoucher(`Voucher '${code}': ${reason}`)
  }
  return codes
}

/** Refuses codes that exist, even in the bin, and every repetition of a code. */
export async function refuseTaken(ctx: Ctx, codes: readonly string[]): Promise<void> {
  const keys = codes.map((code) => codeKey(ctx.project, code))
  const unique = [...new Set(keys)]
  let conflicts = keys.length - unique.length
  for (let at = 0; at < unique.length; at += codesPerLookup) {
    // If a code exists, all its entries count, including the first.
    conflicts += (await listTakenKeys(ctx, unique.slice(at, at + codesPerLookup))).size
    await setImmediate()
  }
  if (conflicts > 0) throw new ApiError('duplicate_key', { details: `${conflicts} voucher codes(s) already exist.` })
}

const codesPerLookup = 5_000

/** Bytes that a step reads at once, unless an entry is longer. */
const readBytes = 262_144

/** The next lines of a file, at least one before its end, and the offset after them. */
async function readLines(
  ctx: Ctx,
  fileId: FileRow['id'],
  offset: number,
  size: number,
): Promise<{ lines: string[]; next: number }> {
  for (let length = readBytes; ; length *= 4) {
    const bytes = await readFileRange(ctx, fileId, offset, length)
    if (bytes.length === 0 && offset < size) throw new Error(`Import file ${fileId} does not exist`)
    const lines: string[] = []
    let at = 0
    for (let end = bytes.indexOf('\n'); end >= 0 && lines.length < limits.csv_step_rows; ) {
      lines.push(bytes.toString('utf8', at, end))
      at = end + 1
      end = bytes.indexOf('\n', at)
    }
    if (lines.length > 0 || offset + bytes.length >= size) return { lines, next: offset + at }
  }
}
