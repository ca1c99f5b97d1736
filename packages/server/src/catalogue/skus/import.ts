import { parse as parseJson } from 'secure-json-parse'
import type { Ctx } from '../../core/context.ts'
import { shippingId } from '../../core/db/built-in-products.ts'
import { ApiError, duplicate, invalidPayload, isProtected, notFound } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { type CsvRow, defineCsvImport, readCells } from '../../core/jobs/csv-import.ts'
import { type ImportRow, importInBatches, type Refusal, readEach } from '../../core/jobs/file-import.ts'
import { limits } from '../../core/lib/limits.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { priceFromText } from '../products/check.ts'
import { lookupByKey } from '../products/goods.ts'
import { replacedIfGiven } from '../products/on-conflict.ts'
import { listProductsByKey } from '../products/store.ts'
import { CreateSku } from './schema.ts'
import { insertSkus, listSkusByKey, type NewSku } from './store.ts'
import { checkFields } from './upsert.ts'

/**
 * Imports SKUs from a CSV file; for a known source id only `sku` and `price` are updated
 * (docs/reference/products.md#sku-endpoints).
 */
export const importSkus = defineCsvImport<MetadataRules>({
  type: 'SKUS.IMPORT_CSV',
  noun: 'sku(s)',
  required: ['product_id', 'source_id'],
  prepare: (ctx) => loadMetadataRules(ctx, 'product'),
  rows: (ctx, rows, rules) =>
    importInBatches(
      rows,
      (row) => parseSku(row, rules),
      ({ source_id }) => source_id,
      (batch) => saveSkus(ctx, batch, rules),
    ),
  failure: ({ row }) => ({ row }),
})

type SkuRow = NewSku & ImportRow & { source_id: string }

const validator = compileValidator(CreateSku)
const columns = ['product_id', 'source_id', 'sku', 'price', 'image_url', 'attributes'] as const

/** Parses a row; `product_id` is still the key in the row (id or source id), resolved by `saveSkus`. */
function parseSku({ row, cells }: CsvRow, rules: MetadataRules): SkuRow {
  const { values, metadata } = readCells(cells, columns, rules)
  const { product_id, source_id } = values
  if (product_id === undefined) throw invalidPayload('Column product_id must not be empty')
  if (source_id === undefined) throw invalidPayload('Column source_id must not be empty')
  const fields = {
    sku: values.sku ?? null,
    price: priceFromText(values.price),
    image_url: values.image_url ?? null,
    attributes: parseAttributes(values.attributes),
    metadata,
  }
  const fault = validator.firstError({ source_id, ...fields }, { root: 'Payload', required: 'should' })
  if (fault !== null) throw invalidPayload(fault)
  checkFields(fields)
  return { row, product_id, source_id, ...fields }
}

/** Parses a JSON cell; single quotes are accepted as double quotes, which CSV would need to escape. */
function parseAttributes(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  for (const json of [text, text.replaceAll("'", '"')])
    try {
      const value: unknown = parseJson(json)
      if (typeof value === 'object' && value !== null && !Array.isArray(value) && isStorable(value))
        return value as Record<string, unknown>
    } catch {
      // Not valid JSON: try the variant with replaced quotes, then refuse.
    }
  throw new ApiError('invalid_sku', { details: 'Column attributes must be a JSON object' })
}

/** Whether `jsonb` can store the value, and its nesting is shallow enough for recursive code. */
function isStorable(value: unknown, levelsMax: number = limits.body_nesting_max): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  if (levelsMax === 0) return false
  return Object.entries(value).every(([name, part]) => isStorable(name) && isStorable(part, levelsMax - 1))
}

async function saveSkus(ctx: Ctx, batch: SkuRow[], rules: MetadataRules): Promise<Refusal[]> {
  const productKeys = batch.map(({ product_id }) => product_id)
  const findProduct = lookupByKey(await listProductsByKey(ctx, productKeys, { lock: 'keyShare' }))
  const sourceIds = batch.map(({ source_id }) => source_id)
  const knownSourceIds = new Set(
    (await listSkusByKey(ctx, sourceIds, { lock: true })).map(({ source_id }) => source_id),
  )
  const { passed, refused } = await readEach(batch, (sku) => {
    const product = findProduct(sku.product_id)
    if (product === undefined) throw notFound('product', sku.product_id)
    if (product.id === shippingId) throw isProtected('product', sku.product_id)
    // An import does not write the metadata of a known SKU, so it is not checked either.
    if (!knownSourceIds.has(sku.source_id)) rules.check(sku.metadata ?? {}, { isNew: true })
    return { ...sku, product_id: product.id }
  })
  const saved = await insertSkus(ctx, passed, [replacedIfGiven('skus', 'sku'), replacedIfGiven('skus', 'price')])
  const savedIds = new Set(saved.map(({ sku }) => sku.source_id))
  for (const { row, source_id } of passed)
    if (!savedIds.has(source_id)) refused.push({ row, reason: duplicate('sku', 'source_id', source_id).message })
  return refused
}
