import { type Guerdon, unwrap } from '@guerdon/client'
import { names } from './offers.ts'
import { customerOf } from './pricing.ts'
import { renewOrder, type Visitor } from './visitors.ts'

/** What the club shows to a member. */
export interface Membership {
  card: string
  friend_code: string
  points: number
  tier: string | null
  rewards: Array<{ id: string; name: string; points: number }>
  /** Codes that friends' orders have brought. */
  coupons: string[]
}

/** Gives the visitor a loyalty card and a code for friends. Who joins again gets the same ones. */
export async function joinClub(guerdon: Guerdon, visitor: Visitor): Promise<void> {
  const give = async (name: string) => {
    const { voucher } = unwrap(
      await guerdon.createPublication(
        { campaign: { name, count: 1 }, customer: customerOf(visitor) },
        { query: { join_once: true } },
      ),
    )
    if (voucher?.code === undefined) throw new Error(`${name} gave no code`)
    return voucher.code
  }
  visitor.club = { card: await give(names.club), friend_code: await give(names.friends) }
}

export async function membershipOf(guerdon: Guerdon, visitor: Visitor): Promise<Membership | null> {
  if (visitor.club === null) return null
  const { card, friend_code } = visitor.club
  const [member, tiers, rewards, coupons] = await Promise.all([
    guerdon.getLoyaltyMember({ memberId: card }),
    guerdon.listMemberTiers({ memberId: card }),
    guerdon.listMemberRewards({ memberId: card }),
    guerdon.listVouchers({ campaign: names.coupons, customer: customerOf(visitor).source_id }),
  ])
  return {
    card,
    friend_code,
    points: unwrap(member).loyalty_card?.balance ?? 0,
    tier: unwrap(tiers).data[0]?.name ?? null,
    rewards: unwrap(rewards).data.flatMap(({ reward, assignment }) =>
      reward && assignment
        ? [{ id: reward.id, name: reward.name ?? '', points: assignment.parameters?.loyalty?.points ?? 0 }]
        : [],
    ),
    coupons: unwrap(coupons)
      .vouchers.filter(({ redemption }) => redemption?.redeemed_quantity === 0)
      .map(({ code }) => code),
  }
}

/** Buys a reward with points; returns its code, or null if the points do not suffice. */
export async function takeReward(guerdon: Guerdon, visitor: Visitor, rewardId: string): Promise<string | null> {
  if (visitor.club === null) return null
  const taken = await guerdon.redeemMemberReward(
    { memberId: visitor.club.card },
    { reward: { id: rewardId } },
    { idempotencyKey: `reward-${visitor.order_id}` },
  )
  // Only a button that is pressed twice at once repeats the key, also if the cart has no room for the code.
  renewOrder(visitor)
  if (!taken.ok && taken.error.kind === 'refused' && taken.error.status < 500) return null
  const code = unwrap(taken).reward?.voucher?.code
  return typeof code === 'string' ? code : null
}
