import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Schemas } from '../../api/client.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useProject } from '../../api/session.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FailureNotice, Notice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import { roleNames } from '../../words/roles.ts'
import { InvitationLink } from './invitation-link.tsx'
import { ChooseRole } from './roles.tsx'

export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { name } = useProject()
  return (
    <Dialog title={`Invite somebody to ${name}`} isOpen={isOpen} onClose={onClose}>
      <Invite onClose={onClose} />
    </Dialog>
  )
}

function Invite({ onClose }: { onClose: () => void }) {
  const { id: projectId, name } = useProject()
  const invite = useChange('POST /management/v1/projects/users/invite', { prefer: 'return=representation' })
  const assign = useChange('POST /management/v1/projects/{projectId}/users')
  const toast = useToast()
  const [role, setRole] = useState('USER')
  const { register, handleSubmit, watch, formState } = useForm({ defaultValues: { email: '', first: '', last: '' } })
  const { email, first, last } = watch()
  const body = {
    email: email.trim(),
    first_name: first.trim(),
    last_name: last.trim(),
    projects: { [projectId]: role },
  }
  const isKnown = invite.error?.key === 'duplicate_found'
  const login = body.email.toLowerCase()
  const member = useRead(
    'GET /management/v1/projects/{projectId}/users/{userId}',
    { path: { projectId, userId: login } },
    { enabled: isKnown },
  )
  const present = isKnown ? member.data?.projects[projectId] : undefined
  const add = () =>
    assign.mutate(
      { path: { projectId }, body: { login, role } },
      {
        onSuccess: () => {
          toast(`${body.email} is in the project`)
          onClose()
        },
      },
    )
  if (invite.data) return <Invited invitation={invite.data} onClose={onClose} />
  return (
    <form className="space-y-4" noValidate onSubmit={handleSubmit(() => invite.mutate({ body }))}>
      {isKnown ? (
        <Notice tone="info" title={`${body.email} ${present ? 'is in this project' : 'has an account'} already.`}>
          {present
            ? `The role is ${roleNames[present] ?? present}; change it in the list.`
            : 'No invitation is needed: add them to this project with the role below.'}
        </Notice>
      ) : (
        <FailureNotice failure={invite.error} />
      )}
      {assign.error?.key === 'not_found' ? (
        <Notice tone="info" title="Only an owner can add them: they are in none of your projects." />
      ) : (
        <FailureNotice failure={assign.error} />
      )}
      <TextField
        label="E-mail"
        type="email"
        autoComplete="off"
        error={formState.errors.email && 'Enter an e-mail address.'}
        {...register('email', { required: true, pattern: /^\s*\S+@\S+\s*$/, onChange: () => invite.reset() })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="First name" autoComplete="off" {...register('first')} />
        <TextField label="Last name" autoComplete="off" {...register('last')} />
      </div>
      <ChooseRole value={role} onChange={setRole} />
      <DialogActions>
        <CopyCall name="POST /management/v1/projects/users/invite" input={{ body }} look="quiet" />
        <Button onClick={onClose}>Cancel</Button>
        {isKnown ? (
          <Button
            look="primary"
            isBusy={assign.isPending || member.isLoading}
            disabled={present !== undefined}
            onClick={add}
          >
            Add to {name}
          </Button>
        ) : (
          <Button type="submit" look="primary" isBusy={invite.isPending}>
            Invite
          </Button>
        )}
      </DialogActions>
    </form>
  )
}

function Invited({ invitation, onClose }: { invitation: Schemas['Invitation']; onClose: () => void }) {
  return (
    <>
      <InvitationLink invitation={invitation} />
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}
