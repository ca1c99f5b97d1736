import type { Input } from '../api/client.ts'
import type { useChange } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { DialogActions } from '../ui/dialog.tsx'
import { FailureNotice } from '../ui/state.tsx'
import { CopyCall } from './copy-call.tsx'

interface GiveActionsProps {
  publish: ReturnType<typeof useChange<'POST /v1/publications'>>
  input: Input<'POST /v1/publications'>
  isReady: boolean
  onGive: () => Promise<void>
  onClose: () => void
}

/** The end of a form that gives a code to a customer: why it was refused, the call it makes, and the buttons. */
export function GiveActions({ publish, input, isReady, onGive, onClose }: GiveActionsProps) {
  return (
    <>
      <FailureNotice failure={publish.error} />
      <DialogActions>
        <CopyCall name="POST /v1/publications" input={input} method="createPublication" look="quiet" />
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={!isReady} isBusy={publish.isPending} onClick={() => void onGive()}>
          Give it
        </Button>
      </DialogActions>
    </>
  )
}
