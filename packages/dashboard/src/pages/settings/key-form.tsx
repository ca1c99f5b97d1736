import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Schemas } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { CopyCall } from '../../app/copy-call.tsx'
import { useProject } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { FailureNotice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import { addressesIn, type Key, type KeyKind, kindNames, kindWords } from './key-words.ts'
import { ChooseRole, keyRoleWords } from './roles.tsx'

const addressHint = 'IP addresses or ranges from which it may be used, one per line. Empty: from anywhere.'

interface NewKeyProps {
  isOpen: boolean
  onClose: () => void
  onMade: (key: Schemas['ApiKeyWithSecret']) => void
}

export function NewKey({ isOpen, onClose, onMade }: NewKeyProps) {
  return (
    <Dialog title="Make a key" isOpen={isOpen} onClose={onClose}>
      <NewKeyForm onClose={onClose} onMade={onMade} />
    </Dialog>
  )
}

function NewKeyForm({ onClose, onMade }: Omit<NewKeyProps, 'isOpen'>) {
  const { id: projectId } = useProject()
  const make = useChange('POST /management/v1/projects/{projectId}/api-keys')
  const [kind, setKind] = useState<KeyKind>('server')
  const [role, setRole] = useState('USER')
  const { register, handleSubmit, watch, formState } = useForm({ defaultValues: { name: '', addresses: '' } })
  const { name, addresses } = watch()
  const input = {
    path: { projectId },
    body: { name: name.trim(), kind, role, ip_whitelist: addressesIn(addresses) },
  }
  return (
    <form className="space-y-4" noValidate onSubmit={handleSubmit(() => make.mutate(input, { onSuccess: onMade }))}>
      <FailureNotice failure={make.error} />
      <TextField
        label="Name"
        hint="What uses it, so that you know later what stops when you end it."
        placeholder="Checkout of the web shop"
        autoComplete="off"
        maxLength={255}
        error={formState.errors.name && 'Give it a name.'}
        {...register('name', { required: true, validate: (text) => text.trim() !== '' })}
      />
      <ChooseKind value={kind} onChange={setKind} />
      <ChooseRole words={keyRoleWords} value={role} onChange={setRole} />
      <TextArea label="Addresses" hint={addressHint} rows={2} spellCheck={false} {...register('addresses')} />
      <DialogActions>
        <CopyCall name="POST /management/v1/projects/{projectId}/api-keys" input={input} look="quiet" />
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={make.isPending}>
          Make the key
        </Button>
      </DialogActions>
    </form>
  )
}

function ChooseKind({ value, onChange }: { value: KeyKind; onChange: (kind: KeyKind) => void }) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-xs">What it is for</legend>
      <div className="divide-y divide-line rounded-md border border-line-strong">
        {(Object.keys(kindNames) as KeyKind[]).map((kind) => (
          <label
            key={kind}
            className="flex items-start gap-2.5 px-3 py-2 hover:bg-sunken/60 has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name="kind"
              className="mt-0.5 size-4 shrink-0 accent-accent"
              checked={value === kind}
              onChange={() => onChange(kind)}
            />
            <span>
              <span className="block font-medium">{kindNames[kind]}</span>
              <span className="block text-muted text-xs">{kindWords[kind]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export function EditKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { id: projectId } = useProject()
  const change = useChange('PUT /management/v1/projects/{projectId}/api-keys/{keyId}')
  const toast = useToast()
  const [role, setRole] = useState(apiKey.role)
  const { register, handleSubmit, formState } = useForm({
    defaultValues: { name: apiKey.name, addresses: apiKey.ip_whitelist.join('\n') },
  })
  const save = ({ name, addresses }: { name: string; addresses: string }) =>
    change.mutate(
      {
        path: { projectId, keyId: apiKey.id },
        body: { name: name.trim(), role, ip_whitelist: addressesIn(addresses) },
      },
      {
        onSuccess: () => {
          toast('Key changed')
          onClose()
        },
      },
    )
  return (
    <Dialog
      title={`Change ${apiKey.name}`}
      about="Id and secret stay. A program that uses it feels a smaller role, or an address left out, with its next call."
      isOpen
      onClose={onClose}
    >
      <form className="space-y-4" noValidate onSubmit={handleSubmit(save)}>
        <FailureNotice failure={change.error} />
        <TextField
          label="Name"
          autoComplete="off"
          maxLength={255}
          error={formState.errors.name && 'Give it a name.'}
          {...register('name', { required: true, validate: (text) => text.trim() !== '' })}
        />
        <ChooseRole words={keyRoleWords} value={role} onChange={setRole} />
        <TextArea label="Addresses" hint={addressHint} rows={2} spellCheck={false} {...register('addresses')} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={change.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
