import { setTimeout } from 'node:timers/promises'
import { importFile } from '../measured-import.ts'
import { type BenchShop, call, newProject } from '../shop.ts'
import { fillTiers } from '../tiers.ts'

const customers = 1_000
/** Number of codes LOOK-1, LOOK-2, …, which are only read; the codes CODE-1, CODE-2, … can be redeemed once each. */
export const readOnlyCodes = 1_000

/** The data that the cases use. */
export interface Fixture {
  shop: BenchShop
  /** The id of the code in the middle of the list. */
  middle_id: string
  /** Separate projects, by their number of active tiers. */
  promotions: ReadonlyMap<number, BenchShop>
}

export interface FixtureSize {
  codes: number
  promotions: readonly number[]
}

const goods = ['mug', 'pot', 'lid', 'cup', 'jar', 'tray', 'bowl', 'dish', 'fork', 'pan'] as const

/** Order lines with products of the shop. */
export const linesOf = (count: number) =>
  goods.slice(0, count).map((sourceId, index) => ({
    source_id: sourceId,
    related_object: 'product',
    quantity: 1 + (index % 3),
    price: 799 + 450 * index,
  }))

export const customerOf = (n: number) => ({ source_id: `customer-${n % customers}` })

export const stackedCodes = ['PERCENT-5', 'PERCENT-10', 'PERCENT-15', 'AMOUNT-100', 'AMOUNT-200'] as const

/** Creates products, customers, campaigns with codes, five stackable codes, and one hot code. */
export async function createFixture(shop: BenchShop, { codes, promotions }: FixtureSize): Promise<Fixture> {
  await createCatalogue(shop)
  for (const code of stackedCodes) {
    const [kind, value] = code.split('-') as ['PERCENT' | 'AMOUNT', string]
    const off = kind === 'PERCENT' ? { percent_off: Number(value) } : { amount_off: Number(value) }
    await newCode(shop, code, { discount: { type: kind, ...off } })
  }
  await newCode(shop, 'HOT', {
    discount: { type: 'PERCENT', percent_off: 10 },
    redemption: { quantity: 1_000_000_000 },
  })
  await importCodes(shop, 'Looked at', readOnlyCodes, { prefix: 'LOOK' })
  for (let first = 0; first < codes; first += campaignCodesMax)
    await importCodes(
      shop,
      first === 0 ? 'Summer' : `Summer, from ${first}`,
      Math.min(codes - first, campaignCodesMax),
      { first },
    )
  await generateCodes(shop, 'Handed out', Math.min(codes, campaignCodesMax))
  const { id: middleId } = await call(shop, 'GET', `/v1/vouchers/CODE-${codes >> 1}`)
  const projects = new Map<number, BenchShop>()
  for (const tiers of promotions) {
    const project = await newProject(shop, `${tiers} tiers`)
    await createCatalogue(project)
    await fillTiers(project, tiers)
    projects.set(tiers, project)
  }
  return { shop, middle_id: middleId, promotions: projects }
}

async function createCatalogue(shop: BenchShop): Promise<void> {
  for (const { source_id, price } of linesOf(goods.length))
    await call(shop, 'POST', '/v1/products', { source_id, name: source_id, price })
  const file = ['source_id', ...Array.from({ length: customers }, (_, n) => customerOf(n).source_id)].join('\n')
  await importFile(shop, '/v1/customers/importCSV', file)
}

const newCode = (shop: BenchShop, code: string, more: object) =>
  call(shop, 'POST', `/v1/vouchers/${code}`, { type: 'DISCOUNT_VOUCHER', ...more })

/** Generates a campaign with codes; returns the duration in seconds. */
export async function generateCodes(shop: BenchShop, name: string, count: number): Promise<number> {
  const start = performance.now()
  const { id } = await newCampaign(shop, name, count)
  for (;;) {
    const { vouchers_generation_status } = await call(shop, 'GET', `/v1/campaigns/${id}`)
    if (vouchers_generation_status === 'DONE') return (performance.now() - start) / 1_000
    if (vouchers_generation_status === 'FAILED') throw new Error(`generating the codes of ${name} failed`)
    await setTimeout(20)
  }
}

/** The most codes of a campaign. */
const campaignCodesMax = 100_000

/** Imports codes into a new campaign, `prefix-1` first; returns the duration in seconds. */
export async function importCodes(
  shop: BenchShop,
  name: string,
  count: number,
  { prefix = 'CODE', first = 0 } = {},
): Promise<number> {
  const { id } = await newCampaign(shop, name, 0)
  const csv = ['Code', ...Array.from({ length: count }, (_, n) => `${prefix}-${first + n + 1}`)].join('\n')
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
