import type pg from 'pg'
import { type BenchShop, call } from './shop.ts'

/** Objects of which both services have at least one, and what the places of their paths stand for. */
export interface Club {
  program_id: string
  card: string
  card_id: string
  tier_id: string
  reward_id: string
  referral_program_id: string
  referral_code: string
  referral_code_id: string
  segment_id: string
  validation_rule_id: string
  product_collection_id: string
}

const member = { source_id: 'member' }

/** A loyalty program with a member who has earned, a referral code with a holder, a segment, a collection and a rule that is used. */
export async function createClub(shop: BenchShop): Promise<Club> {
  const post = (path: string, body: object) => call(shop, 'POST', path, body)
  const product = await post('/v1/products', { name: 'Prize' })
  const { id: validationRuleId } = await post('/v1/validation-rules', {
    rules: { 1: { name: 'order.amount', conditions: { $more_than: [0] } }, logic: '1' },
  })
  const { id: programId } = await post('/v1/loyalties', {
    name: 'Club',
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } },
  })
  const { id: rewardId } = await post('/v1/rewards', { name: 'Prize', parameters: { product: { id: product.id } } })
  await post(`/v1/loyalties/${programId}/rewards`, [{ reward: rewardId, parameters: { loyalty: { points: 10 } } }])
  const [tier] = await post(`/v1/loyalties/${programId}/tiers`, [{ name: 'All', points: { from: 0 } }])
  await post(`/v1/loyalties/${programId}/earning-rules`, [
    {
      event: 'order.paid',
      loyalty: { type: 'FIXED', points: 10 },
      pending_points: { period_type: 'DAY', period_value: 90 },
      validation_rule_id: validationRuleId,
    },
  ])
  const { id: cardId, code: card } = await post(`/v1/loyalties/${programId}/members`, { customer: member })
  await post(`/v1/loyalties/members/${card}/balance`, { points: 100 })
  const order = await post('/v1/orders', { status: 'PAID', customer: member, amount: 1_000 })
  const { id: referralProgramId } = await post('/v1/campaigns', {
    name: 'Friends',
    campaign_type: 'REFERRAL_PROGRAM',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 100 } },
  })
  await post(`/v1/campaigns/${referralProgramId}/vouchers/FRIEND`, {})
  const { voucher: friend } = await post('/v1/publications', { voucher: 'FRIEND', customer: member })
  const segment = await post('/v1/segments', { name: 'Members', type: 'static', customers: [order.customer_id] })
  const collection = await post('/v1/product-collections', {
    name: 'Prizes',
    type: 'STATIC',
    products: [{ id: product.id, object: 'product' }],
  })
  await untilPending(shop, card)
  return {
    program_id: programId,
    card,
    card_id: cardId,
    tier_id: tier.id,
    reward_id: rewardId,
    referral_program_id: referralProgramId,
    referral_code: 'FRIEND',
    referral_code_id: friend.id,
    segment_id: segment.id,
    validation_rule_id: validationRuleId,
    product_collection_id: collection.id,
  }
}

/** Points of an order are earned after its answer. */
async function untilPending(shop: BenchShop, card: string): Promise<void> {
  while ((await call(shop, 'GET', `/v1/loyalties/members/${card}/pending-points`)).data.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 50))
}

/**
 * A hundred thousand members, each a copy of the first one, who has a hundred thousand transactions, and of whose events as many again tell; a
 * thousand holders of the referral code, and ten thousand amounts of pending points.
 */
export async function fillClub(client: pg.Client, { project_id }: BenchShop, club: Club): Promise<void> {
  const ofCard = `voucher_id = '${club.card_id}'`
  const copies = async (table: string, where: string, count: number, changed: string, data = 'null') => {
    const { rowCount } = await client.query(`
      insert into ${table} select copy.*
      from (select t as original, ${data} as data from ${table} t where project_id = '${project_id}' and ${where} limit 1) found
      cross join generate_series(1, ${count}) n cross join growth.size
      cross join growth.at(n::bigint * size.redemptions / ${count + 1}) at
      cross join lateral jsonb_populate_record(original, jsonb_build_object(${changed})) copy`)
    if (rowCount !== count) throw new Error(`${rowCount} copies in ${table} instead of ${count}`)
  }
  const copyEvents = (where: string, count: number, prefix: string) =>
    copies(
      'event_rows',
      where,
      count,
      `${id(prefix)}, 'position', 1 + n::bigint * size.redemptions / ${count + 1}, 'parts_id', null, 'data', found.data`,
      '(select e.data::text from events e where e.project_id = t.project_id and e.id = t.id)',
    )
  const id = (prefix: string) => `'id', '${prefix}' || growth.hex(at, 200000000 + n)`
  const cardId = `'v_' || growth.base62(size.from + 2) || lpad(n::text, 24, '0')`
  await client.query("set session_replication_role = 'replica'")
  await copies('vouchers', `id = '${club.card_id}'`, 100_000, `'id', ${cardId}, 'code', 'CLUB-' || n, 'code_key', 'CLUB-' || n, 'asset_id', gen_random_uuid()`)
  await copies('loyalty_members', ofCard, 100_000, `'voucher_id', ${cardId}`)
  await copies('voucher_transactions', ofCard, 100_000, id('vtx_'))
  await copies('pending_points', `${ofCard} and status = 'PENDING'`, 10_000, id('lopp_'))
  await copies('holders', `voucher_id = '${club.referral_code_id}'`, 1_000, `${id('rh_')}, 'customer_id', growth.customer_id(n)`)
  await copyEvents(`type = 'customer.voucher.loyalty_card.points_added'`, 100_000, 'evcus_')
  await copyEvents(`entity_id = '${club.segment_id}'`, 10_000, 'evseg_')
  await copyEvents(`entity_id = '${club.product_collection_id}'`, 10_000, 'evpc_')
  await client.query("set session_replication_role = 'origin'")
} // biome-ignore format: a table
