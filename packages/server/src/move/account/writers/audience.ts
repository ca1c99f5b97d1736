import type { Filter } from '@guerdon/engine/schema'
import { readSegmentFilter } from '../../../audience/segments/filter.ts'
import { startRecomputes } from '../../../audience/segments/store.ts'
import { tally } from '../../../core/db/tallies.ts'
import { forEach, insertMain, insertParts, ownId, reference, type Writer } from '../batch.ts'
import {
  amount,
  type Foreign,
  instant,
  isForeign,
  LeftOut,
  list,
  moments,
  oneOf,
  part,
  requiredText,
  shape,
  text,
} from '../foreign.ts'
import { present } from '../insert-rows.ts'
import { keptId } from '../kept-id.ts'
import { insertConfiguration } from './definitions.ts'

export const customers: Writer = {
  list: 'customers',
  size: 1_000,
  async write(batch) {
    const { ctx } = batch
    const rows = await forEach(batch, (customer) => ({
      id: ownId(batch, 'customer', customer),
      source_id: text(customer, 'source_id'),
      name: text(customer, 'name'),
      description: text(customer, 'description'),
      email: text(customer, 'email'),
      phone: text(customer, 'phone'),
      birthdate: text(customer, 'birthdate'),
      birthday: text(customer, 'birthday'),
      address: shape(customer, 'address'),
      metadata: part(customer, 'metadata'),
      system_metadata: part(customer, 'system_metadata'),
      ...summaryOf(part(customer, 'summary')),
      loyalty: loyaltyOf(part(customer, 'loyalty')),
      referrals: referralsOf(part(customer, 'referrals')),
      ...moments(customer, batch.copied_at),
    }))
    const inserted = await insertMain(batch, 'customers', rows)
    if (inserted.length > 0) await tally(ctx.db, ctx.project_id, 'customers', inserted.length)
  },
}

/** The figures that the other service has added up; they are not added up again from its history. */
function summaryOf(summary: Foreign) {
  const redemptions = part(summary, 'redemptions')
  const orders = part(summary, 'orders')
  const gift = part(redemptions, 'gift')
  const count = amount(orders, 'total_count')
  return {
    orders_total_amount: amount(orders, 'total_amount'),
    orders_total_count: count,
    last_order_amount: count === 0 ? null : amount(orders, 'last_order_amount'),
    last_order_date: instant(orders, 'last_order_date'),
    redemptions_succeeded: amount(redemptions, 'total_succeeded'),
    redemptions_failed: amount(redemptions, 'total_failed'),
    redemptions_rolled_back: amount(redemptions, 'total_rolled_back'),
    rollbacks_succeeded: amount(redemptions, 'total_rollback_succeeded'),
    rollbacks_failed: amount(redemptions, 'total_rollback_failed'),
    gift_redeemed_amount: amount(gift, 'redeemed_amount'),
    gift_amount_to_go: amount(gift, 'amount_to_go'),
    redeemed_points: amount(part(redemptions, 'loyalty_card'), 'redeemed_points'),
  }
}

const loyaltyOf = (loyalty: Foreign) => ({
  points: amount(loyalty, 'points'),
  referred_customers: amount(loyalty, 'referred_customers'),
  campaigns: Object.fromEntries(
    Object.entries(part(loyalty, 'campaigns')).flatMap(([name, one]) => {
      if (!isForeign(one)) return []
      const tier = reference('loyalty_tier', one, 'loyalty_tier')
      const figures = { points: amount(one, 'points'), referred_customers: amount(one, 'referred_customers') }
      return [[name, { ...figures, ...(tier === null ? {} : { loyalty_tier: tier }) }]]
    }),
  ),
})

const referralsOf = (referrals: Foreign) => {
  const campaigns = list(referrals, 'campaigns')
    .filter(isForeign)
    .map((referral) => ({
      campaign_id: keptId('campaign', requiredText(referral, 'campaign_id')),
      referrer_id: keptId('customer', requiredText(referral, 'referrer_id')),
      related_object_id: text(referral, 'related_object_id'),
      related_object_type: text(referral, 'related_object_type'),
      date: instant(referral, 'date'),
    }))
  return { total: campaigns.length, campaigns }
}

export const segments: Writer = {
  list: 'segments',
  size: 100,
  async write(batch) {
    const { ctx } = batch
    const rows = await forEach(batch, async (segment) => {
      const type = oneOf(segment, 'type', ['auto-update', 'passive', 'static'])
      const definition =
        type === 'static' ? null : await readSegmentFilter(ctx, shape(segment, 'filter') as Filter | null)
      return {
        id: ownId(batch, 'segment', segment),
        name: requiredText(segment, 'name'),
        type,
        filter: definition?.filter ?? null,
        is_day_relative: definition?.is_day_relative ?? false,
        ...moments(segment, batch.copied_at),
      }
    })
    const inserted = await insertConfiguration(batch, 'segments', rows)
    // Their members are computed once the customers are there; nobody is told that they entered.
    const dynamic = inserted.filter(({ type }) => type !== 'static').map(({ id }) => id)
    if (dynamic.length > 0) await startRecomputes(ctx, dynamic, { silent: true })
  },
}

export const segmentMembers: Writer = {
  list: 'segment-members',
  size: 1_000,
  async write(batch) {
    const { ctx, objects, report } = batch
    const segmentIds = await present(
      ctx,
      'segments',
      objects.map((customer) => reference('segment', customer, 'parent_id')),
    )
    const customerIds = await present(
      ctx,
      'customers',
      objects.map((customer) => reference('customer', customer, 'id')),
    )
    const rows = await forEach(batch, (customer) => {
      const segmentId = keptId('segment', requiredText(customer, 'parent_id'))
      if (!segmentIds.has(segmentId)) throw new LeftOut('its segment was not carried over')
      const customerId = keptId('customer', requiredText(customer, 'id'))
      if (!customerIds.has(customerId)) throw new LeftOut('it is no customer of the copy')
      return { segment_id: segmentId, customer_id: customerId }
    })
    await insertParts(batch, 'segment_members', rows)
    report.written += rows.length
  },
}
