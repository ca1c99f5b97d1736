import type { Ctx } from '../../core/context.ts'
import { shippingSourceId } from '../../core/db/built-in-products.ts'
import { duplicate, invalidPayload, isProtected } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { type CsvRow, defineCsvImport, type RowFailure } from '../../core/jobs/csv-import.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { checkPrice } from './check-price.ts'
import { importRows, partitionRows, type ReadRow, readCells, readPrice } from './csv-rows.ts'
import { replaced } from './on-conflict.ts'
import { CreateProduct } from './schema.ts'
import { insertProducts, listProductsNamed, type NewProduct } from './store.ts'

/**
 * Products of a CSV file; of those that are known by their source id, only the name changes
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
      (row) => readProduct(row, rules),
      (group) => saveProducts(ctx, group, rules),
    ),
  failure: ({ cells }) => {
    const sourceId = Object.entries(cells).find(([header]) => header.toLowerCase() === 'source_id')?.[1]
    return sourceId ? { source_id: sourceId } : {}
  },
})

const shape = compileValidator(CreateProduct)

function readProduct(row: CsvRow, rules: MetadataRules): NewProduct {
  const headers = ['name', 'source_id', 'price', 'attributes', 'image_url'] as const
  const { said, metadata } = readCells(row, headers, rules)
  if (said.name === undefined) throw invalidPayload('Column name must not be empty')
  const product = {
    source_id: said.source_id ?? null,
    name: said.name,
    price: readPrice(said.price),
    attributes: (said.attributes ?? '').split(',').flatMap((name) => name.trim() || []),
    image_url: said.image_url ?? null,
    metadata,
  }
  if (product.source_id === shippingSourceId) throw isProtected('product', shippingSourceId)
  const fault = shape.fault(product, { root: 'Payload', required: 'should' })
  if (fault !== null) throw invalidPayload(fault)
  checkPrice(product.price, 'invalid_product')
  return product
}

async function saveProducts(ctx: Ctx, group: ReadRow<NewProduct>[], rules: MetadataRules): Promise<RowFailure[]> {
  const sourceIds = group.flatMap(({ good }) => good.source_id ?? [])
  const known = new Set((await listProductsNamed(ctx, sourceIds, { lock: 'here' })).map(({ source_id }) => source_id))
  // The metadata of a known product is not written, and so not asked for.
  const { passed, failures } = partitionRows(
    group,
    ({ row }) => row,
    (read) => {
      if (read.good.source_id === null || !known.has(read.good.source_id))
        rules.check(read.good.metadata ?? {}, { isNew: true })
      return read
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
