import { ApiError, invalidPayload } from '../../core/http/errors.ts'

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
  if (!/^-?\d+$/.test(text.trim())) throw invalidPayload('Property .price must be integer')
  return Number(text)
}
