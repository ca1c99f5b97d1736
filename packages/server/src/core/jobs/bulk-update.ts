import type { Ctx } from '../context.ts'
import type { FileRow } from '../db/tables.ts'
import { type ApiError, errorMessage } from '../http/errors.ts'
import { csvRow } from '../lib/csv.ts'
import { randomText } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import { type AsyncActionDefinition, defineAsyncAction } from './async-action.ts'
import type { AsyncActionType } from './async-actions/schema.ts'
import { appendToFile, deleteFile, fileExpiry, insertFile, publishFile } from './files/store.ts'
import { rowByRow } from './row-by-row.ts'

/** The property that identifies an object in the report, in errors, and in the list of a metadata update. */
export type BulkKey = 'source_id' | 'code'

export interface BulkUpdate<Item extends object, Setup> {
  type: AsyncActionType
  /** Default: `source_id`. */
  known_by?: BulkKey
  /** The key of the object that an item updates, for the report and the errors. */
  key(item: Item): string
  /** Whether the errors of the result contain the key too. */
  names_source: boolean
  /** Called once per step: loads what all its items need. */
  prepare(ctx: Ctx, items: readonly Item[]): Promise<Setup>
  /** Updates an object, or creates it (`found` is false), or throws an `ApiError` to refuse the item. */
  item(ctx: Ctx, item: Item, setup: Setup): Promise<{ found: boolean }>
  /** Which of the refused keys exist, for the report; without it, every key exists that was not refused with `not_found`. */
  existing?(ctx: Ctx, keys: string[]): Promise<ReadonlySet<string>>
}

export interface BulkState {
  next: number
  report_id: FileRow['id']
}

/** Reads the items of an input in batches. */
interface Items<Input, Item> {
  count(input: Input): number
  slice(input: Input, from: number, until: number): Item[]
}

/**
 * Defines an update of many objects as an async action. Each object is updated independently: a refused one does not stop the
 * others, and a report lists the outcome of each (docs/reference/async-actions.md).
 */
export const defineBulkUpdate = <Item extends object, Setup>(definition: BulkUpdate<Item, Setup>) =>
  bulkAction<{ items: Item[] }, Item, Setup>(definition, {
    count: ({ items }) => items.length,
    slice: ({ items }, from, until) => items.slice(from, until),
  })

/** The same metadata for many objects. */
export type SharedMetadata<Key extends BulkKey = 'source_id'> = { [K in `${Key}s`]: string[] } & {
  metadata: Record<string, unknown>
}

/** One of these objects and its new metadata. */
export type WithMetadata<Key extends BulkKey = 'source_id'> = { [K in Key]: string } & {
  metadata: Record<string, unknown>
}

/**
 * The same for an update with shared metadata, which is stored once: copied for each of 100,000 source ids, a body of
 * permitted size would no longer fit into memory.
 */
export function defineMetadataUpdate<Setup, Key extends BulkKey = 'source_id'>(
  definition: BulkUpdate<WithMetadata<Key>, Setup>,
) {
  const key = definition.known_by ?? 'source_id'
  const keysOf = (input: SharedMetadata<Key>) => input[`${key}s` as `${Key}s`] as string[]
  return bulkAction<SharedMetadata<Key>, WithMetadata<Key>, Setup>(definition, {
    count: (input) => keysOf(input).length,
    slice: (input, from, until) =>
      keysOf(input)
        .slice(from, until)
        .map((value) => ({ [key]: value, metadata: input.metadata }) as WithMetadata<Key>),
  })
}

function bulkAction<Input extends object, Item extends object, Setup>(
  definition: BulkUpdate<Item, Setup>,
  { count, slice }: Items<Input, Item>,
): AsyncActionDefinition<Input, BulkState> {
  const { type, known_by = 'source_id', names_source, key, prepare, item: update } = definition
  return defineAsyncAction<Input, BulkState>({
    type,
    async begin(ctx) {
      const reportId = await insertFile(ctx, { expires_at: fileExpiry(ctx) })
      await appendToFile(ctx, reportId, Buffer.from(csvRow([known_by, 'found', 'updated', 'message'])))
      return { next: 0, report_id: reportId }
    },
    async step(ctx, input, { next, report_id }) {
      const itemsCount = count(input)
      const last = Math.min(next + limits.bulk_step_items, itemsCount)
      const batch = slice(input, next, last)
      const setup = await prepare(ctx, batch)
      const lines: ReportLine[] = batch.map((item) => ({ key: key(item), found: false, refusal: null }))
      const { done } = await rowByRow(
        ctx,
        batch,
        async (item, index) => {
          const { found } = await update(ctx, item, setup)
          lines[index] = { key: key(item), found, refusal: null }
        },
        (item, refusal, index) => {
          lines[index] = { key: key(item), found: refusal.key !== 'not_found', refusal }
          return refusal
        },
      )
      await markExistingRefused(ctx, definition, lines)
      await appendToFile(ctx, report_id, Buffer.from(lines.map(reportRow).join('')))
      return {
        state: { next: last, report_id },
        progress: itemsCount === 0 ? 100 : (last / itemsCount) * 100,
        done,
        failed: lines.flatMap((line) => errorOf(line, names_source ? known_by : null) ?? []),
        finished: last === itemsCount,
      }
    },
    async finish(ctx, _input, { state: { report_id }, done_count, failed_count, failed }) {
      const token = randomText(48)
      const expiresAt = fileExpiry(ctx)
      await publishFile(ctx, report_id, { token, expires_at: expiresAt })
      return {
        done_count,
        failed_count,
        reports: [`${ctx.settings.base_url}/v1/task-results/${token}`],
        reports_available_till: expiresAt,
        errors: failed,
      }
    },
    async onFailed(ctx, _input, state) {
      if (state !== null) await deleteFile(ctx, state.report_id)
    },
  })
}

/** The outcome of one item. */
interface ReportLine {
  key: string
  found: boolean
  refusal: ApiError | null
}

const reportRow = ({ key, found, refusal }: ReportLine): string =>
  csvRow([key, found, refusal === null, refusal === null ? '' : refusal.message])

/** Sets `found` of refused items: their update did not return whether the object exists. */
async function markExistingRefused<Item extends object, Setup>(
  ctx: Ctx,
  { existing }: BulkUpdate<Item, Setup>,
  lines: ReportLine[],
): Promise<void> {
  const refused = lines.filter(({ refusal }) => refusal !== null)
  if (existing === undefined || refused.length === 0) return
  const found = await existing(
    ctx,
    refused.map(({ key }) => key),
  )
  for (const line of refused) line.found = found.has(line.key)
}

function errorOf({ key, refusal }: ReportLine, keyName: BulkKey | null): object | null {
  if (refusal === null) return null
  const { message = errorMessage(refusal.key), details = '' } = refusal.facts
  return { message, details, key: refusal.key, ...(keyName === null ? {} : { [keyName]: key }) }
}
