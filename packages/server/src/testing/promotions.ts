import { expect } from 'vitest'
import type { Shop } from './app.ts'

const db = (shop: Shop) => shop.service.runtime.database.db

/** Creates a promotion and returns its id. */
export async function newPromotion(shop: Shop, name = 'Promotion', tiers: object[] = []): Promise<string> {
  const { status, body } = await shop.call('POST', '/v1/campaigns', {
    name,
    campaign_type: 'PROMOTION',
    promotion: { tiers },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.id
}

export const percentOff = (percent: number) => ({ discount: { type: 'PERCENT', percent_off: percent } })

/** Creates a tier and returns it. */
export async function newTier(shop: Shop, campaign: string, body: object = {}) {
  const answer = await shop.call('POST', `/v1/promotions/${encodeURIComponent(campaign)}/tiers`, {
    name: 'Tier',
    action: percentOff(10),
    ...body,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

/** The events whose type has this prefix, the oldest first. */
export async function eventsOf(shop: Shop, prefix: string) {
  return db(shop)
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .where('type', 'like', `${prefix}%`)
    .orderBy('id')
    .select(['type', 'entity_id', 'data'])
    .$castTo<{ type: string; entity_id: string; data: Record<string, Record<string, unknown>> }>()
    .execute()
}

/** The tiers of a campaign as `A1 B2 C3`: name and hierarchy. */
export async function orderOf(shop: Shop, campaign: string): Promise<string> {
  const rows = await db(shop)
    .selectFrom('promotion_tiers')
    .where('project_id', '=', shop.project_id)
    .where('campaign_id', '=', campaign as `camp_${string}`)
    .orderBy('hierarchy')
    .orderBy('name')
    .select(['name', 'hierarchy'])
    .execute()
  return rows.map(({ name, hierarchy }) => `${name}${hierarchy}`).join(' ')
}
