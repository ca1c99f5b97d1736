import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FailureNotice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import { nameOf } from '../../words/people.ts'

interface DeleteProps {
  customer: Schemas['Customer']
  isOpen: boolean
  onClose: () => void
}

/** Erases a customer, as the right to be forgotten demands. Typed, since nothing brings it back. */
export function DeleteCustomer({ customer, isOpen, onClose }: DeleteProps) {
  return (
    <Dialog title="Delete for good" isOpen={isOpen} onClose={onClose}>
      <DeleteForm customer={customer} onClose={onClose} />
    </Dialog>
  )
}

function DeleteForm({ customer, onClose }: Omit<DeleteProps, 'isOpen'>) {
  const { project } = useParams({ from: '/$project/customers/$customer' })
  const navigate = useNavigate()
  const say = useToast()
  const erase = useChange('POST /v1/customers/{customerId}/permanent-deletion', { leaves: true })
  const [text, setText] = useState('')
  const phrase = customer.email || nameOf(customer)
  const input = { path: { customerId: customer.id } }
  const remove = async () => {
    try {
      await erase.mutateAsync(input)
      say(`${nameOf(customer)} was deleted for good`)
      void navigate({ to: '/$project/customers', params: { project } })
    } catch {
      // Said above the buttons.
    }
  }
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (text === phrase) void remove()
      }}
    >
      <p>
        This erases the profile, the orders, the history and the consents of{' '}
        <strong className="break-words font-semibold">{nameOf(customer)}</strong>, and the loyalty cards with their
        points. Redemptions stay without a name; other codes lose their holder. Nothing brings it back.
      </p>
      <TextField
        label={
          <>
            To confirm, type <span className="select-all break-all font-mono">{phrase}</span>
          </>
        }
        autoComplete="off"
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <FailureNotice failure={erase.error} />
      <DialogActions>
        <CopyCall
          name="POST /v1/customers/{customerId}/permanent-deletion"
          input={input}
          method="deleteCustomerPermanently"
          look="quiet"
        />
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="danger" disabled={text !== phrase} isBusy={erase.isPending}>
          Delete for good
        </Button>
      </DialogActions>
    </form>
  )
}
