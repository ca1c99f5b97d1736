import { ApiError } from '../../core/http/errors.ts'

/**
 * A price below nothing has the shape of a price: it is a fault of the object, not of the payload
 * (docs/reference/errors.md#when-keys-about-input-and-resources-are-sent and docs/reference/products.md#the-product-object).
 */
export function checkPrice(price: number | null | undefined, key: 'invalid_product' | 'invalid_sku'): void {
  if (typeof price === 'number' && price < 0) throw new ApiError(key, { details: 'Property .price must be >= 0' })
}
