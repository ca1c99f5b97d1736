import type { SimpleCampaign } from '../../core/events/shapes.ts'
import { shownMetadata } from '../../core/lib/shown-metadata.ts'
import { setOnly } from '../../rules/terms/validity.ts'
import type { Campaign } from './schema.ts'
import type { StoredCampaign } from './store.ts'

/** A campaign as the API returns it, without its rules and tiers (see show.ts). */
export function toCampaign(campaign: StoredCampaign): Campaign {
  const { id, name, campaign_type, type, category, status, referral_program, loyalty_tiers_expiration } = campaign
  return {
    id,
    name,
    ...setOnly({ description: campaign.description }),
    campaign_type,
    type,
    ...voucherOf(campaign),
    ...setOnly({ referral_program, loyalty_tiers_expiration }),
    auto_join: campaign.auto_join,
    join_once: campaign.join_once,
    use_voucher_metadata_schema: campaign.use_voucher_metadata_schema,
    ...campaignValidityOf(campaign),
    ...setOnly({ activity_duration_after_publishing: campaign.activity_duration_after_publishing }),
    ...(campaign.voucher === null ? {} : { vouchers_count: campaign.vouchers_count }),
    active: campaign.active,
    ...shownMetadata(campaign.metadata),
    created_at: campaign.created_at,
    ...setOnly({ updated_at: campaign.updated_at, category: category?.name ?? null }),
    category_id: category?.id ?? null,
    categories: category === null ? [] : [category],
    creation_status: status,
    vouchers_generation_status: status,
    protected: campaign.protected,
    access_settings_assignments: { object: 'list', data_ref: 'data', data: [], total: 0 },
    object: 'campaign',
  } as Campaign
}

/** The validity limits that are set. */
export const campaignValidityOf = ({
  start_date,
  expiration_date,
  validity_timeframe,
  validity_day_of_week,
  validity_hours,
}: StoredCampaign) => setOnly({ start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours })

function voucherOf(campaign: StoredCampaign): Pick<Campaign, 'voucher'> {
  const { voucher, voucher_type } = campaign
  if (voucher === null || voucher_type === null) return {}
  return {
    voucher: {
      type: voucher_type,
      ...voucher,
      is_referral_code: campaign.campaign_type === 'REFERRAL_PROGRAM',
      ...campaignValidityOf(campaign),
    } as NonNullable<Campaign['voucher']>,
  }
}

/** What events show of a campaign; the cached configuration has it too. */
export type CampaignInEvents = Omit<StoredCampaign, 'project_id' | 'vouchers_count'>

/** [SCa], the short form in events. */
export function toSimpleCampaign(campaign: CampaignInEvents): SimpleCampaign {
  const { voucher, voucher_type, category, referral_program } = campaign
  return {
    id: campaign.id,
    name: campaign.name,
    campaign_type: campaign.campaign_type,
    type: campaign.type,
    is_referral_code: campaign.campaign_type === 'REFERRAL_PROGRAM',
    ...(voucher === null || voucher_type === null
      ? {}
      : {
          voucher: {
            type: voucher_type,
            ...voucher,
            redemption: { ...voucher.redemption, redeemed_quantity: 0 },
          },
        }),
    ...setOnly({ referral_program }),
    auto_join: campaign.auto_join,
    join_once: campaign.join_once,
    active: campaign.active,
    category_id: category?.id ?? null,
    category: category?.name ?? null,
    categories: category === null ? [] : [category],
    metadata: campaign.metadata,
    start_date: campaign.start_date,
    expiration_date: campaign.expiration_date,
    description: campaign.description,
    created_at: campaign.created_at,
    updated_at: campaign.updated_at,
    object: 'campaign',
  }
}
