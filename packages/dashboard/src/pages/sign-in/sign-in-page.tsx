import { useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { beginSession } from '../../api/begin-session.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useSecondsLeft } from '../../parts/attempts.tsx'
import { buttonClasses } from '../../ui/button.tsx'
import { Notice } from '../../ui/state.tsx'
import { Card } from './card.tsx'
import { type Credentials, CredentialsForm } from './credentials-form.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { errorSentence } from './sentences.ts'
import { targetOf } from './target.ts'

/** Who one is: e-mail and password, then the second factor where one is on. */
export function SignInPage() {
  const { to, error } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const features = useRead('GET /auth/features', {})
  const signIn = useChange('POST /auth/session')
  // What was right so far: the second step sends it again, with the code.
  const [credentials, setCredentials] = useState<Credentials | null>(null)
  const secondsLeft = useSecondsLeft(signIn.error)
  const target = targetOf(to, window.location.origin)

  const send = async (body: Credentials & { totp?: string; recovery_code?: string }) => {
    try {
      beginSession(await signIn.mutateAsync({ body }))
      router.history.replace(target)
    } catch {
      // The form shows why: `signIn.error`.
    }
  }
  const isSecondStep =
    credentials !== null &&
    (signIn.error?.key === 'second_factor_required' || signIn.variables?.body.totp !== undefined)

  if (credentials !== null && (isSecondStep || signIn.variables?.body.recovery_code !== undefined))
    return (
      <SecondFactorForm
        email={credentials.email}
        failure={signIn.error?.key === 'second_factor_required' ? null : signIn.error}
        isBusy={signIn.isPending}
        secondsLeft={secondsLeft}
        onSubmit={(factor) => send({ ...credentials, ...factor })}
        onBack={() => {
          setCredentials(null)
          signIn.reset()
        }}
      />
    )
  return (
    <Card title="Sign in">
      {error && !signIn.error && (
        <div className="mb-5">
          <Notice tone={error === 'not_signed_in' ? 'info' : 'bad'}>{errorSentence(error)}</Notice>
        </div>
      )}
      <CredentialsForm
        failure={signIn.error}
        isBusy={signIn.isPending || signIn.isSuccess}
        secondsLeft={secondsLeft}
        onSubmit={(next) => {
          setCredentials(next)
          return send(next)
        }}
      />
      {features.data?.oidc && (
        <>
          <div className="my-5 flex items-center gap-3 text-muted text-xs" aria-hidden="true">
            <span className="h-px flex-1 bg-line" />
            or
            <span className="h-px flex-1 bg-line" />
          </div>
          <a href={`/auth/oidc/start?to=${encodeURIComponent(target)}`} className={`${buttonClasses('plain')} w-full`}>
            Sign in with your organisation
          </a>
        </>
      )}
      <p className="mt-6 border-line border-t pt-4 text-muted text-xs leading-5">
        Invited, but no password yet? An administrator can give you a new link. Forgotten the password? Whoever runs the
        service makes a link with <code className="whitespace-nowrap font-mono">guerdon users reset</code> and your
        e-mail.
      </p>
    </Card>
  )
}
