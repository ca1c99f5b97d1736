import type { Line } from './price.ts'

/** The cart that the page begins with. */
export const goods: readonly Line[] = [
  { id: 'widget-mug', name: 'Mug', price: 1_450, quantity: 2 },
  { id: 'widget-shirt', name: 'Shirt', price: 1_999, quantity: 0 },
]
