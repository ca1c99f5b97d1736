import { msPerDay } from '@guerdon/engine'
import { sql } from 'kysely'
import type { ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { AttentionEntry } from './schema.ts'
import { counted } from './words.ts'

const daysAhead = 7

/** Campaigns that end within a week. */
export function campaignsEnding({ now }: Ctx, campaigns: readonly ConfiguredCampaign[]): AttentionEntry[] {
  const at = Date.parse(now)
  return campaigns.flatMap(({ id, name, expiration_date }) => {
    const left = expiration_date === null ? Number.POSITIVE_INFINITY : Date.parse(expiration_date) - at
    if (left <= 0 || left > daysAhead * msPerDay) return []
    const days = Math.floor(left / msPerDay)
    const when = days === 0 ? 'in less than a day' : `in ${counted(days, 'day')}`
    return [
      {
        id: `campaign_ending/${id}`,
        kind: 'campaign_ending' as const,
        severity: 'INFO' as const,
        message: `The campaign "${name}" ends ${when}.`,
        link: { place: 'campaign' as const, id },
        data: { campaign_id: id, campaign_name: name, expiration_date, days },
      },
    ]
  })
}

/** Campaigns that are looked at, the newest first. */
const campaignsMax = 100
/** A campaign with fewer codes was never meant to be handed out. */
const codesMin = 10
/** Codes run out when at most this share is left, and at most so many. */
const shareLeft = 0.1
const codesLeftMax = 1_000

/**
 * Campaigns with a fixed number of codes, of which few can still be published. The kept sums say which come into question, so that the
 * free codes of few campaigns are counted.
 */
export async function codesRunningOut(
  { db, project_id }: Ctx,
  campaigns: readonly ConfiguredCampaign[],
): Promise<AttentionEntry[]> {
  const ids = campaigns
    .filter(({ type, voucher }) => type === 'STATIC' && voucher !== null)
    .slice(0, campaignsMax)
    .map(({ id }) => id)
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string; codes: number; left: number }>`
    select c.id, c.codes, free.left from (
      select c.id, (select coalesce(sum(delta), 0)::bigint from tallies
          where project_id = ${project_id} and name = 'campaign/' || c.id || '/vouchers') as codes,
        (select coalesce(sum(published_codes), 0) from statistics_sums
          where project_id = ${project_id} and scope_id = c.id and grain = 0) as published
      from unnest(${ids}::text[]) c (id)
    ) c
    cross join lateral (
      select count(*) as left from (
        select from vouchers v where v.project_id = ${project_id} and v.campaign_id = c.id and v.publish_count = 0
          and v.deleted_at is null limit ${sql.lit(codesLeftMax + 1)}
      ) v where c.codes >= ${sql.lit(codesMin)} and c.published >= c.codes * ${sql.lit(1 - shareLeft)}
    ) free
    where c.codes >= ${sql.lit(codesMin)} and c.published >= c.codes * ${sql.lit(1 - shareLeft)}
      and free.left <= least(${sql.lit(codesLeftMax)}, c.codes * ${sql.lit(shareLeft)})`.execute(db)
  const names = new Map(campaigns.map(({ id, name }) => [id as string, name]))
  return rows.map(({ id, codes, left }) => ({
    id: `codes_running_out/${id}`,
    kind: 'codes_running_out' as const,
    severity: left === 0 ? ('ERROR' as const) : ('WARNING' as const),
    message: `The campaign "${names.get(id)}" has ${left === 0 ? 'no code' : counted(left, 'code')} left to publish, of ${counted(codes, 'code')}.`,
    link: { place: 'campaign' as const, id },
    data: { campaign_id: id, campaign_name: names.get(id), left, codes },
  }))
}
