import { type History, publish, redeem, type Visitor, voucher } from './checkout.ts'
import { cartOf } from './goods.ts'
import { campaignNames, codes, thanksOrder, vipCodes, vipCustomer, vipGift } from './known.ts'
import { dayMs } from './plan.ts'

/** A step of the history: at a moment in Unix milliseconds. */
export interface Step {
  at: number
  run(): Promise<void>
}

/** What happens to the customer whose names are known: the same in every fill, so that guides and tests can tell of her. */
export function stepsOfElif(history: History): Step[] {
  const { shop, plan, club, friend_codes } = history
  const elif = history.visitors.find(({ source_id }) => source_id === vipCustomer.source_id) as Visitor
  const daysAgo = (days: number) => plan.present - days * dayMs
  const give = async (campaign: string, code: string) => {
    await shop.call('POST', `/v1/campaigns/${encodeURIComponent(campaign)}/vouchers/${code}`, {})
    await publish(history, elif, { voucher: code })
  }
  const mustRedeem = async (...call: Parameters<typeof redeem>) => {
    if ((await redeem(...call)) === null) throw new Error(`The demo shop could not redeem ${call[3][0]?.id}.`)
  }
  return [
    {
      at: plan.start + dayMs / 3,
      async run() {
        await give(club.id, vipCodes.club)
        elif.card = vipCodes.club
        elif.points = 20
        await give(club.friends_id, vipCodes.friends)
        friend_codes.push({ code: vipCodes.friends, owner: elif.source_id })
      },
    },
    { at: daysAgo(10), run: () => give(campaignNames.gift, vipCodes.gift) },
    {
      at: daysAgo(9),
      run: () =>
        mustRedeem(history, elif, cartOf('house-espresso', 3), [voucher(codes.newsletter)], { is_final: true }),
    },
    {
      at: daysAgo(6),
      run: () => {
        const card = { ...voucher(vipCodes.gift), gift: { credits: vipGift.spent } }
        return mustRedeem(history, elif, cartOf('bell-mug', 2), [card], { is_final: true })
      },
    },
    {
      at: daysAgo(4),
      async run() {
        await shop.call('POST', `/v1/vouchers/${vipCodes.thanks}`, {
          type: 'DISCOUNT_VOUCHER',
          discount: { type: 'AMOUNT', amount_off: 1_500 },
          redemption: { quantity: 1 },
          additional_info: 'For the parcel that came late.',
        })
        await publish(history, elif, { voucher: vipCodes.thanks })
      },
    },
    {
      at: daysAgo(2),
      run: () =>
        mustRedeem(history, elif, cartOf('moka-pot', 1), [voucher(vipCodes.thanks)], {
          order: thanksOrder,
          is_final: true,
        }),
    },
    {
      at: daysAgo(1),
      async run() {
        await redeem(history, elif, cartOf('house-espresso', 4), [voucher(codes.newsletter)], { is_final: true })
      },
    },
  ]
}
