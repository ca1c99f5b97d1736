import { sql } from 'kysely'
import { expect } from 'vitest'
import { generateVouchers } from '../incentives/campaigns/generate.ts'
import { updateVouchers } from '../incentives/campaigns/propagate.ts'
import { deleteVouchers } from '../incentives/campaigns/remove.ts'
import type { Shop } from './app.ts'
import { runAsyncActions } from './background.ts'

/** Runs the queued async actions of a shop's campaigns. */
export const runCampaignJobs = (shop: Shop): Promise<void> =>
  runAsyncActions(shop.service.runtime, shop.project_id, [generateVouchers, updateVouchers, deleteVouchers])

export const tenOff = { type: 'PERCENT', percent_off: 10 }

/** Creates a campaign, by default of discount coupons, and returns it. */
export async function newCampaign(shop: Shop, name: string, more: object = {}) {
  const voucher = { type: 'DISCOUNT_VOUCHER', discount: tenOff }
  const { status, body } = await shop.call('POST', '/v1/campaigns', { name, voucher, ...more })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}

/** Creates a voucher, by default a discount voucher, and returns it. */
export async function newVoucher(shop: Shop, code: string, more: object = {}) {
  const body = { type: 'DISCOUNT_VOUCHER', discount: tenOff, ...more }
  const answer = await shop.call('POST', `/v1/vouchers/${encodeURIComponent(code)}`, body)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

export const getVoucher = async (shop: Shop, code: string) =>
  (await shop.call('GET', `/v1/vouchers/${encodeURIComponent(code)}`)).body

/** The types of the events of a shop, in order. */
export async function eventsOf({ service, project_id }: Shop): Promise<string[]> {
  const { db } = service.runtime.database
  const rows = await db
    .selectFrom('events')
    .where('project_id', '=', project_id)
    .orderBy(sql`right(id, 18)`) // the time part of the id, for every kind of event
    .select(['type', 'id'])
    .execute()
  return rows.map(({ type }) => type)
}
