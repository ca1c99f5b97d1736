/** A product of the demo shop; prices in minor units. */
export interface DemoProduct {
  source_id: string
  name: string
  price: number
  department: Department
  /** How often it is bought, compared with others. */
  weight: number
  metadata: Record<string, string | number | boolean>
  skus: DemoSku[]
}

interface DemoSku {
  source_id: string
  sku: string
  price: number
}

export const departments = ['Coffee', 'Tea', 'Brewing gear', 'Cups and mugs', 'Treats'] as const
type Department = (typeof departments)[number]

/** A product as one line: name, price, weight, metadata. */
type Line = readonly [name: string, price: number, weight: number, metadata?: DemoProduct['metadata']]

const coffees: readonly Line[] = [
  ['Yirgacheffe', 1_490, 9, { origin: 'Ethiopia', roast: 'light' }],
  ['Sidamo Natural', 1_590, 7, { origin: 'Ethiopia', roast: 'light' }],
  ['Huehuetenango', 1_390, 7, { origin: 'Guatemala', roast: 'medium' }],
  ['Huila Supremo', 1_290, 9, { origin: 'Colombia', roast: 'medium' }],
  ['Cerrado', 1_090, 8, { origin: 'Brazil', roast: 'dark' }],
  ['Kenya AA', 1_790, 5, { origin: 'Kenya', roast: 'light' }],
  ['Sumatra Mandheling', 1_350, 4, { origin: 'Indonesia', roast: 'dark' }],
  ['House Espresso', 1_190, 14, { origin: 'Blend', roast: 'dark' }],
  ['Decaf Swiss Water', 1_390, 4, { origin: 'Mexico', roast: 'medium', decaf: true }],
  ['Geisha Reserve', 3_900, 1, { origin: 'Panama', roast: 'light' }],
]
const teas: readonly Line[] = [
  ['Darjeeling First Flush', 1_250, 5, { origin: 'India' }],
  ['Assam Breakfast', 890, 6, { origin: 'India' }],
  ['Sencha', 1_190, 5, { origin: 'Japan' }],
  ['Genmaicha', 990, 4, { origin: 'Japan' }],
  ['Jasmine Pearls', 1_490, 3, { origin: 'China' }],
  ['Rooibos Vanilla', 790, 4, { origin: 'South Africa', caffeine: false }],
  ['Peppermint', 590, 4, { origin: 'Morocco', caffeine: false }],
  ['Masala Chai', 990, 5, { origin: 'India' }],
]
const gear: readonly Line[] = [
  ['Pour-over Dripper', 2_490, 4, { material: 'ceramic' }],
  ['French Press 0.6 l', 3_290, 3, { material: 'glass' }],
  ['Moka Pot', 3_490, 3, { material: 'aluminium' }],
  ['Hand Grinder', 7_900, 2, { material: 'steel' }],
  ['Gooseneck Kettle', 8_900, 2, { material: 'steel', watts: 1_200 }],
  ['Digital Scale', 3_900, 2, { material: 'steel' }],
  ['Paper Filters, 100', 450, 8, { material: 'paper' }],
  ['Cold Brew Bottle', 2_690, 2, { material: 'glass' }],
  ['Milk Frother', 2_990, 2, { material: 'steel' }],
]
const cups: readonly Line[] = [
  ['Bell Mug', 1_450, 7, { material: 'stoneware' }],
  ['Espresso Cups, Set of 4', 2_990, 3, { material: 'porcelain' }],
  ['Cappuccino Cup', 1_250, 4, { material: 'porcelain' }],
  ['Travel Mug', 2_490, 4, { material: 'steel' }],
  ['Tea Bowl', 1_690, 2, { material: 'stoneware' }],
  ['Glass Teapot', 3_490, 2, { material: 'glass' }],
]
const treats: readonly Line[] = [
  ['Almond Biscotti', 690, 7, { vegan: false }],
  ['Dark Chocolate 70 %', 490, 8, { vegan: true }],
  ['Oat Cookies', 590, 6, { vegan: true }],
  ['Halva', 790, 3, { vegan: true }],
  ['Salted Caramels', 850, 4, { vegan: false }],
  ['Mochi Assortment', 1_290, 3, { vegan: true }],
  ['Tasting Set', 2_400, 3, { vegan: true, gift: true }],
]

const linesOf: Record<Department, readonly Line[]> = {
  Coffee: coffees,
  Tea: teas,
  'Brewing gear': gear,
  'Cups and mugs': cups,
  Treats: treats,
}

/** The forty products, the same in every fill. */
export const demoProducts: readonly DemoProduct[] = departments.flatMap((department) =>
  linesOf[department].map(([name, price, weight, metadata = {}]) => {
    const sourceId = slugOf(name)
    return { source_id: sourceId, name, price, department, weight, metadata, skus: skusOf(sourceId, department, price) }
  }),
)

/** Beans come in two sizes. */
function skusOf(sourceId: string, department: Department, price: number): DemoSku[] {
  if (department !== 'Coffee') return []
  return [
    { source_id: `${sourceId}-250g`, sku: '250 g', price },
    { source_id: `${sourceId}-1kg`, sku: '1 kg', price: Math.round((price * 3.6) / 10) * 10 },
  ]
}

/** `slugOf('French Press 0.6 l')` is `french-press-0-6-l`. */
function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

export const bestsellers = [
  'house-espresso',
  'yirgacheffe',
  'huila-supremo',
  'cerrado',
  'paper-filters-100',
  'bell-mug',
]
