import { sql } from 'kysely'
import { newId } from '../core/lib/ids.ts'
import { type Shop, uniqueName } from './app.ts'
import { newCampaign } from './campaigns.ts'
import { ok } from './orders.ts'

/** Inserts a row of the shop directly into a table; objects are stored as JSON. */
export async function insertRow(shop: Shop, table: string, row: Record<string, unknown>): Promise<void> {
  const all = Object.entries({ project_id: shop.project_id, ...row })
  const values = all.map(([, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : value,
  )
  await sql`insert into ${sql.table(table)} (${sql.join(all.map(([name]) => sql.ref(name)))})
    values (${sql.join(values)})`.execute(shop.service.runtime.database.db)
}

export interface HeldCard {
  id: string
  code: string
  campaign_id: string
  customer_id: string
  source_id: string
}

/** A campaign that creates cards on demand, by default loyalty cards. */
export const newCardCampaign = (shop: Shop, voucher: object = { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } }) =>
  newCampaign(shop, uniqueName('Cards'), { type: 'AUTO_UPDATE', voucher })

/** Publishes a card of a campaign to a new customer. */
export async function newHeldCard(shop: Shop, campaign: { name: string }): Promise<HeldCard> {
  const sourceId = uniqueName('holder')
  const publication = await ok(shop, 'POST', '/v1/publications', {
    campaign: campaign.name,
    customer: { source_id: sourceId },
  })
  const { id, code, campaign_id } = publication.voucher
  return { id, code, campaign_id, customer_id: publication.customer_id, source_id: sourceId }
}

/** Inserts pending points of a card, as the service stores them; the id contains the time of activation. */
export async function insertPending(shop: Shop, card: HeldCard, row: Record<string, unknown> = {}): Promise<string> {
  const { activates_at = '2031-05-20', created_at = '2031-05-10T09:00:00.000Z', ...more } = row
  const id = newId('pending_points', Date.parse(String(activates_at)))
  const event = {
    id: newId('customer_event'),
    type: 'customer.order.paid',
    group_id: 'v-1',
    entity_id: card.customer_id,
    created_at,
    category: 'EFFECT',
    event_source: { channel: 'API', api_key: { name: 'Shop', app_id: 'app' } },
  }
  await insertRow(shop, 'pending_points', {
    id,
    voucher_id: card.id,
    campaign_id: card.campaign_id,
    customer_id: card.customer_id,
    order_id: 'ord_1',
    points: 10,
    activates_at,
    details: { event, earning_rule: { id: 'ern_1', source: {} }, order: { id: 'ord_1', source_id: null } },
    status: 'PENDING',
    created_at,
    ...more,
  })
  return id
}

/** Inserts a loyalty tier, by default Silver from 250 to 999 points. */
export async function insertTier(shop: Shop, campaignId: string, row: Record<string, unknown> = {}): Promise<string> {
  const id = newId('loyalty_tier')
  await insertRow(shop, 'loyalty_tiers', {
    id,
    campaign_id: campaignId,
    name: 'Silver',
    points_from: 250,
    points_to: 999,
    earning_rules: { ern_1: { type: 'MULTIPLY', multiplier: 2 } },
    rewards: {},
    metadata: {},
    created_at: '2031-01-05T00:00:00.000Z',
    config_version: 1,
    ...row,
  })
  return id
}

/** Replaces the member row of a card's holder. */
export async function putIntoTier(shop: Shop, card: HeldCard, row: Record<string, unknown>): Promise<void> {
  await sql`delete from loyalty_members where project_id = ${shop.project_id} and voucher_id = ${card.id}`.execute(
    shop.service.runtime.database.db,
  )
  const { id: voucherId, campaign_id, customer_id } = card
  await insertRow(shop, 'loyalty_members', { voucher_id: voucherId, campaign_id, customer_id, ...row })
}
