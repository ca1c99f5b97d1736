import type { Schemas } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { useProject } from '../../api/session.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { Key } from './key-words.ts'

interface KeyDialogProps {
  apiKey: Key
  onClose: () => void
}

export function BlockKey({ apiKey, onClose }: KeyDialogProps) {
  const { id: projectId } = useProject()
  const change = useChange('PUT /management/v1/projects/{projectId}/api-keys/{keyId}')
  const toast = useToast()
  const isActive = apiKey.status === 'ACTIVE'
  const done = () => {
    toast(isActive ? 'Key blocked' : 'Key let in again', apiKey.name)
    onClose()
  }
  return (
    <Confirm
      title={isActive ? `Block ${apiKey.name}?` : `Let ${apiKey.name} in again?`}
      action={isActive ? 'Block' : 'Let in again'}
      isDanger={isActive}
      isOpen
      onClose={onClose}
      isBusy={change.isPending}
      failure={change.error}
      onConfirm={() =>
        change.mutate(
          { path: { projectId, keyId: apiKey.id }, body: { status: isActive ? 'BLOCKED' : 'ACTIVE' } },
          { onSuccess: done },
        )
      }
    >
      <p>
        {isActive
          ? 'Every call by this key, and by access tokens made with it, is refused from now on, on all nodes within a minute. Nothing is lost: you can let it in again with the same secret.'
          : 'Programs that still have its secret can call the API again at once.'}
      </p>
    </Confirm>
  )
}

export function RegenerateKey(props: KeyDialogProps & { onMade: (key: Schemas['ApiKeyWithSecret']) => void }) {
  const { apiKey, onClose, onMade } = props
  const { id: projectId } = useProject()
  const regenerate = useChange('POST /management/v1/projects/{projectId}/api-keys/{keyId}/regenerate')
  return (
    <Confirm
      title={`New secret for ${apiKey.name}?`}
      action="Make a new secret"
      isOpen
      onClose={onClose}
      isBusy={regenerate.isPending}
      failure={regenerate.error}
      onConfirm={() => regenerate.mutate({ path: { projectId, keyId: apiKey.id } }, { onSuccess: onMade })}
    >
      <p>
        The old secret stops at once: whatever uses it is refused until it has the new one. The id stays. Access tokens
        that were made with it go on until they end by themselves, 15 minutes unless the service is set otherwise; to
        end them now, block the key first.
      </p>
    </Confirm>
  )
}

export function DeleteKey({ apiKey, onClose }: KeyDialogProps) {
  const { id: projectId } = useProject()
  const remove = useChange('DELETE /management/v1/projects/{projectId}/api-keys/{keyId}')
  const toast = useToast()
  const done = () => {
    toast('Key deleted', apiKey.name)
    onClose()
  }
  return (
    <Confirm
      title={`Delete ${apiKey.name}?`}
      action="Delete the key"
      isOpen
      onClose={onClose}
      isBusy={remove.isPending}
      failure={remove.error}
      onConfirm={() => remove.mutate({ path: { projectId, keyId: apiKey.id } }, { onSuccess: done })}
    >
      <p>
        Whatever uses it, and its access tokens, is refused at once, and the key cannot be brought back. If you are not
        sure what uses it, block it first and see what stops.
      </p>
    </Confirm>
  )
}
