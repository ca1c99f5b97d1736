import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Input, Schemas } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { centsOf, SelectField, TextField } from '../ui/field.tsx'
import { useFormat } from '../ui/format.tsx'
import { FailureNotice } from '../ui/state.tsx'
import { useToast } from '../ui/toast.tsx'
import { plainMoney, pointsWords } from '../words/gives.ts'
import { BeforeAfter } from './before-after.tsx'
import { CopyCall } from './copy-call.tsx'

type Code = Schemas['Voucher']

interface AdjustBalanceProps {
  code: Code
  /** Other cards of the same customer, to choose from. */
  others?: Code[]
  isOpen: boolean
  onClose: () => void
}

/** Puts something on a card or takes it off, with a reason that its statement keeps. */
export function AdjustBalance({ code: first, others = [first], isOpen, onClose }: AdjustBalanceProps) {
  const [chosen, setChosen] = useState(first.code)
  const code = others.find((other) => other.code === chosen) ?? first
  return (
    <Dialog
      title={code.gift ? 'Adjust the balance' : 'Adjust the points'}
      about={<span className="break-all font-mono">{code.code}</span>}
      isOpen={isOpen}
      onClose={onClose}
    >
      {others.length > 1 && (
        <SelectField
          label="Card"
          className="mb-4"
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
          options={others.map((other) => ({ value: other.code, label: `${other.campaign} · ${other.code}` }))}
        />
      )}
      <AdjustForm key={code.code} code={code} onClose={onClose} />
    </Dialog>
  )
}

interface Values {
  direction: 'add' | 'remove'
  amount: string
  reason: string
  expiry: 'PROGRAM_RULES' | 'CUSTOM_DATE' | 'NON_EXPIRING'
  date: string
}

const directions = [
  { value: 'add', label: 'Add' },
  { value: 'remove', label: 'Take off' },
]
const expiries = [
  { value: 'PROGRAM_RULES', label: 'By the program’s rules' },
  { value: 'CUSTOM_DATE', label: 'On a date' },
  { value: 'NON_EXPIRING', label: 'Never' },
]

function AdjustForm({ code, onClose }: Pick<AdjustBalanceProps, 'code' | 'onClose'>) {
  const format = useFormat()
  const say = useToast()
  const isGift = code.gift !== null
  const gift = useChange('POST /v1/vouchers/{code}/balance')
  const points = useChange('POST /v1/loyalties/members/{memberId}/balance')
  const change = isGift ? gift : points
  const form = useForm<Values>({
    defaultValues: { direction: 'add', amount: '', reason: '', expiry: 'PROGRAM_RULES', date: '' },
  })
  const { errors } = form.formState
  const values = form.watch()
  const size = (isGift ? centsOf(values.amount) : wholeOf(values.amount)) ?? 0
  const signed = values.direction === 'add' ? size : -size
  // As the form found it: the page behind reads the new balance while the form closes.
  const [before] = useState((code.gift ?? code.loyalty_card)?.balance ?? 0)
  const words = (amount: number) => (isGift ? plainMoney(amount, format) : pointsWords(amount, format))
  const { giftInput, pointsInput } = inputsOf(code, signed, values)
  const save = form.handleSubmit(async () => {
    try {
      const { balance } = isGift ? await gift.mutateAsync(giftInput) : await points.mutateAsync(pointsInput)
      say(`${code.code} now has ${words(balance ?? before + signed)}`)
      onClose()
    } catch {
      // Said above the buttons.
    }
  })
  return (
    <form onSubmit={save} noValidate className="space-y-4">
      <div className="grid grid-cols-[8rem_minmax(0,1fr)] gap-3">
        <SelectField label="What" options={directions} {...form.register('direction')} />
        <TextField
          label={isGift ? 'Amount' : 'Points'}
          inputMode={isGift ? 'decimal' : 'numeric'}
          placeholder={isGift ? '10.00' : '100'}
          autoFocus
          suffix={isGift ? format.currency : undefined}
          error={errors.amount?.message}
          {...form.register('amount', {
            validate: (text) => {
              const amount = isGift ? centsOf(text) : wholeOf(text)
              if (!amount) return isGift ? 'An amount such as 10.00' : 'A whole number from 1'
              return form.getValues('direction') === 'add' || amount <= before || `There are only ${words(before)} left`
            },
          })}
        />
      </div>
      {!isGift && values.direction === 'add' && (
        <div className="grid grid-cols-2 gap-3">
          <SelectField label="They expire" options={expiries} {...form.register('expiry')} />
          {values.expiry === 'CUSTOM_DATE' && (
            <TextField
              type="date"
              label="Last day"
              error={errors.date?.message}
              {...form.register('date', { required: 'Choose a day' })}
            />
          )}
        </div>
      )}
      <TextField
        label="Reason"
        hint="Kept on the statement of the card."
        maxLength={5000}
        error={errors.reason?.message}
        {...form.register('reason', { required: 'Say why, for whoever reads the statement' })}
      />
      <BeforeAfter before={words(before)} after={words(before + signed)} isChanged={signed !== 0} />
      <FailureNotice failure={change.error} />
      <DialogActions>
        {isGift ? (
          <CopyCall
            name="POST /v1/vouchers/{code}/balance"
            input={giftInput}
            method="adjustVoucherBalance"
            look="quiet"
          />
        ) : (
          <CopyCall
            name="POST /v1/loyalties/members/{memberId}/balance"
            input={pointsInput}
            method="adjustMemberBalance"
            look="quiet"
          />
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={change.isPending}>
          {values.direction === 'add' ? 'Add' : 'Take off'} {size > 0 ? words(size) : ''}
        </Button>
      </DialogActions>
    </form>
  )
}

function inputsOf({ code }: Code, signed: number, { reason, expiry, date, direction }: Values) {
  const giftInput: Input<'POST /v1/vouchers/{code}/balance'> = { path: { code }, body: { amount: signed, reason } }
  const pointsInput: Input<'POST /v1/loyalties/members/{memberId}/balance'> = {
    path: { memberId: code },
    body: {
      points: signed,
      reason,
      ...(direction === 'add' && { expiration_type: expiry }),
      ...(direction === 'add' && expiry === 'CUSTOM_DATE' && { expiration_date: date }),
    },
  }
  return { giftInput, pointsInput }
}

/** A whole number from 1, as typed; undefined for anything else. */
export function wholeOf(text: string): number | undefined {
  return /^\s*[1-9]\d{0,11}\s*$/.test(text) ? Number(text) : undefined
}
