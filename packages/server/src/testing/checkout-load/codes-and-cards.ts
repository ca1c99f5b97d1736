import { made, query, type Shop } from './shop.ts'

export const amountOff = (amount: number) => ({
  type: 'DISCOUNT_VOUCHER',
  discount: { type: 'AMOUNT', amount_off: amount, effect: 'APPLY_TO_ORDER' },
})

/** Creates a campaign with codes `<name>-0`, `<name>-1` and so on; returns its id. */
export async function newCodes(shop: Shop, name: string, count: number, voucher: object): Promise<string> {
  const { id } = await made(shop, 'POST', '/v1/campaigns', { name, type: 'STATIC', voucher })
  const numbers = Array.from({ length: count }, (_, number) => number)
  await Promise.all(numbers.map((number) => made(shop, 'POST', `/v1/campaigns/${id}/vouchers/${name}-${number}`, {})))
  return id
}

/** Assigns a validation rule with these upper limits: `limitTo(shop, { campaign: id }, { 'campaign.redemptions.count': 10 })`. */
export async function limitTo(
  shop: Shop,
  object: Record<'voucher' | 'campaign' | 'promotion_tier', string> | Record<string, string>,
  limits: Record<string, number>,
  more: object = {},
): Promise<void> {
  const names = Object.entries(limits)
  const rules = Object.fromEntries(
    names.map(([name, max], index) => [index + 1, { name, conditions: { $less_than_or_equal: [max] } }]),
  )
  const logic = names.map((_, index) => index + 1).join(' and ')
  const body = { ...(names.length === 0 ? {} : { rules: { ...rules, logic } }), ...more }
  const rule = await made(shop, 'POST', '/v1/validation-rules', body)
  const [[relatedObjectType, relatedObjectId]] = Object.entries(object) as [[string, string]]
  await made(shop, 'POST', `/v1/validation-rules/${rule.id}/assignments`, {
    related_object_type: relatedObjectType,
    related_object_id: relatedObjectId,
  })
}

/** A loyalty program whose points pay (10 for 1.00), and a card for each customer; half of its points expire in 300 days. */
export async function newCards(
  shop: Shop,
  holders: readonly string[],
  points: number,
): Promise<{ reward_id: string; cards: Array<{ code: string; id: string; holder: string }> }> {
  const program = await made(shop, 'POST', '/v1/campaigns', {
    name: 'Club',
    campaign_type: 'LOYALTY_PROGRAM',
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: points / 2 } },
  })
  const cards = await Promise.all(
    holders.map(async (holder) => {
      const { voucher } = await made(shop, 'POST', '/v1/publications', {
        campaign: 'Club',
        customer: { source_id: holder },
      })
      return { code: voucher.code as string, id: voucher.id as string, holder }
    }),
  )
  const { project_id } = shop
  for (const [index, { id }] of cards.entries())
    await query(
      shop,
      `with lot as (
        insert into lots (project_id, voucher_id, id, points, expires_at, created_at)
        values ($1, $2, $3, $4, current_date + 300, now()) returning *
      ), posting as (
        insert into postings (project_id, voucher_id, id, source, destination, amount, lot_id, expires_at, created_at)
        select project_id, voucher_id, $3, 'issued', voucher_id, points, id, expires_at, created_at from lot
      ) update vouchers set credits_added = credits_added + $4 where project_id = $1 and id = $2`,
      [project_id, id, `lopb_load${index}`, points / 2],
    )
  const reward = await made(shop, 'POST', '/v1/rewards', {
    name: 'Pay with points',
    parameters: { coin: { exchange_ratio: 1, points_ratio: 10 } },
  })
  await made(shop, 'POST', `/v1/loyalties/${program.id}/rewards`, [{ reward: reward.id }])
  return { reward_id: reward.id, cards }
}
