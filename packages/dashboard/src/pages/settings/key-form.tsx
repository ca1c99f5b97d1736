import { useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import type { Schemas } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { useProject } from '../../api/session.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button } from '../../ui/button.tsx'
import { ChooseOne } from '../../ui/choose-one.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { FailureNotice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import {
  type Access,
  accessNames,
  accessOf,
  accessWords,
  addressesIn,
  type Key,
  type KeyKind,
  kindNames,
  kindWords,
  roleFor,
  wrongAddress,
} from './key-words.ts'

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
  const [access, setAccess] = useState<Access>('change')
  const form = useForm<KeyValues>({ defaultValues: { name: '', addresses: '' } })
  const { name, addresses } = form.watch()
  const input = {
    path: { projectId },
    body: {
      name: name.trim(),
      kind,
      role: roleFor[kind === 'client' ? 'change' : access],
      ip_whitelist: addressesIn(addresses),
    },
  }
  return (
    <form
      className="space-y-4"
      noValidate
      onSubmit={form.handleSubmit(() => make.mutate(input, { onSuccess: onMade }))}
    >
      <FailureNotice failure={make.error} />
      <NameField
        form={form}
        hint="What uses it, so that you know later what stops when you end it."
        placeholder="Checkout of the web shop"
      />
      <ChooseOne
        label="What it is for"
        options={kinds.map((value) => ({ value, name: kindNames[value], about: kindWords[value] }))}
        value={kind}
        onChange={setKind}
      />
      {kind !== 'client' && <ChooseAccess value={access} onChange={setAccess} />}
      <AddressesField form={form} />
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

const kinds = Object.keys(kindNames) as KeyKind[]

function ChooseAccess({ value, onChange }: { value: Access; onChange: (access: Access) => void }) {
  const options = (['change', 'read'] as const).map((access) => ({
    value: access,
    name: accessNames[access],
    about: accessWords[access],
  }))
  return <ChooseOne label="What it may do" options={options} value={value} onChange={onChange} />
}

interface KeyValues {
  name: string
  addresses: string
}

interface FormProps {
  form: UseFormReturn<KeyValues>
}

function NameField({ form, ...texts }: FormProps & { hint?: string; placeholder?: string }) {
  return (
    <TextField
      label="Name"
      autoComplete="off"
      maxLength={255}
      error={form.formState.errors.name && 'Give it a name.'}
      {...texts}
      {...form.register('name', { required: true, validate: (text) => text.trim() !== '' })}
    />
  )
}

function AddressesField({ form }: FormProps) {
  return (
    <TextArea
      label="Addresses"
      hint="IP addresses or ranges from which it may be used, one per line. Empty: from anywhere."
      rows={2}
      spellCheck={false}
      error={form.formState.errors.addresses?.message}
      {...form.register('addresses', {
        validate: (text) => {
          const wrong = wrongAddress(addressesIn(text))
          return wrong === undefined || `“${wrong}” is no IP address and no range such as 192.0.2.0/24.`
        },
      })}
    />
  )
}

export function EditKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { id: projectId } = useProject()
  const change = useChange('PUT /management/v1/projects/{projectId}/api-keys/{keyId}')
  const toast = useToast()
  const [access, setAccess] = useState(accessOf(apiKey.role))
  // A role that this page does not offer stays unless one changes what the key may do.
  const role = access === accessOf(apiKey.role) ? apiKey.role : roleFor[access]
  const form = useForm<KeyValues>({
    defaultValues: { name: apiKey.name, addresses: apiKey.ip_whitelist.join('\n') },
  })
  const save = ({ name, addresses }: KeyValues) =>
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
      about="Id and secret stay. A program that uses it feels a change with its next call."
      isOpen
      onClose={onClose}
    >
      <form className="space-y-4" noValidate onSubmit={form.handleSubmit(save)}>
        <FailureNotice failure={change.error} />
        <NameField form={form} />
        {apiKey.kind !== 'client' && <ChooseAccess value={access} onChange={setAccess} />}
        <AddressesField form={form} />
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
