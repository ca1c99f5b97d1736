import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { ApiFailure } from '../../api/client.ts'
import { AttemptFailure } from '../../parts/attempts.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/state.tsx'
import { Card } from './card.tsx'

interface SecondFactorFormProps {
  email: string
  failure: ApiFailure | null
  isBusy: boolean
  secondsLeft: number
  onSubmit: (factor: { totp: string } | { recovery_code: string }) => Promise<void>
  onBack: () => void
}

/** The second step: the code of the app, or one of the recovery codes when the phone is lost. */
export function SecondFactorForm({ email, failure, isBusy, secondsLeft, onSubmit, onBack }: SecondFactorFormProps) {
  const [isRecovery, setIsRecovery] = useState(false)
  const { register, handleSubmit, reset, formState } = useForm<{ code: string }>()
  const isWrong = failure?.key === 'invalid_credentials' || failure?.key === 'invalid_code'
  return (
    <Card title="Second step" about={`Signing in as ${email}`}>
      <form
        className="space-y-4"
        noValidate
        onSubmit={handleSubmit(({ code }) =>
          onSubmit(isRecovery ? { recovery_code: code.trim() } : { totp: digits(code) }),
        )}
      >
        {isWrong ? (
          <Notice
            tone="bad"
            title={isRecovery ? 'This recovery code is not right, or was used before.' : 'This code is not right.'}
          >
            {!isRecovery &&
              'A code works once and for half a minute: wait for the next one, and check the clock of your phone.'}
          </Notice>
        ) : (
          <AttemptFailure failure={failure} secondsLeft={secondsLeft} />
        )}
        {isRecovery ? (
          <TextField
            key="recovery"
            label="Recovery code"
            hint="One of the ten that you kept when you switched the second factor on. Each works once."
            autoComplete="off"
            spellCheck={false}
            mono
            autoFocus
            error={formState.errors.code && 'Enter one of your recovery codes.'}
            {...register('code', { required: true })}
          />
        ) : (
          <TextField
            key="totp"
            label="Code of your authenticator app"
            autoComplete="one-time-code"
            inputMode="numeric"
            placeholder="123 456"
            mono
            autoFocus
            error={formState.errors.code && 'Enter the six digits that the app shows.'}
            {...register('code', { required: true, validate: (code) => digits(code).length === 6 })}
          />
        )}
        <Button type="submit" look="primary" className="w-full" isBusy={isBusy} disabled={secondsLeft > 0}>
          Sign in
        </Button>
        <div className="flex justify-between">
          <Button look="quiet" size="small" className="-ml-2" onClick={onBack}>
            Back
          </Button>
          <Button
            look="quiet"
            size="small"
            className="-mr-2"
            onClick={() => {
              setIsRecovery(!isRecovery)
              reset({ code: '' })
            }}
          >
            {isRecovery ? 'Use the app' : 'Use a recovery code'}
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** Apps show `123 456`. */
const digits = (code: string) => code.replaceAll(/\s/g, '')
