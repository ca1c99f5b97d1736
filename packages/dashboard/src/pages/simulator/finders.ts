import { useReader } from '../../api/queries.ts'
import { textOfCents } from '../../ui/field.tsx'
import type { Chosen, Line } from './situation.ts'

export interface FoundCustomer {
  id: string
  name: string
  note: string
}

/** Customers whose name, e-mail or id begins with the text; without a text the newest. */
export function useCustomerFinder(): (text: string) => Promise<FoundCustomer[]> {
  const read = useReader()
  return async (text) => {
    const customers =
      text === ''
        ? (await read('GET /v1/customers', { query: { limit: 6 } })).customers
        : (await read('GET /v1/search', { query: { q: text, limit: 5 } })).customers
    return customers.map(({ id, name, email, source_id }) => ({
      id,
      name: name ?? email ?? source_id ?? id,
      note: (name ? email : source_id) ?? '',
    }))
  }
}

export interface FoundChoice extends Chosen {
  note: string
}

/** Codes that begin with the text, and promotions whose name contains it. */
export function useChoiceFinder(): (text: string) => Promise<FoundChoice[]> {
  const read = useReader()
  return async (text) => {
    const [codes, tiers] = await Promise.all([
      text === ''
        ? read('GET /v1/vouchers', { query: { limit: 5 } }).then(({ vouchers }) => vouchers)
        : read('GET /v1/search', { query: { q: text, limit: 5 } }).then(({ vouchers }) => vouchers),
      read('GET /v1/promotions/tiers', { query: { limit: 100 } }).then((list) => list.tiers),
    ])
    const fits = tiers.filter(({ name, banner = '' }) => `${name} ${banner}`.toLowerCase().includes(text.toLowerCase()))
    return [
      ...codes.map(({ code, campaign }) => ({ object: 'voucher' as const, id: code, note: campaign ?? 'Code' })),
      ...fits.slice(0, 5).map(({ id, name }) => ({ object: 'promotion_tier' as const, id, name, note: 'Promotion' })),
    ]
  }
}

export type FoundGood = Pick<Line, 'product_id' | 'sku_id' | 'name' | 'price'> & { note: string }

/** Products whose name or id begins with the text, each with its SKUs. */
export function useGoodFinder(): (text: string) => Promise<FoundGood[]> {
  const read = useReader()
  return async (text) => {
    const products =
      text === ''
        ? (await read('GET /v1/products', { query: { limit: 6 } })).products
        : await read('GET /v1/search', { query: { q: text, limit: 5 } }).then((found) =>
            Promise.all(
              found.products.map(({ id }) =>
                read('GET /v1/products/{productId}', { path: { productId: id }, query: {} }),
              ),
            ),
          )
    return products.flatMap(({ id, name, source_id, price, skus }) => [
      goodOf(name ?? source_id ?? id, price, { product_id: id }, 'Product'),
      ...(skus?.data ?? [])
        .slice(0, 5)
        .map((sku) =>
          goodOf(
            sku.sku ?? sku.source_id ?? sku.id,
            sku.price ?? price,
            { sku_id: sku.id },
            `SKU of ${name ?? source_id ?? id}`,
          ),
        ),
    ])
  }
}

const goodOf = (
  name: string,
  price: number | null,
  ids: Pick<Line, 'product_id' | 'sku_id'>,
  note: string,
): FoundGood => ({
  ...ids,
  name,
  price: price === null ? '' : textOfCents(price),
  note,
})
