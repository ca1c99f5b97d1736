import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../core/context.ts'
import { ApiError, duplicate } from '../../core/http/errors.ts'
import type { Id } from '../../core/lib/ids.ts'
import { whyNotCode } from './code-config.ts'
import { invalidVoucher } from './create.ts'
import {
  categoriesNamed,
  type Draft,
  type ImportTarget,
  insertDrafts,
  type KnownCode,
  lockCodes,
  type Switched,
  switchCodes,
} from './import-store.ts'
import { codeKey } from './store.ts'

/** How the rows of an import are read, whatever they are rows of. */
export interface CodeImport<Row> {
  home: ImportTarget
  /** The code of a row, as it stands there. */
  codeOf(row: Row): string | null | undefined
  /** What the row of a new code says; throws the refusal it meets. */
  draft(row: Row, code: string): Draft | Promise<Draft>
  /** What the row of a code says that its home has already; without it every code must be new. */
  change?(row: Row): CodeChange
}

/**
 * All that an import changes of a code that is there (docs/reference/imports.md#import-vouchers-as-csv and
 * docs/reference/imports.md#import-into-a-campaign-as-json).
 */
export interface CodeChange {
  active?: boolean
  /** Name or id. */
  category?: string
}

export interface Refused<Row> {
  row: Row
  reason: string
}

export interface Stored<Row> {
  row: Row
  id: Id<'voucher'>
  /** Null: the code was there already. */
  draft: Draft | null
}

/**
 * Brings the rows of a step in: each is read and checked on its own, then all are written together, with one statement for
 * those that exist and one for the new ones. Rows that name a code for the second time find it as the first has left it.
 */
export async function importCodes<Row>(
  ctx: Ctx,
  rows: readonly Row[],
  how: CodeImport<Row>,
): Promise<{ stored: Stored<Row>[]; refused: Refused<Row>[] }> {
  const { passed: named, refused } = await partitionRows(rows, (row) => nameRow(ctx, row, how))
  const stored: Stored<Row>[] = []
  const late: Named<Row>[] = []
  for (const wave of inWaves(named)) {
    const saved = await saveWave(ctx, wave, how)
    stored.push(...saved.stored)
    refused.push(...saved.refused)
    late.push(...saved.late)
    await setImmediate() // a file may name one code again and again, and the embedded database answers without a pause
  }
  if (late.length > 0) {
    // What somebody else made in this very moment is there now.
    const saved = await saveWave(ctx, late, how)
    stored.push(...saved.stored)
    refused.push(...saved.refused, ...saved.late.map(({ row, code }) => ({ row, reason: taken(code).message })))
  }
  const places = new Map(rows.map((row, index) => [row, index]))
  stored.sort((one, other) => (places.get(one.row) ?? 0) - (places.get(other.row) ?? 0))
  return { stored, refused }
}

interface Named<Row> {
  row: Row
  code: string
  code_key: string
}

function nameRow<Row>({ project }: Ctx, row: Row, { codeOf }: CodeImport<Row>): Named<Row> {
  const code = codeOf(row)?.trim() ?? ''
  if (code === '') throw invalidVoucher('Code is required')
  const reason = whyNotCode(code)
  if (reason !== null) throw invalidVoucher(reason)
  return { row, code, code_key: codeKey(project, code) }
}

/** As few groups as it takes for none to name a code twice. */
function inWaves<Row>(rows: readonly Named<Row>[]): Iterable<Named<Row>[]> {
  const times = new Map<string, number>()
  return Map.groupBy(rows, ({ code_key }) => {
    const time = times.get(code_key) ?? 0
    times.set(code_key, time + 1)
    return time
  }).values()
}

async function saveWave<Row>(ctx: Ctx, rows: readonly Named<Row>[], how: CodeImport<Row>) {
  const { home } = how
  const known = await lockCodes(
    ctx,
    rows.map(({ code_key }) => code_key),
  )
  const { passed, refused } = await partitionRows(
    rows,
    async (named) => {
      const found = known.get(named.code_key)
      if (found === undefined) return { named, draft: await how.draft(named.row, named.code) }
      return { named, found, change: changeOf(named, found, how) }
    },
    ({ row }) => row,
  )
  const changes = passed.filter((one) => one.found !== undefined)
  const drafts = passed.filter((one) => one.draft !== undefined)
  const beyond = drafts.splice(Math.max(0, home.room))
  for (const { named } of beyond) refused.push({ row: named.row, reason: home.beyond ?? '' })

  const categories = await categoriesNamed(ctx, [
    ...changes.flatMap(({ change }) => change.category ?? []),
    ...drafts.flatMap(({ draft }) => draft.category ?? []),
  ])
  await switchCodes(
    ctx,
    changes.map(({ found, change }): Switched => {
      const categoryId = change.category === undefined ? found.category_id : categories.get(change.category)
      return { ...found, wanted: { active: change.active ?? found.active, category_id: categoryId ?? null } }
    }),
  )
  const ids = await insertDrafts(
    ctx,
    home,
    drafts.map(({ draft }) => draft),
    categories,
  )
  const stored: Stored<Row>[] = changes.map(({ named, found }) => ({ row: named.row, id: found.id, draft: null }))
  const late: Named<Row>[] = []
  for (const [index, { named, draft }] of drafts.entries()) {
    const id = ids[index]
    if (id == null) late.push(named)
    else stored.push({ row: named.row, id, draft })
  }
  home.room -= drafts.length - late.length
  return { stored, refused, late }
}

/** Codes that live elsewhere, or in the bin, are taken (docs/reference/imports.md#import-vouchers-as-csv). */
function changeOf<Row>({ row, code }: Named<Row>, found: KnownCode, { home, change }: CodeImport<Row>): CodeChange {
  if (change === undefined || found.deleted_at !== null || found.campaign_id !== home.campaign_id) throw taken(code)
  return change(row)
}

const taken = (code: string): ApiError => duplicate('voucher', 'id', code)

/** Rows that pass a check of their own, as `read` makes them, and those that it refuses. */
async function partitionRows<From, To, Row = From>(
  rows: readonly From[],
  read: (from: From) => To | Promise<To>,
  rowOf: (from: From) => Row = (from) => from as unknown as Row,
): Promise<{ passed: To[]; refused: Refused<Row>[] }> {
  const passed: To[] = []
  const refused: Refused<Row>[] = []
  for (const from of rows)
    try {
      passed.push(await read(from))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      refused.push({ row: rowOf(from), reason: error.message })
    }
  return { passed, refused }
}
