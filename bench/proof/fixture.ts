import { setTimeout } from 'node:timers/promises'
import { importFile } from '../measured-import.ts'
import { type BenchShop, call, newProject } from '../shop.ts'
import { fillTiers } from '../tiers.ts'

const customers = 1_000
/** There are LOOK-1, LOOK-2, …, which nobody redeems; and CODE-1, CODE-2, …, each good for one use. */
export const lookedAtCodes = 1_000

/** What the cases find in a shop. */
export interface Fixture {
  shop: BenchShop
  /** The id of the code in their middle. */
  middle_id: string
  /** By the number of their active tiers: projects of their own. */
  promotions: ReadonlyMap<number, BenchShop>
}

export interface FixtureSize {
  codes: number
  promotions: readonly number[]
}

const goods = ['mug', 'pot', 'lid', 'cup', 'jar', 'tray', 'bowl', 'dish', 'fork', 'pan'] as const

/** So many lines of goods that the shop knows. */
export const linesOf = (count: number) =>
  goods.slice(0, count).map((sourceId, index) => ({
    source_id: sourceId,
    related_object: 'product',
    quantity: 1 + (index % 3),
    price: 799 + 450 * index,
  }))

export const customerOf = (n: number) => ({ source_id: `customer-${n % customers}` })

export const stackedCodes = ['PERCENT-5', 'PERCENT-10', 'PERCENT-15', 'AMOUNT-100', 'AMOUNT-200'] as const

/** Goods and customers that the shop knows, codes of a campaign, five that go together, one that everybody uses. */
export async function furnish(shop: BenchShop, { codes, promotions }: FixtureSize): Promise<Fixture> {
  await furnishCatalogue(shop)
  for (const code of stackedCodes) {
    const [kind, value] = code.split('-') as ['PERCENT' | 'AMOUNT', string]
    const off = kind === 'PERCENT' ? { percent_off: Number(value) } : { amount_off: Number(value) }
    await newCode(shop, code, { discount: { type: kind, ...off } })
  }
  await newCode(shop, 'HOT', {
    discount: { type: 'PERCENT', percent_off: 10 },
    redemption: { quantity: 1_000_000_000 },
  })
  await importCodes(shop, 'Looked at', lookedAtCodes, 'LOOK')
  await importCodes(shop, 'Summer', codes)
  await generateCodes(shop, 'Handed out', codes)
  const { id: middleId } = await call(shop, 'GET', `/v1/vouchers/CODE-${codes >> 1}`)
  const projects = new Map<number, BenchShop>()
  for (const tiers of promotions) {
    const project = await newProject(shop, `${tiers} tiers`)
    await furnishCatalogue(project)
    await fillTiers(project, tiers)
    projects.set(tiers, project)
  }
  return { shop, middle_id: middleId, promotions: projects }
}

async function furnishCatalogue(shop: BenchShop): Promise<void> {
  for (const { source_id, price } of linesOf(goods.length))
    await call(shop, 'POST', '/v1/products', { source_id, name: source_id, price })
  const file = ['source_id', ...Array.from({ length: customers }, (_, n) => customerOf(n).source_id)].join('\n')
  await importFile(shop, '/v1/customers/importCSV', file)
}

const newCode = (shop: BenchShop, code: string, more: object) =>
  call(shop, 'POST', `/v1/vouchers/${code}`, { type: 'DISCOUNT_VOUCHER', ...more })

/** Makes a campaign with so many codes; answers how many seconds that took. */
export async function generateCodes(shop: BenchShop, name: string, count: number): Promise<number> {
  const start = performance.now()
  const { id } = await newCampaign(shop, name, count)
  for (;;) {
    const { vouchers_generation_status } = await call(shop, 'GET', `/v1/campaigns/${id}`)
    if (vouchers_generation_status === 'DONE') return (performance.now() - start) / 1_000
    if (vouchers_generation_status === 'FAILED') throw new Error(`the codes of ${name} were not made`)
    await setTimeout(20)
  }
}

/** Imports so many codes into a new campaign; answers how many seconds that took. */
export async function importCodes(shop: BenchShop, name: string, count: number, prefix = 'CODE'): Promise<number> {
  const { id } = await newCampaign(shop, name, 0)
  const csv = ['Code', ...Array.from({ length: count }, (_, n) => `${prefix}-${n + 1}`)].join('\n')
  const start = performance.now()
  await importFile(shop, `/v1/campaigns/${id}/importCSV`, csv)
  return (performance.now() - start) / 1_000
}

const newCampaign = (shop: BenchShop, name: string, vouchersCount: number) =>
  call(shop, 'POST', '/v1/campaigns', {
    name,
    campaign_type: 'DISCOUNT_COUPONS',
    type: 'STATIC',
    vouchers_count: vouchersCount,
    voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 }, redemption: { quantity: 1 } },
  })
