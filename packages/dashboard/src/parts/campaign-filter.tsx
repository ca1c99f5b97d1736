import { useRead } from '../api/queries.ts'
import { ChooseCampaign } from './choose-campaign.tsx'

interface CampaignFilterProps {
  id: string | undefined
  onChange: (id: string | undefined) => void
  hasPromotions?: boolean
}

/** The address holds an id; the field shows its name once that is known. */
export function CampaignFilter({ id, onChange, hasPromotions }: CampaignFilterProps) {
  const { data, isLoading } = useRead(
    'GET /v1/campaigns/{campaignId}',
    { path: { campaignId: id ?? '' } },
    { enabled: !!id },
  )
  const chosen = id && !isLoading ? { id, name: data?.name ?? id } : null
  return (
    <ChooseCampaign
      label="Campaign"
      placeholder="Any"
      value={chosen}
      onChange={(campaign) => onChange(campaign?.id)}
      hasPromotions={hasPromotions}
    />
  )
}
