import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { all, type Condition } from '../../core/query/filter/conditions.ts'
import type { FilterField } from '../../core/query/filter/field.ts'
import {
  type FilterFields,
  filterSql,
  locationsIn,
  metadataField,
  parseFilter,
} from '../../core/query/filter/filter.ts'
import { listed } from '../../core/query/list.ts'
import { listLocationShapes } from '../../definitions/locations/store.ts'
import { metadataTypes } from '../../definitions/metadata-schemas/rules.ts'
import { activeStates, weekdays } from '../vouchers/fields.ts'
import { toCampaign } from './campaign.ts'
import type { CampaignQuery } from './schema.ts'
import { listCampaigns } from './store.ts'

/** A page of campaigns (docs/reference/campaigns.md#read-campaigns), with their categories if `expand` asks for them. */
export async function pageOfCampaigns(ctx: Ctx, query: CampaignQuery) {
  const { campaigns, total } = await listCampaigns(ctx, query, await conditions(ctx, query))
  const views = campaigns.map(toCampaign)
  return listed(
    'campaigns',
    query.expand === 'category' ? views : views.map((campaign) => ({ ...campaign, categories: [] })),
    { total },
  )
}

async function conditions(ctx: Ctx, query: CampaignQuery): Promise<Condition[]> {
  const { campaign_type, campaign_status, is_referral_code, filters } = query
  const where: Condition[] = []
  if (campaign_type !== undefined) where.push(sql`campaigns.campaign_type = ${campaign_type}`)
  if (campaign_status !== undefined) where.push(sql`campaigns.status = ${campaign_status}`)
  if (is_referral_code !== undefined) where.push(sql`${isReferral} = ${is_referral_code}`)
  if (filters !== undefined) {
    const filter = parseFilter(filters, campaignFields(await metadataTypes(ctx, 'campaign')))
    const locations = await listLocationShapes(ctx, locationsIn(filter))
    where.push(filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone }, { locations }))
  }
  return where
}

const isReferral = sql`(campaigns.campaign_type = 'REFERRAL_PROGRAM')`
const isDone: Condition = sql`campaigns.status = 'DONE'`
const text = (column: string | FilterField['column']): FilterField => ({ type: 'string', column })
const date = (column: string): FilterField => ({ type: 'datetime', column })

export function campaignFields(types: Parameters<typeof metadataField>[1]): FilterFields {
  return {
    campaigns: text('campaigns.name'),
    campaigns_id: text('campaigns.id'),
    campaign_status: text('campaigns.status'),
    status: {
      ...text('campaigns.status'),
      states: {
        $active: () => isDone,
        $failed: () => sql`campaigns.status = 'FAILED'`,
        $in_progress: () => sql`campaigns.status in ('IN_PROGRESS', 'MODIFYING')`,
        $expired: ({ now }) => all([isDone, sql`campaigns.expiration_date < ${now}::timestamptz`]),
        $before_start: ({ now }) => all([isDone, sql`campaigns.start_date > ${now}::timestamptz`]),
      },
    },
    active: { type: 'boolean', column: 'campaigns.active', states: activeStates('campaigns') },
    is_referral_code: { type: 'boolean', column: isReferral },
    voucher_type: text('campaigns.voucher_type'),
    // A campaign with generated codes matches both its own type and `BULK`.
    type: {
      type: 'array',
      column: sql`(case campaigns.type when 'STANDALONE' then '["STANDALONE"]'::jsonb
        else jsonb_build_array(campaigns.type, 'BULK') end)`,
    },
    categories: text('categories.name'),
    category_ids: text('categories.id'),
    created_date: date('campaigns.created_at'),
    created_at: date('campaigns.created_at'),
    updated_at: date('campaigns.updated_at'),
    start_date: date('campaigns.start_date'),
    expiration_date: date('campaigns.expiration_date'),
    validity_timeframe: text(sql`campaigns.validity_timeframe::text`),
    validity_day_of_week: weekdays(sql`campaigns.validity_day_of_week`),
    'metadata.*': metadataField('campaigns.metadata', types),
  }
}
