import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { renewSession } from '../../api/begin-session.ts'
import { useChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Panel } from '../../ui/page.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { FailureNotice, Notice, Status } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import { SwitchOn } from './second-factor-setup.tsx'

type Task = 'on' | 'off' | null

/** A code of the phone in addition to the password. */
export function SecondFactorPanel() {
  const { has_totp: isOn, email, has_password: hasPassword } = useSession().user
  const [task, setTask] = useState<Task>(null)
  const router = useRouter()
  const close = () => {
    setTask(null)
    // Only now: renewing it while the recovery codes are shown would end the dialog that shows them.
    void renewSession(router)
  }
  const action = isOn ? (
    <Button size="small" onClick={() => setTask('off')}>
      Switch off
    </Button>
  ) : (
    hasPassword && (
      <Button size="small" onClick={() => setTask('on')}>
        Switch on
      </Button>
    )
  )
  return (
    <Panel title="Second factor" actions={action}>
      <div className="space-y-1.5">
        <Status tone={isOn ? 'good' : 'neutral'}>{isOn ? 'On' : 'Off'}</Status>
        <p className="text-muted">
          {isOn
            ? 'Signing in asks for a code of your authenticator app. If you lose your phone, use one of your recovery codes.'
            : 'A code of an app on your phone is asked for in addition to the password, so that a stolen password is not enough.'}
        </p>
      </div>
      <Dialog title="Switch on the second factor" isOpen={task === 'on'} onClose={close}>
        <SwitchOn email={email} onDone={close} />
      </Dialog>
      <Dialog title="Switch off the second factor" isOpen={task === 'off'} onClose={() => setTask(null)}>
        <SwitchOff onDone={close} onCancel={() => setTask(null)} />
      </Dialog>
    </Panel>
  )
}

function SwitchOff({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) {
  const remove = useChange('DELETE /auth/totp')
  const toast = useToast()
  const { register, handleSubmit, watch } = useForm({ defaultValues: { password: '' } })
  const submit = async ({ password }: { password: string }) => {
    try {
      await remove.mutateAsync({ body: { password } })
      toast('Second factor switched off')
      onDone()
    } catch {
      // Shown above the field.
    }
  }
  return (
    <form onSubmit={handleSubmit(submit)} className="space-y-4" noValidate>
      {remove.error?.key === 'invalid_credentials' ? (
        <Notice tone="bad" title="The password is not right." />
      ) : (
        <FailureNotice failure={remove.error} />
      )}
      <p>From then on your password alone signs you in. The recovery codes end too.</p>
      <PasswordField label="Your password" autoComplete="current-password" {...register('password')} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="danger" isBusy={remove.isPending} disabled={watch('password') === ''}>
          Switch off
        </Button>
      </DialogActions>
    </form>
  )
}
