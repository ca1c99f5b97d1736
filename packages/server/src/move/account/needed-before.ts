/** The ledgers of cards and the members of programs, which the end of a run adds up from several lists (finish.ts). */
export const ledgers = 'the ledgers of cards'

/**
 * The lists that must be there before a list is written. Without them its rows lack what is not added later: a code its holder, a
 * redemption its campaign, a card its refunds and the days on which its points expire.
 */
const neededBefore: Readonly<Record<string, readonly string[]>> = {
  'segment-members': ['segments', 'customers'],
  vouchers: ['campaigns', 'customers'],
  'reward-assignments': ['rewards', 'campaigns'],
  'loyalty-tiers': ['campaigns'],
  'earning-rules': ['campaigns', 'segments'],
  'promotion-tiers': ['campaigns'],
  'promotion-stacks': ['campaigns', 'promotion-tiers'],
  'rule-assignments': ['rules', 'campaigns', 'vouchers', 'reward-assignments', 'earning-rules', 'promotion-tiers'],
  publications: ['customers', 'vouchers'],
  redemptions: ['customers', 'vouchers', 'promotion-tiers'],
  transactions: ['vouchers', 'redemptions'],
  'points-expirations': ['vouchers'],
  'pending-points': ['vouchers'],
  [ledgers]: [
    'customers',
    'loyalty-tiers',
    'publications',
    'redemptions',
    'transactions',
    'points-expirations',
    'pending-points',
  ],
}

/** What was written without a list already, so that the list comes too late; undefined: it may be written. */
export const writtenWithout = (list: string, isWritten: (other: string) => boolean): string | undefined =>
  Object.keys(neededBefore).find((other) => neededBefore[other]?.includes(list) && isWritten(other))
