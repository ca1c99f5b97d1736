import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { useProject, useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FailureNotice, Notice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { ChooseRole } from './roles.tsx'
import { nameOf } from './user-columns.tsx'

interface UserDialogProps {
  user: Schemas['User']
  onClose: () => void
}

export function RoleDialog({ user, onClose }: UserDialogProps) {
  const { id: projectId, name } = useProject()
  const me = useSession().user
  const change = useChange('PUT /management/v1/projects/{projectId}/users/{userId}')
  const toast = useToast()
  const [role, setRole] = useState(user.projects[projectId] ?? 'VIEWER')
  const save = () =>
    change.mutate(
      { path: { projectId, userId: user.id }, body: { role } },
      {
        onSuccess: () => {
          toast('Role changed')
          onClose()
        },
      },
    )
  return (
    <Dialog title={`Role of ${nameOf(user)} in ${name}`} isOpen onClose={onClose}>
      <div className="space-y-4">
        <FailureNotice failure={change.error} />
        {user.id === me.id && role !== 'ADMIN' && (
          <Notice tone="warn" title="This is you.">
            You will not be able to change users and keys any more.
          </Notice>
        )}
        <ChooseRole value={role} onChange={setRole} />
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" isBusy={change.isPending} onClick={save}>
          Save
        </Button>
      </DialogActions>
    </Dialog>
  )
}

export function RemoveUser({ user, onClose }: UserDialogProps) {
  const { id: projectId, name } = useProject()
  const me = useSession().user
  const remove = useChange('DELETE /management/v1/projects/{projectId}/users/{userId}')
  const toast = useToast()
  return (
    <Confirm
      title={`Remove ${nameOf(user)} from ${name}?`}
      action="Remove"
      isOpen
      onClose={onClose}
      isBusy={remove.isPending}
      failure={remove.error}
      onConfirm={() =>
        remove.mutate(
          { path: { projectId, userId: user.id } },
          {
            onSuccess: () => {
              toast(`${nameOf(user)} is no longer in the project`)
              onClose()
            },
          },
        )
      }
    >
      <p>
        {user.id === me.id ? 'This is you: you lose' : 'They lose'} access to this project at once. The account stays,
        with its roles in other projects, and can be added again.
      </p>
    </Confirm>
  )
}

export function NewLink({ user, onClose }: UserDialogProps) {
  const { id: projectId } = useProject()
  const renew = useChange('POST /management/v1/projects/{projectId}/users/{userId}/invitation')
  return (
    <Dialog title={`New link for ${nameOf(user)}`} isOpen onClose={onClose}>
      <div className="space-y-4">
        <FailureNotice failure={renew.error} />
        {renew.data ? (
          <InvitationLink invitation={renew.data} isRenewal />
        ) : (
          <p>They set their password by it. The link that they have now stops working.</p>
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{renew.data ? 'Done' : 'Cancel'}</Button>
        {!renew.data && (
          <Button
            look="primary"
            isBusy={renew.isPending}
            onClick={() => renew.mutate({ path: { projectId, userId: user.id } })}
          >
            Make a new link
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
