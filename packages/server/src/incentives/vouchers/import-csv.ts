import type { Discount } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { type Cells, type CsvRow, defineCsvImport, readCells } from '../../core/jobs/csv-import.ts'
import { type Instant, parseInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { listed } from '../../core/query/list.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { always, validityAfter } from '../../rules/terms/validity.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import { invalidVoucher } from './create.ts'
import { cachedDiscounts } from './import.ts'
import { importCodes, type StoredRow } from './import-codes.ts'
import { voucherColumns } from './import-schema.ts'
import { assignToNewVouchers, type CodeChange, cachedRules, type Draft, noCampaign } from './import-store.ts'
import { listVouchersById } from './store.ts'
import { toVoucher } from './voucher.ts'

interface Setup {
  rules: MetadataRules
  webhooks_enable: boolean
}

/**
 * Imports vouchers without a campaign from a CSV file; existing ones get a new `active` and category
 * (docs/reference/imports.md#import-vouchers-as-csv).
 */
export const importVouchersCsv = defineCsvImport<Setup, { webhooks_enable: boolean }>({
  type: 'VOUCHERS.IMPORT_CSV',
  noun: 'voucher(s)',
  known: voucherColumns,
  required: ['Code'],
  prepare: async (ctx, { webhooks_enable }) => ({ rules: await loadMetadataRules(ctx, 'voucher'), webhooks_enable }),
  failure: ({ row, cells }) => ({ code: cells.Code?.trim() || null, row }),
  async rows(ctx, rows, { rules, webhooks_enable }) {
    const discountFor = cachedDiscounts(ctx)
    const ruleFor = cachedRules(ctx)
    const { stored, refused } = await importCodes(ctx, rows, {
      target: { ...noCampaign },
      codeOf: ({ cells }) => cells.Code,
      change: ({ cells }) => changeIn(cells),
      async draft({ cells, code }) {
        const draft = await draftOf(cells, code, rules, discountFor)
        const ruleId = textIn(cells, 'Validation Rule ID')
        if (ruleId !== undefined) await ruleFor(ruleId)
        return draft
      },
    })
    await assignToNewVouchers(
      ctx,
      stored.flatMap(({ row: { cells }, id, draft }) => {
        const ruleId = draft === null ? undefined : textIn(cells, 'Validation Rule ID')
        return ruleId === undefined ? [] : [{ rule_id: ruleId, voucher_id: id }]
      }),
      { emitEvents: webhooks_enable },
    )
    if (webhooks_enable) await emitStored(ctx, stored)
    return refused
  },
})

async function draftOf(
  cells: Cells,
  code: string,
  rules: MetadataRules,
  discountFor: ReturnType<typeof cachedDiscounts>,
): Promise<Draft> {
  const type = typeIn(cells)
  const value = integerIn(cells, 'Value', 0)
  if (value === undefined) throw invalidPayload('Value is required')
  const discount = type === 'GIFT_VOUCHER' ? undefined : await discountIn(cells, value, discountFor)
  const startDate = dateIn(cells, 'Start Date') ?? null
  const expirationDate = dateIn(cells, 'Expiration Date') ?? null
  const validity = validityAfter(always, { start_date: startDate, expiration_date: expirationDate }, invalidVoucher)
  const quantity = integerIn(cells, 'Redemption Limit', 1) ?? null
  const { metadata } = readCells(cells, voucherColumns, rules)
  rules.check(metadata, { isNew: true })
  return {
    code,
    type,
    terms: discount === undefined ? {} : { discount },
    credits: type === 'GIFT_VOUCHER' ? value : null,
    category: textIn(cells, 'Category') ?? null,
    start_date: validity.start_date,
    expiration_date: validity.expiration_date,
    quantity,
    active: activeIn(cells) ?? true,
    additional_info: textIn(cells, 'Additional Info', limits.text_length_max) ?? null,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    redeemed_quantity: redeemedIn(cells, 'Redeemed Quantity', quantity, 'Redemption Limit'),
    redeemed: type === 'GIFT_VOUCHER' ? redeemedIn(cells, 'Redeemed Amount', value, 'Value') : 0,
  }
}

function typeIn(cells: Cells): 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' {
  const type = requiredIn(cells, 'Voucher Type')
  if (type !== 'DISCOUNT_VOUCHER' && type !== 'GIFT_VOUCHER')
    throw invalidPayload('Voucher Type must be DISCOUNT_VOUCHER or GIFT_VOUCHER')
  return type
}

/** The member that `Value` sets, by type of discount. */
const members: Readonly<Record<string, string>> = {
  AMOUNT: 'amount_off',
  PERCENT: 'percent_off',
  FIXED: 'fixed_amount',
  UNIT: 'unit_off',
}

function discountIn(cells: Cells, value: number, discountFor: ReturnType<typeof cachedDiscounts>): Promise<Discount> {
  const type = requiredIn(cells, 'Discount Type')
  if (!Object.hasOwn(members, type))
    throw invalidPayload(`Discount Type must be one of ${Object.keys(members).join(', ')}`)
  const member = members[type] as string
  const [effect, formula] = [textIn(cells, 'Discount Effect'), textIn(cells, 'Formula', limits.text_length_max)]
  const discountBody = {
    type,
    [member]: value,
    ...(formula === undefined ? {} : { [`${member}_formula`]: formula }),
    ...(effect === undefined ? {} : { effect }),
    ...(type === 'UNIT' ? { unit_type: requiredIn(cells, 'Discount Unit Type') } : {}),
  }
  return discountFor(discountBody, invalidVoucher)
}

/** What was used before the import, at most what there was to use. */
function redeemedIn(cells: Cells, column: string, most: number | null, mostColumn: string): number {
  const redeemed = integerIn(cells, column, 0) ?? 0
  if (most !== null && redeemed > most) throw invalidVoucher(`${column} must not be more than ${mostColumn}`)
  return redeemed
}

/** Emits an event for every stored row, even for one that changed nothing. */
async function emitStored(ctx: Ctx, stored: readonly StoredRow<CsvRow>[]): Promise<void> {
  const ids = [...new Set(stored.map(({ id }) => id))]
  const vouchers = new Map((await listVouchersById(ctx, ids)).map((voucher) => [voucher.id, voucher]))
  const assignments = Map.groupBy(
    await listAssignmentsOf(ctx, 'voucher', ids),
    ({ related_object_id }) => related_object_id,
  )
  await emitMany(
    ctx,
    stored.flatMap(({ id, draft }): NewEvent[] => {
      const storedVoucher = vouchers.get(id)
      if (storedVoucher === undefined) return []
      const ownAssignments = assignments.get(id) ?? []
      const voucher = {
        ...toVoucher(ctx, storedVoucher),
        validation_rules_assignments: listed('data', ownAssignments, { total: ownAssignments.length }),
      }
      const type = draft === null ? 'voucher.updated' : 'voucher.created'
      return [{ type, entity_id: id, data: { voucher, campaign: null } }]
    }),
  )
}

// Readers for the cells of a voucher file (docs/reference/imports.md#import-vouchers-as-csv). An empty cell counts as
// missing; errors name the column.

export function textIn(cells: Cells, column: string, lengthMax: number = limits.name_length_max): string | undefined {
  const text = cells[column]?.trim() ?? ''
  if (text === '') return undefined
  if ([...text].length > lengthMax) throw invalidPayload(`${column} must not have more than ${lengthMax} characters`)
  return text
}

function requiredIn(cells: Cells, column: string): string {
  const text = textIn(cells, column)
  if (text === undefined) throw invalidPayload(`${column} is required`)
  return text
}

export function integerIn(cells: Cells, column: string, minimum: number): number | undefined {
  const text = textIn(cells, column)
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value)) throw invalidPayload(`${column} must be an integer`)
  if (value < minimum) throw invalidPayload(`${column} must not be less than ${minimum}`)
  return value
}

export function dateIn(cells: Cells, column: string): Instant | undefined {
  const text = textIn(cells, column)
  if (text === undefined) return undefined
  const instant = parseInstant(text)
  if (instant === null) throw invalidPayload(`${column} cannot be recognized as a ISO-8601 compliant date`)
  return instant
}

export function activeIn(cells: Cells): boolean | undefined {
  const text = textIn(cells, 'Active')
  if (text === undefined) return undefined
  if (!/^(true|false)$/i.test(text)) throw invalidPayload('Active must be TRUE or FALSE')
  return text.toLowerCase() === 'true'
}

/** The changes of a row to an existing voucher: all other columns are ignored, and an empty cell keeps the stored value. */
export function changeIn(cells: Cells): CodeChange {
  const [active, category] = [activeIn(cells), textIn(cells, 'Category')]
  return { ...(active === undefined ? {} : { active }), ...(category === undefined ? {} : { category }) }
}
