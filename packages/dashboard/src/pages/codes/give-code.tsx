import { useState } from 'react'
import type { Input, Schemas } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { ChooseCustomer, type CustomerChoice } from '../../parts/choose-customer.tsx'
import { GiveActions } from '../../parts/give-actions.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { nameOf } from '../../words/people.ts'

interface GiveCodeProps {
  code: Schemas['Voucher']
  isOpen: boolean
  onClose: () => void
}

/** Gives one code to a customer, who holds it from then on. */
export function GiveCode({ code, isOpen, onClose }: GiveCodeProps) {
  return (
    <Dialog
      title="Give the code to a customer"
      about="The customer becomes its holder and sees it in the wallet. A code can be given once."
      isOpen={isOpen}
      onClose={onClose}
    >
      <GiveForm code={code} onClose={onClose} />
    </Dialog>
  )
}

function GiveForm({ code, onClose }: Omit<GiveCodeProps, 'isOpen'>) {
  const say = useToast()
  const publish = useChange('POST /v1/publications')
  const [customer, setCustomer] = useState<CustomerChoice | null>(null)
  const input: Input<'POST /v1/publications'> = {
    body: { voucher: code.code, customer: { id: customer?.id ?? 'cust_…' }, channel: 'Dashboard' },
  }
  const give = async () => {
    if (customer === null) return
    try {
      await publish.mutateAsync(input)
      say(`${code.code} was given to ${nameOf(customer)}`)
      onClose()
    } catch {
      // Said above the buttons.
    }
  }
  return (
    <div className="space-y-4">
      <ChooseCustomer
        label="Customer"
        placeholder="Name, e-mail or source id"
        value={customer}
        onChange={setCustomer}
      />
      <GiveActions publish={publish} input={input} isReady={customer !== null} onGive={give} onClose={onClose} />
    </div>
  )
}
