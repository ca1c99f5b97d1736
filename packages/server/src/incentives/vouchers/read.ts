import { assignmentsOf, type Configuration, type ConfiguredAssignment } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { allFromJson } from '../../core/db/json-row.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { Terms } from '../../core/db/tables.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { listed } from '../../core/query/list.ts'
import { cacheTerms, findCachedTerms } from '../../rules/terms/terms-cache.ts'
import { toAssignment } from '../../rules/validation-rules/assignment-view.ts'
import type { Voucher } from './schema.ts'
import { showVoucher } from './show.ts'
import { codeKey, getVoucher } from './store.ts'
import { type ShownVoucher, toVoucher } from './voucher.ts'

/** A voucher without what the cached configuration and the cached terms add, and the version of the configuration at that moment. */
type FoundVoucher = Omit<ShownVoucher, 'terms' | 'campaign' | 'campaign_type' | 'campaign_active' | 'category'> & {
  config_version: number
  /** Of the voucher itself, not of its campaign. */
  assignments: object[] | null
}

/**
 * A voucher by its code or its id, as the response for a single voucher shows it. One statement reads what belongs to the voucher
 * alone; campaign, category and rules of the campaign come from memory if they are those of the moment that the statement saw,
 * and terms never change. If the configuration changes so often that this does not hold, the voucher is read with its joins.
 */
export async function readVoucher(ctx: Ctx, key: string): Promise<Voucher> {
  const found = key.includes('\0') ? undefined : await findAlone(ctx, key)
  const voucher = found === undefined ? undefined : await withConfiguration(ctx, found)
  return voucher ?? showVoucher(ctx, await getVoucher(ctx, key))
}

async function findAlone(ctx: Ctx, key: string): Promise<FoundVoucher | undefined> {
  const today = todayIn({ now: ctx.now, timezone: ctx.project.timezone })
  const [byId] = key.startsWith('v_') ? await findById(ctx.db, [ctx.project_id, key, today]) : []
  if (byId !== undefined) return byId
  const [byCode] = await findByCode(ctx.db, [ctx.project_id, codeKey(ctx.project, key), today])
  return byCode
}

async function withConfiguration(ctx: Ctx, found: FoundVoucher): Promise<Voucher | undefined> {
  const { config_version, assignments, campaign_id, category_id } = found
  let configuration = ctx.configurations.cached(ctx.project_id)
  if (configuration.version !== config_version)
    configuration = await ctx.configurations.atLeast(ctx.primary ?? ctx.db, ctx.project_id, config_version)
  if (configuration.version !== config_version) return undefined
  // A campaign that is not cached is in the bin, which hides the voucher, or deleted.
  const campaign = campaign_id === null ? null : configuration.campaigns.get(campaign_id)
  if (campaign === undefined) return undefined
  const terms = findCachedTerms(ctx.project_id, found.terms_id) ?? (await readTerms(ctx, found.terms_id))
  const category = category_id === null ? undefined : configuration.categories.get(category_id)
  const shown = assignmentsShown(configuration, assignments, campaign_id)
  return {
    ...toVoucher(ctx, {
      ...found,
      terms,
      campaign: campaign?.name ?? null,
      campaign_type: campaign?.campaign_type ?? null,
      campaign_active: campaign?.active ?? null,
      category: category ?? null,
    }),
    validation_rules_assignments: listed('data', shown, { total: shown.length }),
  }
}

async function readTerms({ db, project_id }: Ctx, id: string): Promise<Terms> {
  const [row] = await findTerms(db, [project_id, id])
  return row === undefined ? {} : cacheTerms(project_id, id, row.content)
}

/** Those of the voucher before those of its campaign, each in the order of creation. */
function assignmentsShown(configuration: Configuration, own: object[] | null, campaignId: string | null) {
  const ofCampaign = campaignId === null ? [] : assignmentsOf(configuration, campaignId)
  return [...allFromJson<ConfiguredAssignment>(own), ...ofCampaign].map(toAssignment)
}

const findTerms = preparedStatement<{ content: Terms }>('select content from terms where project_id = $1 and id = $2')

const findBy = (column: 'id' | 'code_key') =>
  preparedStatement<FoundVoucher>(`
select v.id, v.code, v.type, v.campaign_id, v.category_id, v.terms_id, v.start_date, v.expiration_date, v.quantity, v.redeemed_quantity,
  v.credits_added, v.credits_subtracted, v.credits_redeemed, v.credits_expired, v.credits_pending, v.active, v.additional_info, v.metadata,
  v.is_referral_code, v.publish_count, v.holder_id, v.referrer_id, v.asset_id, v.created_at, v.updated_at,
  case v.type when 'LOYALTY_CARD' then (
    select jsonb_build_object('next_expiration_date', l.expires_at, 'next_expiration_points', l.points)
    from lots l where l.project_id = $1 and l.voucher_id = v.id and l.points > 0 and l.expires_at >= $3::date
    order by l.expires_at limit 1) end as next_expiration,
  (select jsonb_agg(to_jsonb(a) order by a.created_at, a.id) from rule_assignments a
    where a.project_id = $1 and a.related_object_id = v.id and a.related_object_type = 'voucher') as assignments,
  (select p.config_version from projects p where p.id = $1) as config_version
from vouchers v where v.project_id = $1 and v.${column} = $2 and v.deleted_at is null`)

const findById = findBy('id')
const findByCode = findBy('code_key')
