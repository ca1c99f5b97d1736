import type { Foreign } from './foreign.ts'

/**
 * How a list is walked to its end. The public contract ends pages at 99 or 100, so only short lists are read page by page.
 *
 * - `all`: one request answers with everything;
 * - `pages`: page by page, oldest first, and from the other end if there are more;
 * - `windows`: the list can be limited to a period, which is made so short that its pages reach every row;
 * - `vouchers`: campaign by campaign, see walk-vouchers.ts;
 * - `cursor`: by `starting_after_id`;
 * - `export`: a CSV file that the account writes, where the list exists for single objects only.
 */
type Walk = 'all' | 'pages' | 'windows' | 'vouchers' | 'cursor' | 'export'

export interface AccountList {
  /** The name of its file. */
  name: string
  walk: Walk
  path: string
  /** Path of the list of one parent, and the file with the parents. The rows get the id of the parent as `parent_id`. */
  of?: { list: string; path(parent: Foreign): string | null }
  query?: Readonly<Record<string, string>>
  /** Read further, once `pages` ends before the list does: the same list for each row of another one. */
  lanes?: { list: string; query(parent: Foreign): Readonly<Record<string, string>> }
  /** Whether it needs management keys. */
  is_managed?: true
  /** Sorting that the operation accepts. */
  order?: 'created_at' | 'id'
}

const encoded = (row: Foreign): string => encodeURIComponent(String(row.id))
const ofCampaigns = (types: readonly string[], path: (id: string) => string): NonNullable<AccountList['of']> => ({
  list: 'campaigns',
  path: (campaign) => (types.includes(String(campaign.campaign_type)) ? path(encoded(campaign)) : null),
})

/** Every list that is read, parents before the lists of their children. */
export const accountLists: readonly AccountList[] = [
  { name: 'metadata-schemas', walk: 'all', path: '/v1/metadata-schemas' },
  {
    name: 'event-schemas',
    walk: 'all',
    path: '/management/v1/projects/{project}/custom-event-schemas',
    is_managed: true,
  },
  { name: 'stacking-rules', walk: 'all', path: '/management/v1/projects/{project}/stacking-rules', is_managed: true },
  { name: 'categories', walk: 'all', path: '/v1/categories' },
  { name: 'locations', walk: 'pages', path: '/v1/locations', order: 'created_at' },
  { name: 'products', walk: 'pages', path: '/v1/products', order: 'created_at' },
  {
    name: 'skus',
    walk: 'pages',
    path: '',
    order: 'created_at',
    of: { list: 'products', path: (row) => `/v1/products/${encoded(row)}/skus` },
  },
  { name: 'collections', walk: 'pages', path: '/v1/product-collections', order: 'created_at' },
  { name: 'segments', walk: 'pages', path: '/v1/segments', order: 'created_at' },
  { name: 'rules', walk: 'pages', path: '/v1/validation-rules', order: 'created_at' },
  { name: 'campaigns', walk: 'pages', path: '/v1/campaigns', order: 'created_at' },
  { name: 'rewards', walk: 'pages', path: '/v1/rewards' },
  {
    name: 'reward-assignments',
    walk: 'pages',
    path: '',
    of: { list: 'rewards', path: (row) => `/v1/rewards/${encoded(row)}/assignments` },
  },
  {
    name: 'loyalty-tiers',
    walk: 'pages',
    path: '',
    order: 'created_at',
    of: ofCampaigns(['LOYALTY_PROGRAM'], (id) => `/v1/loyalties/${id}/tiers`),
  },
  {
    name: 'earning-rules',
    walk: 'pages',
    path: '',
    order: 'created_at',
    of: ofCampaigns(['LOYALTY_PROGRAM'], (id) => `/v1/loyalties/${id}/earning-rules`),
  },
  { name: 'promotion-tiers', walk: 'pages', path: '/v1/promotions/tiers', order: 'created_at' },
  { name: 'promotion-stacks', walk: 'pages', path: '/v1/promotions/stacks', order: 'created_at' },
  {
    name: 'rule-assignments',
    walk: 'pages',
    path: '',
    of: { list: 'rules', path: (row) => `/v1/validation-rules/${encoded(row)}/assignments` },
  },
  { name: 'customers', walk: 'windows', path: '/v1/customers', order: 'created_at' },
  {
    name: 'segment-members',
    walk: 'windows',
    path: '',
    order: 'created_at',
    of: {
      list: 'segments',
      path: (row) => (row.type === 'static' ? `/v1/customers?segment_id=${encoded(row)}` : null),
    },
  },
  { name: 'vouchers', walk: 'vouchers', path: '/v1/vouchers', order: 'created_at' },
  { name: 'orders', walk: 'pages', path: '/v1/orders', order: 'created_at' },
  {
    name: 'publications',
    walk: 'pages',
    path: '/v1/publications',
    order: 'created_at',
    lanes: { list: 'campaigns', query: (campaign) => ({ campaign: String(campaign.name) }) },
  },
  { name: 'redemptions', walk: 'windows', path: '/v1/redemptions', order: 'created_at' },
  {
    name: 'transactions',
    walk: 'cursor',
    path: '',
    order: 'id',
    of: ofCampaigns(['GIFT_VOUCHERS', 'LOYALTY_PROGRAM'], (id) => `/v1/campaigns/${id}/transactions`),
  },
  {
    name: 'points-expirations',
    walk: 'export',
    path: '',
    of: ofCampaigns(['LOYALTY_PROGRAM'], (id) => `/v1/loyalties/${id}/points-expiration/export`),
  },
  {
    name: 'pending-points',
    walk: 'cursor',
    path: '',
    order: 'id',
    of: ofCampaigns(['LOYALTY_PROGRAM'], (id) => `/v1/loyalties/${id}/pending-points`),
  },
]
