import type { Ctx } from '../../core/context.ts'
import { shippingSourceId } from '../../core/db/built-in-products.ts'
import { duplicate, invalidPayload, isProtected } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { type CsvRow, defineCsvImport, readCells } from '../../core/jobs/csv-import.ts'
import { type ImportRow, importInBatches, type Refusal, readEach } from '../../core/jobs/file-import.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { checkPrice, priceFromText } from './check.ts'
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
    importInBatches(
      rows,
      (row) => parseProduct(row, rules),
      ({ source_id }) => source_id,
      (batch) => saveProducts(ctx, batch, rules),
    ),
  failure: ({ row, cells }) => {
    const sourceId = Object.entries(cells).find(([header]) => header.toLowerCase() === 'source_id')?.[1]
    return sourceId ? { source_id: sourceId, row } : { row }
  },
})

const validator = compileValidator(CreateProduct)

const columns = ['name', 'source_id', 'price', 'attributes', 'image_url'] as const

function parseProduct({ row, cells }: CsvRow, rules: MetadataRules): NewProduct & ImportRow {
  const { values, metadata } = readCells(cells, columns, rules)
  if (values.name === undefined) throw invalidPayload('Column name must not be empty')
  const product = {
    source_id: values.source_id ?? null,
    name: values.name,
    price: priceFromText(values.price),
    attributes: (values.attributes ?? '').split(',').flatMap((name) => name.trim() || []),
    image_url: values.image_url ?? null,
    metadata,
  }
  if (product.source_id === shippingSourceId) throw isProtected('product', shippingSourceId)
  const fault = validator.firstError(product, { root: 'Payload', required: 'should' })
  if (fault !== null) throw invalidPayload(fault)
  checkPrice(product.price, 'invalid_product')
  return { row, ...product }
}

async function saveProducts(ctx: Ctx, batch: Array<NewProduct & ImportRow>, rules: MetadataRules): Promise<Refusal[]> {
  const sourceIds = batch.flatMap(({ source_id }) => source_id ?? [])
  const knownSourceIds = new Set(
    (await listProductsByKey(ctx, sourceIds, { lock: 'keyShare' })).map(({ source_id }) => source_id),
  )
  // An import does not write the metadata of a known product, so it is not checked either.
  const { passed, refused } = await readEach(batch, (product) => {
    if (product.source_id === null || !knownSourceIds.has(product.source_id))
      rules.check(product.metadata ?? {}, { isNew: true })
    return product
  })
  const saved = await insertProducts(ctx, passed, [replaced('name')])
  const savedIds = new Set(saved.map(({ product }) => product.source_id))
  for (const { row, source_id } of passed)
    if (source_id !== null && !savedIds.has(source_id))
      refused.push({ row, reason: duplicate('product', 'source_id', source_id).message })
  return refused
}
