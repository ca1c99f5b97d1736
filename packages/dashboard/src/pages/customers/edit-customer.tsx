import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Input, Schemas } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { KeyValueEditor, rowsOf, valuesOf } from '../../ui/key-value-editor.tsx'
import { FailureNotice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import { nameOf } from '../../words/people.ts'

interface EditProps {
  customer: Schemas['Customer']
  isOpen: boolean
  onClose: () => void
}

export function EditCustomer({ customer, isOpen, onClose }: EditProps) {
  return (
    <Dialog title={`Edit ${nameOf(customer)}`} isOpen={isOpen} onClose={onClose}>
      <EditForm customer={customer} onClose={onClose} />
    </Dialog>
  )
}

type Values = Record<'name' | 'email' | 'phone' | 'description', string>

function EditForm({ customer, onClose }: Omit<EditProps, 'isOpen'>) {
  const say = useToast()
  const change = useChange('PUT /v1/customers/{customerId}')
  const { name = '', email = '', phone = '', description = '' } = customer
  const form = useForm<Values>({ defaultValues: { name, email, phone, description } })
  const [rows, setRows] = useState(() => rowsOf(customer.metadata))
  const input: Input<'PUT /v1/customers/{customerId}'> = {
    path: { customerId: customer.id },
    body: changesOf(customer, form.watch(), valuesOf(rows)),
  }
  const save = form.handleSubmit(async () => {
    try {
      await change.mutateAsync(input)
      say('Saved')
      onClose()
    } catch {
      // Said above the buttons.
    }
  })
  return (
    <form onSubmit={save} noValidate className="space-y-4">
      <TextField label="Name" maxLength={255} autoFocus {...form.register('name')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="E-mail" type="email" maxLength={255} {...form.register('email')} />
        <TextField label="Phone" type="tel" maxLength={255} {...form.register('phone')} />
      </div>
      <TextArea label="About" rows={2} maxLength={5000} {...form.register('description')} />
      <fieldset>
        <legend className="mb-1 font-medium text-xs">Metadata</legend>
        <KeyValueEditor rows={rows} onChange={setRows} />
        <p className="mt-2 text-muted text-xs">
          Numbers, true and false are kept as such. A value that is taken away is emptied.
        </p>
      </fieldset>
      <FailureNotice failure={change.error} />
      <DialogActions>
        <CopyCall name="PUT /v1/customers/{customerId}" input={input} method="updateCustomer" look="quiet" />
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          disabled={Object.keys(input.body ?? {}).length === 0}
          isBusy={change.isPending}
        >
          Save
        </Button>
      </DialogActions>
    </form>
  )
}

/** Only what differs is sent: metadata are merged by key, and null empties. */
function changesOf(customer: Schemas['Customer'], values: Values, metadata: Record<string, unknown>) {
  const body: NonNullable<Input<'PUT /v1/customers/{customerId}'>['body']> = {}
  for (const field of ['name', 'email', 'phone', 'description'] as const) {
    const value = values[field].trim()
    if (value !== (customer[field] ?? '')) body[field] = value === '' ? null : value
  }
  const before = customer.metadata ?? {}
  const keys = new Set([...Object.keys(before), ...Object.keys(metadata)])
  const changed = [...keys].filter((key) => JSON.stringify(before[key]) !== JSON.stringify(metadata[key]))
  if (changed.length > 0) body.metadata = Object.fromEntries(changed.map((key) => [key, metadata[key] ?? null]))
  return body
}
