import type { Teller } from './teller.ts'

const firstPage = { query: { limit: 10 } }

/** A loyalty program: a member earns points and spends them on a reward. */
export async function tellClub({ tell }: Teller): Promise<void> {
  const club = { path: { campaignId: 'Club' } }
  await tell('createLoyaltyProgram', {
    body: {
      name: 'Club',
      type: 'AUTO_UPDATE',
      auto_join: true,
      voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 }, code_config: { pattern: 'CLUB-########' } },
    },
  })
  await tell('getLoyaltyProgram', club)
  await tell('listLoyaltyPrograms', firstPage)
  await tell('updateLoyaltyProgram', { ...club, body: { description: 'A point for every 1.00' } })
  const [rule] = await tell('createEarningRules', {
    ...club,
    body: [
      {
        event: 'order.paid',
        loyalty: {
          type: 'PROPORTIONAL',
          calculation_type: 'ORDER_TOTAL_AMOUNT',
          order: { total_amount: { every: 100, points: 1 } },
        },
      },
    ],
  })
  await tell('getEarningRule', { path: { ...club.path, earningRuleId: rule.id } })
  await tell('listEarningRules', { ...club, ...firstPage })
  await tell('createLoyaltyTiers', {
    ...club,
    body: [
      { name: 'Silver', points: { from: 0, to: 999 } },
      { name: 'Gold', points: { from: 1000 } },
    ],
  })
  await tell('listLoyaltyTiers', { ...club, ...firstPage })

  const card = await tell('createLoyaltyMember', { ...club, body: { customer: { source_id: 'customer-1' } } })
  const member = { path: { memberId: card.id } }
  await tell('getLoyaltyMember', member)
  await tell('listMemberActivity', { ...member, ...firstPage })
  await tell('listLoyaltyMembers', { ...club, ...firstPage })
  await tell('estimatePoints', {
    ...club,
    body: {
      customer: { source_id: 'customer-1' },
      order: { items: [{ source_id: 'mug', quantity: 2, price: 1450 }] },
    },
  })
  await tell('adjustMemberBalance', { ...member, body: { points: 100, reason: 'For the birthday' } })
  await tell('listMemberTiers', member)
  const reward = await tell('createReward', {
    body: { name: 'A mug', parameters: { product: { id: 'mug' } }, stock: 20 },
  })
  await tell('getReward', { path: { rewardId: reward.id } })
  await tell('listRewards', firstPage)
  await tell('assignLoyaltyRewards', {
    ...club,
    body: [{ reward: reward.id, parameters: { loyalty: { points: 50 } } }],
  })
  await tell('listLoyaltyRewards', { ...club, ...firstPage })
  await tell('listMemberRewards', member)
  await tell('redeemMemberReward', { ...member, body: { reward: { id: reward.id } } })
  await tell('listMemberTransactions', { ...member, ...firstPage })
}
