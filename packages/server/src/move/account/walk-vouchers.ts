import { limits } from '../../core/lib/limits.ts'
import { type AccountClient, AccountError } from './client.ts'
import type { Foreign } from './foreign.ts'
import { lastPage, type Stretch, totalOf, type Walked, walkPages, walkWindow } from './walks.ts'

/**
 * Codes, campaign by campaign: the pages of one campaign mostly reach all of its codes, which takes an account less work than the
 * periods of a list of millions. Codes without a campaign follow, and everything once more if the sum is not the total then.
 */
export function voucherWalk(client: AccountClient, walked: Walked, campaigns: readonly Foreign[]) {
  const ids = new Set(campaigns.map(({ id }) => id))
  return (cursor: Foreign) => walkVouchers(client, walked, { campaigns, ids }, cursor)
}

interface Campaigns {
  campaigns: readonly Foreign[]
  ids: ReadonlySet<unknown>
}

async function walkVouchers(
  client: AccountClient,
  walked: Walked,
  { campaigns, ids }: Campaigns,
  { campaign = 0, found = 0, loose = 0, inner = {} }: Foreign,
): Promise<Stretch> {
  const place = Number(campaign)
  const isLoose = place === campaigns.length
  const lane = laneOf(campaigns, place)
  const walkedLane = { ...walked, query: { ...walked.query, ...lane } }
  const stretch =
    place < campaigns.length
      ? await walkLane(client, walkedLane, inner as Foreign)
      : await walkLoose(client, walkedLane, place - campaigns.length, inner as Foreign)
  // An account that ignores the filter shows all codes.
  if (isLoose) stretch.rows = stretch.rows.filter(hasNoCampaign)
  else if (place > campaigns.length) stretch.rows = stretch.rows.filter(isNew(ids, Number(loose) > 0))
  const sum = Number(found) + stretch.rows.length
  const counts = { found: sum, loose: Number(loose) + (isLoose ? stretch.rows.length : 0) }
  if (stretch.next !== null) return { ...stretch, next: { campaign: place, ...counts, inner: stretch.next } }
  const isLast = place > campaigns.length || (isLoose && sum >= (await totalOf(client, walked)))
  return { ...stretch, next: isLast ? null : { campaign: place + 1, ...counts } }
}

const hasNoCampaign = ({ campaign_id }: Foreign): boolean =>
  campaign_id === undefined || campaign_id === null || campaign_id === ''

/** Whether a code was not read before: it belongs to none of the campaigns, or to none at all if such codes were not found. */
function isNew(ids: ReadonlySet<unknown>, wereLooseFound: boolean): (voucher: Foreign) => boolean {
  return (voucher) => (hasNoCampaign(voucher) ? !wereLooseFound : !ids.has(voucher.campaign_id))
}

/** The codes of a campaign; after the last one those of none, then all. */
function laneOf(campaigns: readonly Foreign[], place: number): Record<string, string> {
  const campaign = campaigns[place]
  if (campaign !== undefined) return { campaign_id: String(campaign.id) }
  return place === campaigns.length ? { 'filters[campaign_ids][conditions][$is_unknown][0]': 'true' } : {}
}

/** A short list by its pages, a long one by periods. */
async function walkLane(client: AccountClient, walked: Walked, cursor: Foreign): Promise<Stretch> {
  const isShort = cursor.from === undefined && (await totalOf(client, walked)) <= 2 * lastPage * limits.page_size_max
  return isShort ? walkPages(client, walked) : walkWindow(client, walked, cursor)
}

/** An account that does not know the filter refuses it: then only the walk over everything finds such codes. */
async function walkLoose(client: AccountClient, walked: Walked, round: number, cursor: Foreign): Promise<Stretch> {
  try {
    return await walkLane(client, walked, cursor)
  } catch (error) {
    if (round > 0 || !(error instanceof AccountError) || error.status !== 400) throw error
    return { rows: [], next: null, unreachable: 0 }
  }
}
