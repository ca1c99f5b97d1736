import type { Ctx } from '../../core/context.ts'
import { shippingSourceId } from '../../core/db/built-in-products.ts'
import { duplicate, invalidPayload, isProtected } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { type CsvRow, defineCsvImport, type RowFailure } from '../../core/jobs/csv-import.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { checkPrice } from './check-price.ts'
import { importRows, type ParsedRow, partitionRows, readCells, readPrice } from './csv-rows.ts'
import { replaced } from './on-conflict.ts'
import { CreateProduct } from './schema.ts'
import { insertProducts, listProductsByKey, type NewProduct } from './store.ts'

/**
 * Imports products from a CSV file; for a known source id only the name is updated
 * (docs/reference/products.md#product-endpoints).
 */
export const importProducts = defineCsvImport<MetadataRules>({
  type: 'PRODUCTS.IMPORT_CSV',
  noun: 'product(s)',
  required: ['name'],
  prepare: (ctx) => loadMetadataRules(ctx, 'product'),
  rows: (ctx, rows, rules) =>
    importRows(
      rows,
      (row) => parseProduct(row, rules),
      (batch) => saveProducts(ctx, batch, rules),
    ),
  failure: ({ cells }) => {
    const sourceId = Object.entries(cells).find(([header]) => header.toLowerCase() === 'source_id')?.[1]
    return sourceId ? { source_id: sourceId } : {}
  },
})

const validator = compileValidator(CreateProduct)

function parseProduct(row: CsvRow, rules: MetadataRules): NewProduct {
  const headers = ['name', 'source_id', 'price', 'attributes', 'image_url'] as const
  const { values, metadata } = readCells(row, headers, rules)
  if (values.name === undefined) throw invalidPayload('Column name must not be empty')
  const product = {
    source_id: values.source_id ?? null,
    name: values.name,
    price: readPrice(values.price),
    attributes: (values.attributes ?? '').split(',').flatMap((name) => name.trim() || []),
    image_url: values.image_url ?? null,
    metadata,
  }
  if (product.source_id === shippingSourceId) throw isProtected('product', shippingSourceId)
  const fault = validator.firstError(product, { root: 'Payload', required: 'should' })
  if (fault !== null) throw invalidPayload(fault)
  checkPrice(product.price, 'invalid_product')
  return product
}

async function saveProducts(ctx: Ctx, batch: ParsedRow<NewProduct>[], rules: MetadataRules): Promise<RowFailure[]> {
  const sourceIds = batch.flatMap(({ good }) => good.source_id ?? [])
  const knownSourceIds = new Set(
    (await listProductsByKey(ctx, sourceIds, { lock: 'here' })).map(({ source_id }) => source_id),
  )
  // An import does not write the metadata of a known product, so it is not checked either.
  const { passed, failures } = partitionRows(
    batch,
    ({ row }) => row,
    (parsed) => {
      if (parsed.good.source_id === null || !knownSourceIds.has(parsed.good.source_id))
        rules.check(parsed.good.metadata ?? {}, { isNew: true })
      return parsed
    },
  )
  const saved = await insertProducts(
    ctx,
    passed.map(({ good }) => good),
    [replaced('name')],
  )
  const savedIds = new Set(saved.map(({ product }) => product.source_id))
  for (const { row, good } of passed)
    if (good.source_id !== null && !savedIds.has(good.source_id))
      failures.push({ row, reason: duplicate('product', 'source_id', good.source_id).message })
  return failures
}
