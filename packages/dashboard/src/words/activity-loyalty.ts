import type { Format } from '../ui/format.tsx'
import type { Tone } from '../ui/state.tsx'
import { plainMoney, pointsWords } from './gives.ts'
import type { Data, Named, Say } from './happening.ts'

const program = ({ campaign }: Data) => (campaign?.name ? ` in ${campaign.name}` : '')
const tier = (named: Named | undefined) => named?.name ?? 'a tier'
const points = (count: number | undefined, format: Format) => pointsWords(Math.abs(count ?? 0), format)
const pending = (words: (points: string) => string, tone: Tone): Say => {
  return ({ pending_points, voucher }, format) => ({
    words: words(points(pending_points?.points, format)),
    detail: pending_points?.activates_at && `due on ${format.date(pending_points.activates_at)}`,
    tone,
    code: voucher?.code,
  })
}

/** What happens to points, rewards and tiers. */
export const loyaltySayings: Record<string, Say> = {
  'customer.voucher.loyalty_card.points_added': ({ balance, transaction, voucher }, format) => {
    // What rules and rewards add is said by their own events.
    if (balance?.operation_type === 'AUTOMATIC') return null
    const verb = (balance?.points ?? 0) < 0 ? 'Lost' : 'Got'
    return {
      words: `${verb} ${points(balance?.points, format)} on ${voucher?.code ?? 'a card'}, by hand`,
      detail: transaction?.reason ?? undefined,
      tone: 'info',
      code: voucher?.code,
    }
  },
  'customer.voucher.loyalty_card.points_transferred': (data, format) => ({
    words:
      (data.balance?.points ?? 0) < 0
        ? `Moved ${points(data.balance?.points, format)} to ${data.destination_voucher?.code ?? 'another card'}`
        : `Received ${points(data.balance?.points, format)} from ${data.source_voucher?.code ?? 'another card'}`,
    detail: data.transaction?.reason ?? undefined,
    tone: 'info',
    code: data.voucher?.code,
  }),
  'customer.voucher.loyalty_card.points_expired': (data, format) => ({
    words: `Lost ${points(data.points, format)} that expired`,
    tone: 'warn',
    code: data.voucher?.code,
  }),
  'customer.voucher.loyalty_card.pending_points.added': pending((text) => `Will get ${text}`, 'info'),
  'customer.voucher.loyalty_card.pending_points.updated': pending((text) => `Will now get ${text}`, 'info'),
  'customer.voucher.loyalty_card.pending_points.canceled': pending((text) => `Lost ${text} that were pending`, 'warn'),
  'customer.voucher.loyalty_card.pending_points.activated': pending((text) => `Got ${text} that were pending`, 'good'),
  'customer.rewarded': ({ reward, balance, campaign }, format) => ({
    words: reward?.name
      ? `Got the reward ${reward.name}`
      : `Got ${balance?.points ? pointsWords(balance.points, format) : plainMoney(balance?.amount ?? 0, format)}`,
    detail: campaign?.name ?? undefined,
    tone: 'good',
  }),
  'customer.rewarded.loyalty_points': (data, format) => ({
    words: `Earned ${points(data.balance?.points, format)}${program(data)}`,
    detail: data.earning_rule?.source?.banner,
    tone: 'good',
    code: data.voucher?.code,
  }),
  'customer.loyalty.tier.joined': (data) => ({
    words: `Reached ${tier(data.loyalty_tier)}${program(data)}`,
    tone: 'good',
  }),
  'customer.loyalty.tier.left': (data) => ({ words: `Left ${tier(data.loyalty_tier)}${program(data)}`, tone: 'warn' }),
  'customer.loyalty.tier.upgraded': (data) => ({
    words: `Rose from ${tier(data.loyalty_tier_from)} to ${tier(data.loyalty_tier_to)}${program(data)}`,
    tone: 'good',
  }),
  'customer.loyalty.tier.downgraded': (data) => ({
    words: `Fell from ${tier(data.loyalty_tier_from)} to ${tier(data.loyalty_tier_to)}${program(data)}`,
    tone: 'warn',
  }),
  'customer.loyalty.tier.prolonged': (data) => ({
    words: `Keeps ${tier(data.loyalty_tier)}${program(data)}`,
    tone: 'good',
  }),
  'customer.loyalty.tier.expiration.changed': (data, format) => ({
    words: `The end of ${tier(data.loyalty_tier)} was moved`,
    detail: data.expiration_date ? `to ${format.date(data.expiration_date)}` : undefined,
    tone: 'neutral',
  }),
  'customer.reward_redemptions.pending': ({ reward }) => ({
    words: `The reward ${reward?.name ?? ''} is on its way`,
    tone: 'info',
  }),
  'customer.reward_redemptions.rolledback': ({ reward }) => ({
    words: `The reward ${reward?.name ?? ''} was taken back`,
    tone: 'warn',
  }),
}
