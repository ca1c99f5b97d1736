import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CampaignRow } from '../../core/db/tables.ts'
import { limits } from '../../core/lib/limits.ts'

type Named = Pick<CampaignRow, 'name' | 'campaign_type'>

/** Names and types of campaigns by their ids, also of those in the bin. */
export async function listCampaignNames({ db, project_id }: Ctx, ids: readonly string[]): Promise<Map<string, Named>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Named & { id: string }>`
    select id, name, campaign_type from campaigns where project_id = ${project_id} and id = any(${ids}::text[])`.execute(
    db,
  )
  return new Map(rows.map(({ id, ...named }) => [id, named]))
}

interface MemberCounts {
  members: number
  tiers: Array<{ id: string | null; name: string | null; members: number }> | null
}

/** The members of a program, up to a limit, and those of each tier if they are fewer. */
export async function countMembers({ db, project_id }: Ctx, campaignId: string): Promise<MemberCounts> {
  const { rows } = await sql<MemberCounts>`
    with members as materialized (
      select tier_id from loyalty_members where project_id = ${project_id} and campaign_id = ${campaignId}
      limit ${limits.statistics_members_max}
    )
    select (select count(*) from members) as members,
      (select coalesce(json_agg(t order by t.members desc, t.id), '[]') from (
        select m.tier_id as id, t.name, count(*) as members from members m
        left join loyalty_tiers t on t.project_id = ${project_id} and t.id = m.tier_id
        group by m.tier_id, t.name) t) as tiers`.execute(db)
  const counts = rows[0] ?? { members: 0, tiers: [] }
  return counts.members < limits.statistics_members_max ? counts : { ...counts, tiers: null }
}
