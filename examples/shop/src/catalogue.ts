/** A product of the shop; prices in cents. */
export interface Product {
  id: string
  name: string
  about: string
  price: number
  kind: 'coffee' | 'gear' | 'treat'
}

export const products: readonly Product[] = [
  {
    id: 'house-espresso',
    name: 'House Espresso',
    about: 'Chocolate, hazelnut. 250\u00a0g',
    price: 1_190,
    kind: 'coffee',
  },
  {
    id: 'yirgacheffe',
    name: 'Yirgacheffe',
    about: 'Jasmine, lemon, light roast. 250\u00a0g',
    price: 1_490,
    kind: 'coffee',
  },
  { id: 'bell-mug', name: 'Bell Mug', about: 'Stoneware, glazed by hand', price: 1_450, kind: 'gear' },
  { id: 'dripper', name: 'Pour-over Dripper', about: 'Ceramic, for one or two cups', price: 2_490, kind: 'gear' },
  { id: 'grinder', name: 'Hand Grinder', about: 'Steel burrs, 40 settings', price: 7_900, kind: 'gear' },
  { id: 'biscotti', name: 'Almond Biscotti', about: 'Twice baked, in a tin', price: 690, kind: 'treat' },
]

export const findProduct = (id: string): Product | undefined => products.find((product) => product.id === id)

/** `1190` as `€11.90`. */
export const money = (cents: number): string => `${cents < 0 ? '−' : ''}€${(Math.abs(cents) / 100).toFixed(2)}`
