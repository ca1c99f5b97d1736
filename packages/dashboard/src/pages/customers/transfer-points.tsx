import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Input, Schemas } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { wholeOf } from '../../parts/adjust-balance.tsx'
import { BeforeAfter } from '../../parts/before-after.tsx'
import { ChooseCustomer, type CustomerChoice } from '../../parts/choose-customer.tsx'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { useFormat } from '../../ui/format.tsx'
import { FailureNotice, Notice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import { pointsWords } from '../../words/gives.ts'
import { nameOf } from '../../words/people.ts'
import { useLoyaltyCards } from './wallet.tsx'

type Card = Schemas['Voucher']

interface TransferProps {
  customer: Schemas['Customer']
  cards: Card[]
  isOpen: boolean
  onClose: () => void
}

/** Moves points from a card of this customer to a card of somebody. */
export function TransferPoints({ customer, cards, isOpen, onClose }: TransferProps) {
  return (
    <Dialog
      title="Transfer points"
      about={`From a card of ${nameOf(customer)} to another card.`}
      isOpen={isOpen}
      onClose={onClose}
    >
      <TransferForm customer={customer} cards={cards} onClose={onClose} />
    </Dialog>
  )
}

const optionOf = ({ code, campaign }: Card) => ({ value: code, label: `${campaign ?? 'Loyalty card'} · ${code}` })

function TransferForm({ cards, onClose }: Omit<TransferProps, 'isOpen'>) {
  const format = useFormat()
  const say = useToast()
  const transfer = useChange('POST /v1/loyalties/{campaignId}/members/{memberId}/transfers')
  const form = useForm({ defaultValues: { from: cards[0]?.code ?? '', to: '', points: '', reason: '' } })
  const { errors } = form.formState
  const values = form.watch()
  const [receiver, setReceiver] = useState<CustomerChoice | null>(null)
  const theirs = useLoyaltyCards(receiver?.id ?? '', { enabled: receiver !== null })
  const from = cards.find(({ code }) => code === values.from) ?? cards[0]
  const targets = (theirs.data?.data ?? [])
    .map(({ redeemable }) => redeemable.voucher)
    .filter(({ code, campaign_id }) => campaign_id !== null && code !== from?.code)
  const to = targets.find(({ code }) => code === values.to) ?? targets[0]
  const points = wholeOf(values.points) ?? 0
  const words = (card: Card | undefined, change: number) =>
    pointsWords((card?.loyalty_card?.balance ?? 0) + change, format)
  const input: Input<'POST /v1/loyalties/{campaignId}/members/{memberId}/transfers'> = {
    path: { campaignId: to?.campaign_id ?? 'camp_…', memberId: to?.code ?? 'CARD' },
    body: [{ code: from?.code ?? '', points, reason: values.reason }],
  }
  const save = form.handleSubmit(async () => {
    if (to === undefined) return
    try {
      await transfer.mutateAsync(input)
      say(`${pointsWords(points, format)} moved to ${to.code}`)
      onClose()
    } catch {
      // Said above the buttons.
    }
  })
  return (
    <form onSubmit={save} noValidate className="space-y-4">
      {cards.length > 1 && <SelectField label="From" options={cards.map(optionOf)} {...form.register('from')} />}
      <ChooseCustomer label="To whom" placeholder="Name, e-mail or source id" value={receiver} onChange={setReceiver} />
      {receiver && theirs.data && targets.length === 0 && (
        <Notice tone="warn">{nameOf(receiver)} has no other loyalty card.</Notice>
      )}
      {targets.length > 1 && <SelectField label="Card" options={targets.map(optionOf)} {...form.register('to')} />}
      <div className="grid grid-cols-[8rem_minmax(0,1fr)] gap-3">
        <TextField
          label="Points"
          inputMode="numeric"
          placeholder="100"
          error={errors.points?.message}
          {...form.register('points', {
            validate: (text) => {
              const count = wholeOf(text)
              if (!count) return 'A whole number from 1'
              return count <= (from?.loyalty_card?.balance ?? 0) || `The card has only ${words(from, 0)}`
            },
          })}
        />
        <TextField
          label="Reason"
          maxLength={5000}
          error={errors.reason?.message}
          {...form.register('reason', { required: 'Say why' })}
        />
      </div>
      <div className="space-y-1.5">
        <BeforeAfter
          name={<span className="font-mono">{from?.code}</span>}
          before={words(from, 0)}
          after={words(from, -points)}
          isChanged={points > 0 && !transfer.isSuccess}
        />
        {to && (
          <BeforeAfter
            name={<span className="font-mono">{to.code}</span>}
            before={words(to, 0)}
            after={words(to, points)}
            isChanged={points > 0 && !transfer.isSuccess}
          />
        )}
      </div>
      <FailureNotice failure={transfer.error} />
      <DialogActions>
        <CopyCall
          name="POST /v1/loyalties/{campaignId}/members/{memberId}/transfers"
          input={input}
          method="transferMemberPoints"
          look="quiet"
        />
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={to === undefined} isBusy={transfer.isPending}>
          Transfer
        </Button>
      </DialogActions>
    </form>
  )
}
