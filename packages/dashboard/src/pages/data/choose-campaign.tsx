import { useReader } from '../../api/queries.ts'
import { Choose } from '../../ui/choose.tsx'

export interface CampaignChoice {
  id: string
  name: string
}

/** A campaign that has codes, by the beginning of its name; the newest ones before anything is typed. */
export function ChooseCampaign(props: {
  value: CampaignChoice | null
  onChange: (campaign: CampaignChoice | null) => void
}) {
  const read = useReader()
  const search = async (text: string): Promise<CampaignChoice[]> => {
    if (text === '') {
      const { campaigns } = await read('GET /v1/campaigns', { query: { limit: 10 } })
      return campaigns.filter(({ campaign_type: type }) => type !== 'PROMOTION').map(({ id, name }) => ({ id, name }))
    }
    const { campaigns } = await read('GET /v1/search', { query: { q: text } })
    return campaigns.filter(({ campaign_type: type }) => type !== 'PROMOTION')
  }
  return (
    <Choose
      label="Campaign"
      placeholder="The beginning of its name"
      search={search}
      keyOf={({ id }) => id}
      textOf={({ name }) => name}
      {...props}
    />
  )
}
