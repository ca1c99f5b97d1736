import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../core/context.ts'
import { type ApiError, duplicate } from '../../core/http/errors.ts'
import { type ImportRow, importInBatches, type Refusal, readEach } from '../../core/jobs/file-import.ts'
import type { Id } from '../../core/lib/ids.ts'
import { whyNotCode } from './code-config.ts'
import { invalidVoucher } from './create.ts'
import {
  type CodeChange,
  categoriesByReference,
  type Draft,
  type ImportTarget,
  insertDrafts,
  type KnownCode,
  lockCodes,
  updateCodes,
} from './import-store.ts'
import { codeKey } from './store.ts'

/** How an import reads its rows, whatever their format. */
export interface CodeImport<Row extends ImportRow> {
  target: ImportTarget
  /** The code of a row, not yet trimmed or checked. */
  codeOf(row: Row): string | null | undefined
  /** The new voucher that a row describes; throws an ApiError to refuse the row. */
  draft(row: RowWithCode<Row>): Draft | Promise<Draft>
  /** The change to a code that exists in the target; without this function every code must be new. */
  change?(row: Row): CodeChange
}

type RowWithCode<Row> = Row & { code: string; code_key: string }

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
export async function importCodes<Row extends ImportRow>(
  ctx: Ctx,
  rows: readonly Row[],
  options: CodeImport<Row>,
): Promise<{ stored: StoredRow<Row>[]; refused: Refusal[] }> {
  const stored: StoredRow<Row>[] = []
  const conflicting: RowWithCode<Row>[] = []
  const refused = await importInBatches(
    rows,
    (row) => readCode(ctx, row, options),
    ({ code_key }) => code_key,
    async (batch) => {
      const saved = await saveBatch(ctx, batch, options)
      stored.push(...saved.stored)
      conflicting.push(...saved.conflicting)
      await setImmediate() // yields to other requests: a file may repeat one code many times, and the embedded database never pauses
      return saved.refused
    },
  )
  if (conflicting.length > 0) {
    // Retry codes that a concurrent transaction inserted meanwhile: they exist now.
    const saved = await saveBatch(ctx, conflicting, options)
    stored.push(...saved.stored)
    refused.push(...saved.refused)
    refused.push(...saved.conflicting.map(({ row, code }) => ({ row, reason: codeTaken(code).message })))
  }
  stored.sort((a, b) => a.row.row - b.row.row)
  return { stored, refused }
}

function readCode<Row extends ImportRow>({ project }: Ctx, row: Row, { codeOf }: CodeImport<Row>): RowWithCode<Row> {
  const code = codeOf(row)?.trim() ?? ''
  if (code === '') throw invalidVoucher('Code is required')
  const reason = whyNotCode(code)
  if (reason !== null) throw invalidVoucher(reason)
  return { ...row, code, code_key: codeKey(project, code) }
}

async function saveBatch<Row extends ImportRow>(ctx: Ctx, rows: RowWithCode<Row>[], options: CodeImport<Row>) {
  const { target } = options
  const keys = rows.map(({ code_key }) => code_key)
  const existingByKey = await lockCodes(ctx, keys)
  const { passed, refused } = await readEach(rows, async (row) => {
    const existing = existingByKey.get(row.code_key)
    if (existing === undefined) return { row, draft: await options.draft(row) }
    return { row, existing, change: changeOf(row, existing, options) }
  })
  const changes = passed.filter((row) => row.existing !== undefined)
  const created = passed.filter((row) => row.draft !== undefined)
  for (const { row } of created.splice(Math.max(0, target.capacity)))
    refused.push({ row: row.row, reason: target.limitMessage ?? '' })

  const drafts = created.map(({ draft }) => draft)
  const categories = await categoriesByReference(
    ctx,
    [...changes.map(({ change }) => change), ...drafts].flatMap(({ category }) => category ?? []),
  )
  await updateCodes(ctx, changes, categories)
  const ids = await insertDrafts(ctx, target, drafts, categories)
  const stored: StoredRow<Row>[] = changes.map(({ row, existing }) => ({ row, id: existing.id, draft: null }))
  const conflicting: RowWithCode<Row>[] = []
  for (const [index, { row, draft }] of created.entries()) {
    const id = ids[index]
    if (id == null) conflicting.push(row)
    else stored.push({ row, id, draft })
  }
  target.capacity -= created.length - conflicting.length
  return { stored, refused, conflicting }
}

/** A code of another campaign, or in the bin, counts as taken (docs/reference/imports.md#import-vouchers-as-csv). */
function changeOf<Row extends ImportRow>(
  row: RowWithCode<Row>,
  existing: KnownCode,
  { target, change }: CodeImport<Row>,
): CodeChange {
  if (change === undefined || existing.deleted_at !== null || existing.campaign_id !== target.campaign_id)
    throw codeTaken(row.code)
  return change(row)
}

const codeTaken = (code: string): ApiError => duplicate('voucher', 'id', code)
