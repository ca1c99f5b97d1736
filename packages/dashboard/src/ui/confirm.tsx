import type { ReactNode } from 'react'
import type { ApiFailure } from '../api/client.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { FailureNotice } from './state.tsx'

interface ConfirmProps {
  isOpen: boolean
  onClose: () => void
  title: ReactNode
  /** What happens then, and what breaks. */
  children: ReactNode
  /** The verb of the button. */
  action: string
  isDanger?: boolean
  isBusy: boolean
  failure: ApiFailure | null
  onConfirm: () => void
}

/** Asks before something that cannot be taken back, or that somebody else feels. */
export function Confirm(props: ConfirmProps) {
  const { isOpen, onClose, title, children, action, isDanger = true, isBusy, failure, onConfirm } = props
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div className="space-y-3">
        {children}
        <FailureNotice failure={failure} />
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look={isDanger ? 'danger' : 'primary'} isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
