import type { Schemas } from '../../api/client.ts'
import type { useReader } from '../../api/queries.ts'
import { textOfCents } from '../../ui/field.tsx'
import { type Chosen, type Line, newLine, type Situation } from './situation.ts'

type Read = ReturnType<typeof useReader>

/** What a simulation begins with: the parameters of the address that name an object. */
export interface Origin {
  code?: string | undefined
  campaign?: string | undefined
  tier?: string | undefined
  order?: string | undefined
  customer?: string | undefined
}

const tiersMax = 5

/** Reads the objects that the address names, and puts them into the situation. */
export async function prefilled(situation: Situation, origin: Origin, read: Read): Promise<Situation> {
  const order = origin.order ? await read('GET /v1/orders/{orderId}', { path: { orderId: origin.order } }) : undefined
  const customerId = origin.customer ?? order?.customer_id ?? situation.customer?.id
  const [customer, ofCampaign, ofTier] = await Promise.all([
    customerId ? customerOf(customerId, read) : null,
    origin.campaign ? choicesOfCampaign(origin.campaign, read) : [],
    origin.tier ? choiceOfTier(origin.tier, read) : [],
  ])
  const ofCode: Chosen[] = origin.code ? [{ object: 'voucher', id: origin.code }] : []
  return {
    ...situation,
    customer,
    lines: order ? linesOf(order) : situation.lines,
    chosen: [...situation.chosen, ...ofCode, ...ofTier, ...ofCampaign],
  }
}

async function customerOf(customerId: string, read: Read): Promise<Situation['customer']> {
  const { id, name, email, source_id } = await read('GET /v1/customers/{customerId}', { path: { customerId } })
  return { id, name: name ?? email ?? source_id ?? undefined }
}

/** The tiers of a promotion, or one code of a campaign that issues codes. */
async function choicesOfCampaign(campaignId: string, read: Read): Promise<Chosen[]> {
  const campaign = await read('GET /v1/campaigns/{campaignId}', { path: { campaignId } })
  const tiers = campaign.promotion?.tiers ?? []
  if (campaign.campaign_type === 'PROMOTION') {
    return tiers.slice(0, tiersMax).map(({ id, name }) => ({ object: 'promotion_tier', id, name }))
  }
  const { vouchers } = await read('GET /v1/vouchers', { query: { campaign_id: campaign.id, limit: 1 } })
  return vouchers.map(({ code }) => ({ object: 'voucher', id: code }))
}

async function choiceOfTier(promotionTierId: string, read: Read): Promise<Chosen[]> {
  const { id, name } = await read('GET /v1/promotions/tiers/{promotionTierId}', { path: { promotionTierId } })
  return [{ object: 'promotion_tier', id, name }]
}

/** The lines of a stored order as they were ordered; an order without lines is one line of its amount. */
function linesOf({ items, amount }: Pick<Schemas['Order'], 'items' | 'amount'>): Line[] {
  if (items.length === 0) return amount === undefined ? [] : [newLine({ name: 'Order', price: textOfCents(amount) })]
  return items
    .filter(({ quantity, initial_quantity }) => (initial_quantity ?? quantity) > 0)
    .map(({ product_id, sku_id, product, sku, source_id, quantity, initial_quantity, price, amount }) => {
      const units = initial_quantity ?? quantity
      const unitPrice = price ?? (amount !== undefined && units > 0 ? Math.round(amount / units) : undefined)
      return newLine({
        ...(sku_id ? { sku_id } : product_id ? { product_id } : {}),
        name: sku?.sku ?? product?.name ?? source_id ?? 'Item',
        quantity: String(units),
        price: unitPrice === undefined ? '' : textOfCents(unitPrice),
      })
    })
}

/** A cart to begin with: goods of the catalogue, or made-up ones, and a code if there is one. */
export async function sampleOf(situation: Situation, read: Read): Promise<Situation> {
  const [{ products }, { vouchers }] = await Promise.all([
    read('GET /v1/products', { query: { limit: 3 } }),
    read('GET /v1/vouchers', { query: { limit: 20 } }),
  ])
  const priced = products.filter(({ price }) => price !== null)
  const lines = priced.map(({ id, name, source_id, price }, index) =>
    newLine({
      product_id: id,
      name: name ?? source_id ?? id,
      quantity: index === 0 ? '2' : '1',
      price: textOfCents(price ?? 0),
    }),
  )
  const madeUp = [newLine({ name: 'Mug', quantity: '2', price: '12.50' }), newLine({ name: 'T-shirt', price: '19.90' })]
  const code = vouchers.find(({ active, type }) => active && type === 'DISCOUNT_VOUCHER')?.code
  return {
    ...situation,
    lines: lines.length > 0 ? lines : madeUp,
    chosen: code ? [{ object: 'voucher', id: code }] : [],
  }
}
