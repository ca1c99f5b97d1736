import type { Descriptions } from '../core/http/openapi-descriptions.ts'

/** Products, SKUs and product collections. */
export const catalogueDescriptions: Descriptions = {
  '*': {
    'path.productId': 'Id or source id of the product.',
    'path.skuId': 'Id or source id of the SKU.',
    'path.productCollectionId': 'Id of the product collection.',
  },
  Product: {
    $: 'A product of the catalogue.',
    source_id: 'Id in the system of the shop, unique among products; null without one.',
    name: 'Name of the product; null without one.',
    price: 'Price of a unit, in minor units; null without one.',
    attributes: 'Names of the attributes in which its SKUs differ: size, colour.',
    image_url: 'Address of a picture; null without one.',
    skus: 'The SKUs of the product.',
  },
  ProductWithSkus: { $like: 'Product', $: 'A product with its SKUs.' },
  CreateProduct: {
    $like: 'Product',
    id: 'Id of an existing product, which is updated.',
    source_id: 'Id in the system of the shop; a product with it is updated.',
  },
  UpdateProduct: { $like: 'Product' },
  BulkProducts: { $like: 'Product', source_id: 'Which product: created if there is none.' },
  BulkProductMetadata: { source_ids: 'Which products; unknown ones are created.' },
  ProductList: { products: 'The products of this page.' },
  Sku: {
    $: 'A variant of a product that is sold.',
    source_id: 'Id in the system of the shop, unique among SKUs; null without one.',
    product_id: 'Id of the product that it is a variant of.',
    sku: 'Name of the SKU; null without one.',
    price: 'Price of a unit, in minor units; null: that of the product.',
    currency: 'Currency of the price as ISO 4217 code; null without one.',
    attributes: 'Values of the attributes of the product: `{"size": "M"}`.',
    image_url: 'Address of a picture; null without one.',
  },
  CreateSku: {
    $like: 'Sku',
    id: 'Id of an existing SKU, which is updated.',
    source_id: 'Id in the system of the shop; an SKU with it is updated.',
  },
  UpdateSku: { $like: 'Sku' },
  SkuList: { skus: 'The SKUs of this page.' },
  SkusOfProduct: { $: 'The SKUs of a product.', data: 'The SKUs.' },
  CollectionSku: {
    $like: 'Sku',
    product: 'The product that it is a variant of.',
    'product.price': 'Price of the product, in minor units; null without one.',
    'product.attributes': 'Names of the attributes of the product.',
    'product.metadata': 'Metadata of the product.',
  },
  CollectionProductList: { data: 'The products and SKUs of this page.' },
  CollectionMember: { $: 'A member of a collection.', id: 'Id of the product or SKU.', object: 'What it is.' },
  ProductCollection: {
    $: 'A group of products and SKUs for rules and discounts.',
    name: 'Name of the collection.',
    type: 'Whether its members are listed (`STATIC`) or found by a filter.',
    filter: 'The conditions that members meet; only of `AUTO_UPDATE`.',
    products: 'The members; only of `STATIC`.',
  },
  CreateProductCollection: {
    $like: 'ProductCollection',
    'products.object': 'Whether the member is a product or an SKU.',
    'products.product_id': 'Of an SKU: the id of its product.',
  },
  UpdateProductCollection: { $like: 'ProductCollection' },
}
