import type { Schemas } from '../api/client.ts'
import type { Tone } from '../ui/state.tsx'

export type CodeStatus = Schemas['CustomerRedeemable']['redeemable']['status']

export interface CodeState {
  word: string
  tone: Tone
  /** Since, until or from when. */
  when?: { word: 'since' | 'until' | 'from'; at: string }
}

type Code = Pick<
  Schemas['Voucher'],
  'active' | 'start_date' | 'expiration_date' | 'redemption' | 'gift' | 'loyalty_card'
>

/** Where a code is in its life. The order is that of the service: what was switched off is off, whatever else holds. */
export function statusOf(code: Code, now: number, isCampaignActive = true): CodeStatus {
  const { start_date, expiration_date, redemption, gift, loyalty_card } = code
  if (!code.active || !isCampaignActive) return 'DISABLED'
  if (expiration_date !== null && Date.parse(expiration_date) <= now) return 'EXPIRED'
  if (start_date !== null && Date.parse(start_date) > now) return 'NOT_ACTIVE_YET'
  if (redemption.quantity !== null && redemption.redeemed_quantity >= redemption.quantity) return 'USED'
  return (gift ?? loyalty_card)?.balance === 0 ? 'NO_BALANCE' : 'ACTIVE'
}

export function stateOf(code: Code, status: CodeStatus): CodeState {
  const { start_date, expiration_date } = code
  switch (status) {
    case 'DISABLED':
      return { word: 'Off', tone: 'neutral' }
    case 'EXPIRED':
      return { word: 'Expired', tone: 'bad', ...(expiration_date && { when: { word: 'since', at: expiration_date } }) }
    case 'NOT_ACTIVE_YET':
      return { word: 'Not yet', tone: 'info', ...(start_date && { when: { word: 'from', at: start_date } }) }
    case 'USED':
      return { word: 'Used up', tone: 'neutral' }
    case 'NO_BALANCE':
      return { word: 'Empty', tone: 'neutral' }
    case 'ACTIVE':
      return { word: 'Active', tone: 'good', ...(expiration_date && { when: { word: 'until', at: expiration_date } }) }
  }
}

export const codeKinds: Record<Schemas['Voucher']['type'], string> = {
  DISCOUNT_VOUCHER: 'Discount code',
  GIFT_VOUCHER: 'Gift card',
  LOYALTY_CARD: 'Loyalty card',
}

export const orderStates: Record<Schemas['Order']['status'], { word: string; tone: Tone }> = {
  CREATED: { word: 'Open', tone: 'info' },
  PAID: { word: 'Paid', tone: 'good' },
  FULFILLED: { word: 'Fulfilled', tone: 'good' },
  CANCELED: { word: 'Cancelled', tone: 'neutral' },
}

/** "3 of 100", or how often without a limit. */
export function usesOf({ redemption }: Pick<Schemas['Voucher'], 'redemption'>, number: (value: number) => string) {
  const { quantity, redeemed_quantity: used } = redemption
  return quantity === null ? number(used) : `${number(used)} of ${number(quantity)}`
}
