/*
 * Names and codes of the demo shop that are the same in every fill, also in a small one: for the text that the command prints, and for
 * tests that look for them.
 */

/** The key that the demo shop is filled with; its name tells whether the fill has ended. */
export const demoKeyName = { filling: 'Demo shop (being filled)', filled: 'Demo shop' } as const

/** A customer with a bit of everything: VIP, member of the club, a gift card, a referral code, refused attempts. */
export const vipCustomer = {
  source_id: 'customer-elif',
  name: 'Elif Yılmaz',
  email: 'elif.yilmaz@example.com',
} as const

/** A customer of no segment. */
export const plainCustomer = {
  source_id: 'customer-jonas',
  name: 'Jonas Weber',
  email: 'jonas.weber@example.org',
} as const

export const campaignNames = {
  welcome: 'Welcome 10 %',
  newsletter: 'Newsletter 5.00',
  vip: 'VIP 20 %',
  sale: 'Big sale 25 %',
  /** Ends in three days. */
  beans: 'Beans of the month 15 %',
  freeMug: 'Free mug',
  tastingSet: 'Tasting set for 19.00',
  /** Has used more than 80 % of its budget. */
  influencer: 'Coffee blog partnership',
  /** Has used up its budget. */
  podcast: 'Podcast partnership',
  /** Has few codes left that nobody holds. */
  birthday: 'Birthday codes',
  clubCoupons: 'Club coupons',
  /** Switched off. */
  autumn: 'Autumn test',
  gift: 'Gift cards',
  cart: 'Cart promotions',
  club: 'Bell Club',
  friends: 'Bring a friend',
} as const

/** Codes that anybody may type. */
export const codes = {
  newsletter: 'NEWS5',
  vip: 'VIP20',
  sale: 'SALE25',
  beans: 'BEANS15',
  freeMug: 'FREEMUG',
  tastingSet: 'TASTING19',
  influencer: 'COFFEEBLOG',
  podcast: 'PODCAST',
} as const

/** Codes that Elif holds. */
export const vipCodes = {
  /** Has been redeemed once, and the redemption can be rolled back. */
  thanks: 'THANKS-ELIF',
  gift: 'GIFT-ELIF',
  club: 'CLUB-ELIF',
  friends: 'FRIEND-ELIF',
} as const

/** What is on Elif's gift card, in minor units. */
export const vipGift = { amount: 5_000, spent: 1_800 } as const

/** The order that Elif paid with `vipCodes.thanks`. */
export const thanksOrder = 'order-elif-thanks'

/** A code that Elif cannot use a second time, and the key of the refusal. */
export const refusedForVip = { code: codes.newsletter, key: 'redemption_rules_violated' } as const

export const segmentNames = {
  vip: 'VIP',
  newsletter: 'Newsletter readers',
  spenders: 'Big spenders',
  nearby: 'Near the Berlin store',
} as const
