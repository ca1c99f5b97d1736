import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../core/context.ts'
import { ApiError, duplicate } from '../../core/http/errors.ts'
import type { Id } from '../../core/lib/ids.ts'
import { whyNotCode } from './code-config.ts'
import { invalidVoucher } from './create.ts'
import {
  categoriesByReference,
  type Draft,
  type ImportTarget,
  insertDrafts,
  type KnownCode,
  lockCodes,
  type UpdatedCode,
  updateCodes,
} from './import-store.ts'
import { codeKey } from './store.ts'

/** How an import reads its rows, whatever their format. */
export interface CodeImport<Row> {
  target: ImportTarget
  /** The code of a row, not yet trimmed or checked. */
  codeOf(row: Row): string | null | undefined
  /** The new voucher that a row describes; throws an ApiError to refuse the row. */
  draft(row: Row, code: string): Draft | Promise<Draft>
  /** The change to a code that exists in the target; without this function every code must be new. */
  change?(row: Row): CodeChange
}

/**
 * The fields of an existing voucher that an import can change (docs/reference/imports.md#import-vouchers-as-csv and
 * docs/reference/imports.md#import-into-a-campaign-as-json).
 */
export interface CodeChange {
  active?: boolean
  /** Name or id. */
  category?: string
}

export interface RefusedRow<Row> {
  row: Row
  reason: string
}

export interface StoredRow<Row> {
  row: Row
  id: Id<'voucher'>
  /** Null: the code existed already. */
  draft: Draft | null
}

/**
 * Imports the rows of a step. Each row is read and checked individually, then all are saved in one batch: one statement
 * for existing vouchers and one for new ones. A row that repeats a code sees the voucher as the earlier row left it.
 */
export async function importCodes<Row>(
  ctx: Ctx,
  rows: readonly Row[],
  options: CodeImport<Row>,
): Promise<{ stored: StoredRow<Row>[]; refused: RefusedRow<Row>[] }> {
  const { passed: rowsWithCode, refused } = await partitionRows(rows, (row) => readCode(ctx, row, options))
  const stored: StoredRow<Row>[] = []
  const conflicting: RowWithCode<Row>[] = []
  for (const batch of batchesWithoutRepeats(rowsWithCode)) {
    const saved = await saveBatch(ctx, batch, options)
    stored.push(...saved.stored)
    refused.push(...saved.refused)
    conflicting.push(...saved.conflicting)
    await setImmediate() // yields to other requests: a file may repeat one code many times, and the embedded database never pauses
  }
  if (conflicting.length > 0) {
    // Retry codes that a concurrent transaction inserted meanwhile: they exist now.
    const saved = await saveBatch(ctx, conflicting, options)
    stored.push(...saved.stored)
    refused.push(
      ...saved.refused,
      ...saved.conflicting.map(({ row, code }) => ({ row, reason: codeTaken(code).message })),
    )
  }
  const places = new Map(rows.map((row, index) => [row, index]))
  stored.sort((a, b) => (places.get(a.row) ?? 0) - (places.get(b.row) ?? 0))
  return { stored, refused }
}

interface RowWithCode<Row> {
  row: Row
  code: string
  code_key: string
}

function readCode<Row>({ project }: Ctx, row: Row, { codeOf }: CodeImport<Row>): RowWithCode<Row> {
  const code = codeOf(row)?.trim() ?? ''
  if (code === '') throw invalidVoucher('Code is required')
  const reason = whyNotCode(code)
  if (reason !== null) throw invalidVoucher(reason)
  return { row, code, code_key: codeKey(project, code) }
}

/** Groups rows into the fewest batches without a repeated code. */
function batchesWithoutRepeats<Row>(rows: readonly RowWithCode<Row>[]): Iterable<RowWithCode<Row>[]> {
  const times = new Map<string, number>()
  return Map.groupBy(rows, ({ code_key }) => {
    const time = times.get(code_key) ?? 0
    times.set(code_key, time + 1)
    return time
  }).values()
}

async function saveBatch<Row>(ctx: Ctx, rows: readonly RowWithCode<Row>[], options: CodeImport<Row>) {
  const { target } = options
  const existingByKey = await lockCodes(
    ctx,
    rows.map(({ code_key }) => code_key),
  )
  const { passed, refused } = await partitionRows(
    rows,
    async (entry) => {
      const existing = existingByKey.get(entry.code_key)
      if (existing === undefined) return { entry, draft: await options.draft(entry.row, entry.code) }
      return { entry, existing, change: changeOf(entry, existing, options) }
    },
    ({ row }) => row,
  )
  const changes = passed.filter((row) => row.existing !== undefined)
  const drafts = passed.filter((row) => row.draft !== undefined)
  const overLimit = drafts.splice(Math.max(0, target.capacity))
  for (const { entry } of overLimit) refused.push({ row: entry.row, reason: target.limitMessage ?? '' })

  const categories = await categoriesByReference(ctx, [
    ...changes.flatMap(({ change }) => change.category ?? []),
    ...drafts.flatMap(({ draft }) => draft.category ?? []),
  ])
  await updateCodes(
    ctx,
    changes.map(({ existing, change }): UpdatedCode => {
      const categoryId = change.category === undefined ? existing.category_id : categories.get(change.category)
      return { ...existing, wanted: { active: change.active ?? existing.active, category_id: categoryId ?? null } }
    }),
  )
  const ids = await insertDrafts(
    ctx,
    target,
    drafts.map(({ draft }) => draft),
    categories,
  )
  const stored: StoredRow<Row>[] = changes.map(({ entry, existing }) => ({
    row: entry.row,
    id: existing.id,
    draft: null,
  }))
  const conflicting: RowWithCode<Row>[] = []
  for (const [index, { entry, draft }] of drafts.entries()) {
    const id = ids[index]
    if (id == null) conflicting.push(entry)
    else stored.push({ row: entry.row, id, draft })
  }
  target.capacity -= drafts.length - conflicting.length
  return { stored, refused, conflicting }
}

/** A code of another campaign, or in the bin, counts as taken (docs/reference/imports.md#import-vouchers-as-csv). */
function changeOf<Row>(
  { row, code }: RowWithCode<Row>,
  existing: KnownCode,
  { target, change }: CodeImport<Row>,
): CodeChange {
  if (change === undefined || existing.deleted_at !== null || existing.campaign_id !== target.campaign_id)
    throw codeTaken(code)
  return change(row)
}

const codeTaken = (code: string): ApiError => duplicate('voucher', 'id', code)

/** Splits rows into those that `read` converts and those that it refuses with an ApiError. */
async function partitionRows<From, To, Row = From>(
  rows: readonly From[],
  read: (from: From) => To | Promise<To>,
  rowOf: (from: From) => Row = (from) => from as unknown as Row,
): Promise<{ passed: To[]; refused: RefusedRow<Row>[] }> {
  const passed: To[] = []
  const refused: RefusedRow<Row>[] = []
  for (const from of rows)
    try {
      passed.push(await read(from))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      refused.push({ row: rowOf(from), reason: error.message })
    }
  return { passed, refused }
}
