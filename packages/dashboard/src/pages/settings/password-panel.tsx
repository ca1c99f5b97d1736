import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useChange } from '../../api/queries.ts'
import { sessionQuery, useSession } from '../../api/session.ts'
import { AttemptFailure, useSecondsLeft } from '../../parts/attempts.tsx'
import { NewPassword } from '../../parts/new-password.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Panel } from '../../ui/page.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { Notice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import { rulesOf } from '../../words/password-rules.ts'

export function PasswordPanel() {
  const { user } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Panel
      title="Password"
      actions={
        user.has_password && (
          <Button size="small" onClick={() => setIsOpen(true)}>
            Change
          </Button>
        )
      }
    >
      <p className="text-muted">
        {user.has_password
          ? 'You sign in with your e-mail address and a password. Changing it ends all your other sessions.'
          : 'You have none: you sign in with your organisation. For a password, ask an administrator for a link.'}
      </p>
      <Dialog title="Change your password" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <ChangePassword email={user.email} onDone={() => setIsOpen(false)} />
      </Dialog>
    </Panel>
  )
}

function ChangePassword({ email, onDone }: { email: string; onDone: () => void }) {
  const change = useChange('POST /auth/password')
  const client = useQueryClient()
  const router = useRouter()
  const toast = useToast()
  const { register, handleSubmit, watch } = useForm({ defaultValues: { old: '', password: '' } })
  const { old, password } = watch()
  const secondsLeft = useSecondsLeft(change.error)
  const submit = async () => {
    try {
      const session = await change.mutateAsync({ body: { old_password: old, password } })
      client.setQueryData(sessionQuery.queryKey, session)
      await router.invalidate()
      toast('Password changed', 'All your other sessions have ended.')
      onDone()
    } catch {
      // Shown above the fields.
    }
  }
  return (
    <form onSubmit={handleSubmit(submit)} className="space-y-4" noValidate>
      {change.error?.key === 'invalid_credentials' ? (
        <Notice tone="bad" title="The present password is not right." />
      ) : (
        <AttemptFailure failure={change.error} secondsLeft={secondsLeft} />
      )}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField label="Present password" autoComplete="current-password" {...register('old')} />
      <NewPassword field={register('password')} password={password} email={email} />
      <DialogActions>
        <Button onClick={onDone}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          isBusy={change.isPending}
          disabled={old === '' || secondsLeft > 0 || rulesOf(password, email).some(({ isMet }) => !isMet)}
        >
          Change the password
        </Button>
      </DialogActions>
    </form>
  )
}
