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
import type { Refused } from './import-codes.ts'
import { codeKey, listKeysTaken } from './store.ts'

/** An entry of a JSON import, as it is kept until its turn. */
export interface Entry {
  code: string
}

export interface EntryImport<One extends Entry, Input extends object> {
  type: AsyncActionType
  /** As of every async action. */
  lane?(input: Input): string
  begin?(ctx: Ctx, input: Input): Promise<void>
  /** One step; answers the entries that were refused, or undefined when there is nothing any more to import into. */
  entries(ctx: Ctx, entries: One[], input: Input): Promise<Refused<One>[] | undefined>
  /** Called in the transaction that ends the import, when it did what it could or broke as a whole. */
  over?(ctx: Ctx, input: Input, ending: { failed: boolean }): Promise<void>
}

export interface EntryInput {
  file_id: FileRow['id']
}

export interface EntryState {
  size: number
  /** Where the next entry begins, in bytes. */
  offset: number
}

/** An import of JSON entries as an async action; they wait in a file, a line each, so that their number costs no memory. */
export function defineEntryImport<One extends Entry, Input extends object = object>(
  definition: EntryImport<One, Input>,
): AsyncAction<EntryInput & Input, EntryState> {
  const { type, lane } = definition
  return defineAsyncAction<EntryInput & Input, EntryState>({
    type,
    ...(lane === undefined ? {} : { lane }),
    async begin(ctx, input) {
      await definition.begin?.(ctx, input)
      const file = await findFile(ctx, input.file_id)
      if (file === undefined) throw new Error(`File ${input.file_id} is gone`)
      return { size: file.size, offset: 0 }
    },
    async step(ctx, input, { size, offset }) {
      const { lines, next } = await readLines(ctx, input.file_id, offset, size)
      const entries = lines.map((line) => JSON.parse(line) as One)
      const refused = await definition.entries(ctx, entries, input)
      if (refused === undefined) return { state: { size, offset }, progress: 100, done: 0, failed: [], finished: true }
      const places = new Map(entries.map((entry, index) => [entry, index]))
      refused.sort((one, other) => (places.get(one.row) ?? 0) - (places.get(other.row) ?? 0))
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
export async function startEntryImport<One extends Entry, Input extends object>(
  ctx: Ctx,
  action: AsyncAction<EntryInput & Input>,
  entries: readonly One[],
  input: Input,
): Promise<{ async_action_id: Id<'async_action'> }> {
  const fileId = await insertFile(ctx, { expires_at: fileExpiry(ctx) })
  for (let at = 0; at < entries.length; at += writtenAtOnce) {
    const lines = entries.slice(at, at + writtenAtOnce).map((entry) => `${JSON.stringify(entry)}\n`)
    await appendToFile(ctx, fileId, Buffer.from(lines.join('')))
    await setImmediate() // requests first
  }
  return startAsyncAction(ctx, action, { ...input, file_id: fileId })
}

const writtenAtOnce = 1_000

/** The codes of a body, or the refusal of all of it (docs/reference/imports.md#import-vouchers-as-json). */
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

/** Refuses codes that exist, be it in the bin, and every code that is named again. */
export async function refuseTaken(ctx: Ctx, codes: readonly string[]): Promise<void> {
  const keys = codes.map((code) => codeKey(ctx.project, code))
  const unique = [...new Set(keys)]
  let offending = keys.length - unique.length
  for (let at = 0; at < unique.length; at += lookedUpAtOnce) {
    // Of a code that exists every entry offends, the first one too.
    offending += (await listKeysTaken(ctx, unique.slice(at, at + lookedUpAtOnce))).size
    await setImmediate()
  }
  if (offending > 0) throw new ApiError('duplicate_key', { details: `${offending} voucher codes(s) already exist.` })
}

const lookedUpAtOnce = 5_000

/** What a step reads at once, unless an entry is longer. */
const pieceBytes = 262_144

/** The next lines of a file, at least one unless it ends, and where those after them begin. */
async function readLines(
  ctx: Ctx,
  fileId: FileRow['id'],
  offset: number,
  size: number,
): Promise<{ lines: string[]; next: number }> {
  for (let length = pieceBytes; ; length *= 4) {
    const bytes = await readFileRange(ctx, fileId, offset, length)
    if (bytes.length === 0 && offset < size) throw new Error(`File ${fileId} is gone`)
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
