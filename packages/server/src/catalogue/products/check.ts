import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { wholeNumberOf } from '../../core/http/numeric-text.ts'
import { minorUnitsHint } from '../../core/http/validation.ts'
import { type MetadataRules, refuseUnlessStorable } from '../../definitions/metadata-schemas/rules.ts'

/**
 * Refuses a negative price. It passes schema validation, so the error key is that of the object, not `invalid_payload`
 * (docs/reference/errors.md#when-keys-about-input-and-resources-are-sent and docs/reference/products.md#the-product-object).
 */
export function checkPrice(price: number | null | undefined, key: 'invalid_product' | 'invalid_sku'): void {
  if (typeof price === 'number' && price < 0) throw new ApiError(key, { details: 'Property .price must be >= 0' })
}

/** Parses a price in a CSV file: an integer in the smallest unit of the currency. */
export function priceFromText(text: string | undefined): number | null {
  if (text === undefined) return null
  const price = wholeNumberOf(text.trim())
  if (price === undefined) throw invalidPayload(`Property .price must be integer${minorUnitsHint('.price', text)}`)
  return price
}

/**
 * Checks the metadata of a product or SKU after it was written: only the upsert statement knows whether the row is new and what
 * its merged metadata is. An error rolls the write back. Merged metadata may be too large even if the sent part is not.
 */
export function checkMetadata(
  rules: MetadataRules,
  sent: Record<string, unknown> | null | undefined,
  { isNew, metadata }: { isNew: boolean; metadata: Record<string, unknown> },
): void {
  rules.check(sent ?? {}, { isNew })
  refuseUnlessStorable(metadata)
}
