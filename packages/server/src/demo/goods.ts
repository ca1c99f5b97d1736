import type { Chance } from './chance.ts'
import { bestsellers, type DemoProduct, demoProducts, departments } from './products.ts'
import type { DemoShop } from './shop.ts'

/** What the offers name of the catalogue. */
export interface Goods {
  /** Ids of products by their source id. */
  products: ReadonlyMap<string, string>
  /** Ids of collections by their name. */
  collections: ReadonlyMap<string, string>
}

/** Puts the forty products and six collections into the catalogue. */
export async function addGoods({ call, clock }: DemoShop): Promise<Goods> {
  const products = new Map<string, string>()
  for (const { source_id, name, price, department, metadata, skus } of demoProducts) {
    clock.advance(2)
    const attributes = skus.length > 0 ? { attributes: ['size'] } : {}
    const body = { source_id, name, price, ...attributes, metadata: { department, ...metadata } }
    products.set(source_id, (await call('POST', '/v1/products', body)).id)
    for (const { source_id: skuId, sku, price: skuPrice } of skus) {
      // An SKU is in a collection by its own metadata.
      const more = { attributes: { size: sku }, metadata: { department } }
      await call('POST', `/v1/products/${source_id}/skus`, { source_id: skuId, sku, price: skuPrice, ...more })
    }
  }
  const collections = new Map<string, string>()
  const collect = async (name: string, body: object) => {
    clock.advance(5)
    collections.set(name, (await call('POST', '/v1/product-collections', { name, ...body })).id)
  }
  for (const department of departments)
    await collect(department, {
      type: 'AUTO_UPDATE',
      filter: { junction: 'and', 'metadata.department': { conditions: { $is: [department] } } },
    })
  await collect('Bestsellers', {
    type: 'STATIC',
    products: bestsellers.map((id) => ({ id: products.get(id), object: 'product' })),
  })
  return { products, collections }
}

/** A line of an order as the shop sends it; the price comes from the catalogue. */
export interface CartLine {
  related_object: 'product' | 'sku'
  source_id: string
  quantity: number
}

export interface Cart {
  items: CartLine[]
  amount: number
  has_coffee: boolean
}

const weighted = demoProducts.map((product) => [product, product.weight] as const)

/** One to four lines, more often of what sells well. */
export function newCart(chance: Chance): Cart {
  const linesCount = chance.pickWeighted([
    [1, 35],
    [2, 35],
    [3, 20],
    [4, 10],
  ])
  const chosen = new Set<DemoProduct>()
  while (chosen.size < linesCount) chosen.add(chance.pickWeighted(weighted))
  const cart: Cart = { items: [], amount: 0, has_coffee: false }
  for (const product of chosen) addLine(cart, product, chance)
  return cart
}

function addLine(cart: Cart, { source_id, price, skus, department }: DemoProduct, chance: Chance): void {
  const quantity = price < 2_000 && chance.isTrue(0.35) ? chance.between(2, 3) : 1
  const sku = skus.length === 0 ? undefined : skus[chance.isTrue(0.2) ? 1 : 0]
  cart.items.push(
    sku === undefined
      ? { related_object: 'product', source_id, quantity }
      : { related_object: 'sku', source_id: sku.source_id, quantity },
  )
  cart.amount += (sku?.price ?? price) * quantity
  cart.has_coffee ||= department === 'Coffee'
}

/** A cart with these units of one product. */
export function cartOf(sourceId: string, quantity: number): Cart {
  const product = demoProducts.find(({ source_id }) => source_id === sourceId) as DemoProduct
  return {
    items: [{ related_object: 'product', source_id: sourceId, quantity }],
    amount: product.price * quantity,
    has_coffee: product.department === 'Coffee',
  }
}
