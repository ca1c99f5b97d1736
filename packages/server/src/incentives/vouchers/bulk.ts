import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { notFound } from '../../core/http/errors.ts'
import { defineBulkUpdate, defineMetadataUpdate } from '../../core/jobs/bulk-update.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import type { BulkVoucher } from './import-schema.ts'
import { codeKey, toStored, updateVoucher, voucherQuery } from './store.ts'
import { mergedMetadata } from './update.ts'
import type { StoredVoucher } from './voucher.ts'

interface Setup {
  rules: MetadataRules
  /** The existing vouchers of the step, by code key. */
  vouchers: Map<string, StoredVoucher>
}

/** Merges metadata into existing vouchers without emitting events (docs/reference/imports.md#bulk-metadata). */
const eachVoucher = {
  known_by: 'code',
  key: ({ code }: BulkVoucher) => code,
  prepare: async (ctx: Ctx, items: readonly BulkVoucher[]): Promise<Setup> => ({
    rules: await loadMetadataRules(ctx, 'voucher'),
    vouchers: await lockVouchersByCode(ctx, items),
  }),
  async item(ctx: Ctx, { code, metadata }: BulkVoucher, { rules, vouchers }: Setup) {
    const key = codeKey(ctx.project, code)
    const voucher = vouchers.get(key)
    if (voucher === undefined) throw notFound('voucher', code)
    const merged = mergedMetadata(voucher, metadata, rules)
    await updateVoucher(ctx, voucher.id, { metadata: JSON.stringify(merged) })
    vouchers.set(key, { ...voucher, metadata: merged }) // the same code may occur again in this step
    return { found: true }
  },
} as const

export const updateVouchersInBulk = defineBulkUpdate<BulkVoucher, Setup>({
  ...eachVoucher,
  type: 'VOUCHERS.BULK_UPDATE',
  names_source: true,
})

export const updateVouchersMetadata = defineMetadataUpdate<Setup, 'code'>({
  ...eachVoucher,
  type: 'VOUCHERS.METADATA_UPDATE',
  names_source: false,
})

/** Locks all vouchers of a step at once, in the order of their ids, so that concurrent transactions cannot deadlock. */
async function lockVouchersByCode(ctx: Ctx, items: readonly BulkVoucher[]): Promise<Map<string, StoredVoucher>> {
  const keys = items.map(({ code }) => codeKey(ctx.project, code))
  const rows = await voucherQuery(ctx)
    .where(sql<boolean>`vouchers.code_key = any(${keys}::text[])`)
    .orderBy('vouchers.id')
    .forUpdate('vouchers')
    .execute()
  return new Map(rows.map((row) => [row.code_key, toStored(row)]))
}
