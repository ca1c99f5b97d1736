import { useState } from 'react'
import type { Input, Schemas } from '../../api/client.ts'
import { useChange, useReader } from '../../api/queries.ts'
import { type CampaignChoice, ChooseCampaign } from '../../parts/choose-campaign.tsx'
import { GiveActions } from '../../parts/give-actions.tsx'
import { Choose } from '../../ui/choose.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { useFormat } from '../../ui/format.tsx'
import { Notice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import { whatItGives } from '../../words/gives.ts'
import { nameOf } from '../../words/people.ts'

interface GiveProps {
  customer: Schemas['Customer']
  isOpen: boolean
  onClose: () => void
}

/** Gives a customer the next free code of a campaign, or a certain one. */
export function GiveToCustomer({ customer, isOpen, onClose }: GiveProps) {
  return (
    <Dialog title="Give a code" about={`To ${nameOf(customer)}.`} isOpen={isOpen} onClose={onClose}>
      <GiveForm customer={customer} onClose={onClose} />
    </Dialog>
  )
}

const sources = [
  { value: 'campaign', label: 'The next free code of a campaign' },
  { value: 'code', label: 'A certain code' },
]

function GiveForm({ customer, onClose }: Omit<GiveProps, 'isOpen'>) {
  const say = useToast()
  const format = useFormat()
  const publish = useChange('POST /v1/publications')
  const [source, setSource] = useState('campaign')
  const [campaign, setCampaign] = useState<CampaignChoice | null>(null)
  const [code, setCode] = useState<Schemas['Voucher'] | null>(null)
  const isFromCampaign = source === 'campaign'
  const isReady = isFromCampaign ? campaign !== null : code !== null
  const input: Input<'POST /v1/publications'> = {
    body: {
      ...(isFromCampaign ? { campaign: { name: campaign?.id ?? 'camp_…' } } : { voucher: code?.code ?? 'CODE' }),
      customer: { id: customer.id },
      channel: 'Dashboard',
    },
  }
  const give = async () => {
    try {
      const { voucher } = await publish.mutateAsync(input)
      say(`${voucher?.code ?? 'A code'} was given to ${nameOf(customer)}`, voucher && whatItGives(voucher, format))
      onClose()
    } catch {
      // Said above the buttons.
    }
  }
  return (
    <div className="space-y-4">
      <SelectField
        label="Which code"
        options={sources}
        value={source}
        onChange={(event) => setSource(event.target.value)}
      />
      {isFromCampaign ? (
        <ChooseCampaign label="Campaign" placeholder="Name of a campaign" value={campaign} onChange={setCampaign} />
      ) : (
        <ChooseFreeCode value={code} onChange={setCode} />
      )}
      {!isFromCampaign && code && <Notice tone="info">It gives: {whatItGives(code, format)}.</Notice>}
      <GiveActions publish={publish} input={input} isReady={isReady} onGive={give} onClose={onClose} />
    </div>
  )
}

type Code = Schemas['Voucher']

/** A code that nobody has yet, by how it begins. */
function ChooseFreeCode({ value, onChange }: { value: Code | null; onChange: (code: Code | null) => void }) {
  const read = useReader()
  const format = useFormat()
  const search = async (text: string) => {
    const filters = {
      active: { conditions: { $enabled: true } },
      ...(text !== '' && { code: { conditions: { $starts_with: [text] } } }),
    }
    const query = { limit: 10, filters, ...(text !== '' && { order: 'code' as const }) }
    const { vouchers } = await read('GET /v1/vouchers', { query })
    return vouchers.filter(({ publish }) => publish.count === 0)
  }
  return (
    <Choose
      label="Code"
      placeholder="The code, or how it begins"
      value={value}
      onChange={onChange}
      search={search}
      keyOf={({ id }) => id}
      textOf={({ code }) => code}
      row={(code) => (
        <>
          <span className="min-w-0 truncate font-mono">{code.code}</span>
          <span className="min-w-0 max-w-48 truncate text-muted text-xs">{whatItGives(code, format)}</span>
        </>
      )}
    />
  )
}
