import { parse as parseJson } from 'secure-json-parse'
import type { Ctx } from '../../core/context.ts'
import { shippingId } from '../../core/db/built-in-products.ts'
import { ApiError, duplicate, invalidPayload, isProtected, notFound } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { type CsvRow, defineCsvImport, type RowFailure } from '../../core/jobs/csv-import.ts'
import { limits } from '../../core/lib/limits.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { importRows, partitionRows, type ReadRow, readCells, readPrice } from '../products/csv-rows.ts'
import { namedBy } from '../products/goods.ts'
import { replacedIfGiven } from '../products/on-conflict.ts'
import { listProductsNamed } from '../products/store.ts'
import { CreateSku } from './schema.ts'
import { insertSkus, listSkusNamed, type NewSku } from './store.ts'
import { checkFields } from './upsert.ts'

/**
 * SKUs of a CSV file; of those that are known by their source id, only `sku` and `price` change
 * (docs/reference/products.md#sku-endpoints).
 */
export const importSkus = defineCsvImport<MetadataRules>({
  type: 'SKUS.IMPORT_CSV',
  noun: 'sku(s)',
  required: ['product_id', 'source_id'],
  prepare: (ctx) => loadMetadataRules(ctx, 'product'),
  rows: (ctx, rows, rules) =>
    importRows(
      rows,
      (row) => readSku(row, rules),
      (group) => saveSkus(ctx, group, rules),
    ),
  failure: () => ({}),
})

const shape = compileValidator(CreateSku)

/** Its `product_id` is what the row calls the product, yet. */
function readSku(row: CsvRow, rules: MetadataRules): NewSku & { source_id: string } {
  const headers = ['product_id', 'source_id', 'sku', 'price', 'image_url', 'attributes'] as const
  const { said, metadata } = readCells(row, headers, rules)
  const { product_id, source_id } = said
  if (product_id === undefined) throw invalidPayload('Column product_id must not be empty')
  if (source_id === undefined) throw invalidPayload('Column source_id must not be empty')
  const fields = {
    sku: said.sku ?? null,
    price: readPrice(said.price),
    image_url: said.image_url ?? null,
    attributes: readAttributes(said.attributes),
    metadata,
  }
  const fault = shape.fault({ source_id, ...fields }, { root: 'Payload', required: 'should' })
  if (fault !== null) throw invalidPayload(fault)
  checkFields(fields)
  return { product_id, source_id, ...fields }
}

/** JSON in a cell, where double quotes are a nuisance: single ones are taken for them. */
function readAttributes(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  for (const json of [text, text.replaceAll("'", '"')])
    try {
      const value: unknown = parseJson(json)
      if (typeof value === 'object' && value !== null && !Array.isArray(value) && isStorable(value))
        return value as Record<string, unknown>
    } catch {
      // Not JSON, at least not yet.
    }
  throw new ApiError('invalid_sku', { details: 'Column attributes must be a JSON object' })
}

/** Whether the database has a form for it, and nothing will run out of stack over it. */
function isStorable(value: unknown, levelsMax: number = limits.body_nesting_max): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  if (levelsMax === 0) return false
  return Object.entries(value).every(([name, part]) => isStorable(name) && isStorable(part, levelsMax - 1))
}

async function saveSkus(
  ctx: Ctx,
  group: ReadRow<NewSku & { source_id: string }>[],
  rules: MetadataRules,
): Promise<RowFailure[]> {
  const products = await listProductsNamed(
    ctx,
    group.map(({ good }) => good.product_id),
    { lock: 'here' },
  )
  const productNamed = namedBy(products)
  const skus = await listSkusNamed(
    ctx,
    group.map(({ good }) => good.source_id),
    { lock: true },
  )
  const known = new Set(skus.map(({ source_id }) => source_id))
  const { passed, failures } = partitionRows(
    group,
    ({ row }) => row,
    ({ row, good }) => {
      const product = productNamed(good.product_id)
      if (product === undefined) throw notFound('product', good.product_id)
      if (product.id === shippingId) throw isProtected('product', good.product_id)
      // The metadata of a known SKU is not written, and so not asked for.
      if (!known.has(good.source_id)) rules.check(good.metadata ?? {}, { isNew: true })
      return { row, good: { ...good, product_id: product.id } }
    },
  )
  const saved = await insertSkus(
    ctx,
    passed.map(({ good }) => good),
    [replacedIfGiven('skus', 'sku'), replacedIfGiven('skus', 'price')],
  )
  const savedIds = new Set(saved.map(({ sku }) => sku.source_id))
  for (const { row, good } of passed)
    if (!savedIds.has(good.source_id))
      failures.push({ row, reason: duplicate('sku', 'source_id', good.source_id).message })
  return failures
}
