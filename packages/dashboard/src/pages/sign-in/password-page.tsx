import { Link, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { beginSession } from '../../api/begin-session.ts'
import { useChange } from '../../api/queries.ts'
import { AttemptFailure, useSecondsLeft } from '../../parts/attempts.tsx'
import { NewPassword } from '../../parts/new-password.tsx'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { FailureView, Loading } from '../../ui/state.tsx'
import { rulesOf } from '../../words/password-rules.ts'
import { Card } from './card.tsx'

/** The page behind a link that sets a password: an invitation, the first start, or a reset. */
export function PasswordPage() {
  const [token, setToken] = useState(tokenInAddress)
  const { mutate: read, data: link, error } = useChange('POST /auth/password/link')
  // The token is a password for a day: it does not stay in the address bar, the history or a screenshot.
  useEffect(() => {
    if (window.location.hash !== '') window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [])
  // A second link that is opened in the same window changes the fragment alone, and loads no page.
  useEffect(() => {
    const onChange = () => {
      const next = tokenInAddress()
      if (next === null) return
      setToken(next)
      window.history.replaceState(window.history.state, '', window.location.pathname)
    }
    window.addEventListener('hashchange', onChange)
    return () => window.removeEventListener('hashchange', onChange)
  }, [])
  useEffect(() => {
    if (token !== null) read({ body: { token } })
  }, [token, read])

  if (token === null || error?.key === 'invalid_link') return <NoLink />
  if (error)
    return (
      <Card title="Set a password">
        <FailureView failure={error} retry={() => read({ body: { token } })} />
      </Card>
    )
  if (link === undefined)
    return (
      <Card title="Set a password">
        <Loading lines={3} />
      </Card>
    )
  const about = <span className="break-words">For {link.email}</span>
  return (
    <Card title={link.kind === 'INVITATION' ? 'Welcome to Guerdon' : 'Set a new password'} about={about}>
      <PasswordForm token={token} email={link.email} isNew={link.kind === 'INVITATION'} />
    </Card>
  )
}

function PasswordForm({ token, email, isNew }: { token: string; email: string; isNew: boolean }) {
  const router = useRouter()
  const save = useChange('POST /auth/password')
  const { register, handleSubmit, watch } = useForm({ defaultValues: { password: '' } })
  const secondsLeft = useSecondsLeft(save.error)
  const password = watch('password')
  if (save.error?.key === 'invalid_link') return <HowToGetOne />
  const submit = async () => {
    try {
      beginSession(await save.mutateAsync({ body: { token, password } }))
      router.history.replace('/dashboard/')
    } catch {
      // Shown above the field.
    }
  }
  return (
    <form className="space-y-4" onSubmit={handleSubmit(submit)} noValidate>
      {isNew && (
        <p className="text-muted">Choose a password; you sign in with it and your e-mail address from now on.</p>
      )}
      <AttemptFailure failure={save.error} secondsLeft={secondsLeft} />
      {/* For password managers: which account the password is of. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <NewPassword field={register('password')} password={password} email={email} />
      <Button
        type="submit"
        look="primary"
        className="w-full"
        isBusy={save.isPending || save.isSuccess}
        disabled={secondsLeft > 0 || rulesOf(password, email).some(({ isMet }) => !isMet)}
      >
        Set the password and sign in
      </Button>
    </form>
  )
}

function NoLink() {
  return (
    <Card title="This link does not work any more">
      <HowToGetOne />
    </Card>
  )
}

function HowToGetOne() {
  return (
    <div className="space-y-4">
      <p className="text-muted">
        A link works once, and for 24 hours. If you have set a password with it, sign in. If not, get a new link: ask an
        administrator, or run this where the service runs:
      </p>
      <pre
        className="overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2.5 font-mono text-xs"
        tabIndex={0}
      >
        guerdon users reset &lt;e-mail&gt;
      </pre>
      <Link to="/sign-in" className={`${buttonClasses('primary')} w-full`}>
        To the sign-in page
      </Link>
    </div>
  )
}

function tokenInAddress(): string | null {
  return new URLSearchParams(window.location.hash.slice(1)).get('token')
}
