import { useReader } from '../../api/queries.ts'
import { Choose } from '../../ui/choose.tsx'

export interface CampaignChoice {
  id: string
  name: string
}

interface ChooseCampaignProps {
  label: string
  hidesLabel?: boolean
  placeholder?: string
  value: CampaignChoice | null
  onChange: (campaign: CampaignChoice | null) => void
}

/** A campaign with codes, by the beginning of its name; the newest ones before anything is typed. */
export function ChooseCampaign(props: ChooseCampaignProps) {
  const read = useReader()
  const search = async (text: string): Promise<CampaignChoice[]> => {
    if (text === '') {
      const { campaigns } = await read('GET /v1/campaigns', { query: { limit: 10 } })
      return campaigns.filter(({ campaign_type }) => campaign_type !== 'PROMOTION')
    }
    const { campaigns } = await read('GET /v1/search', { query: { q: text } })
    return campaigns.filter(({ campaign_type }) => campaign_type !== 'PROMOTION')
  }
  return <Choose {...props} search={search} keyOf={({ id }) => id} textOf={({ name }) => name} />
}
