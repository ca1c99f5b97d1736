import { useReader } from '../api/queries.ts'
import { Choose } from '../ui/choose.tsx'

export interface CampaignChoice {
  id: string
  name: string
}

interface ChooseCampaignProps {
  label: string
  placeholder?: string
  value: CampaignChoice | null
  onChange: (campaign: CampaignChoice | null) => void
  /** Offers campaigns of promotions too, which have no codes. */
  hasPromotions?: boolean | undefined
}

/** A campaign, with codes unless said otherwise, by the beginning of its name; the newest ones before anything is typed. */
export function ChooseCampaign({ hasPromotions = false, ...props }: ChooseCampaignProps) {
  const read = useReader()
  const search = async (text: string): Promise<CampaignChoice[]> => {
    const { campaigns } =
      text === ''
        ? await read('GET /v1/campaigns', { query: { limit: 10 } })
        : await read('GET /v1/search', { query: { q: text } })
    return campaigns.filter(({ campaign_type }) => hasPromotions || campaign_type !== 'PROMOTION')
  }
  return <Choose {...props} search={search} keyOf={({ id }) => id} textOf={({ name }) => name} />
}
