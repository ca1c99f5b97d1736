import { useForm } from 'react-hook-form'
import type { ApiFailure } from '../../api/client.ts'
import { AttemptFailure } from '../../parts/attempts.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { PasswordField } from '../../ui/password-field.tsx'

export interface Credentials {
  email: string
  password: string
}

interface CredentialsFormProps {
  failure: ApiFailure | null
  isBusy: boolean
  secondsLeft: number
  onSubmit: (credentials: Credentials) => Promise<void>
}

export function CredentialsForm({ failure, isBusy, secondsLeft, onSubmit }: CredentialsFormProps) {
  const { register, handleSubmit, formState } = useForm<Credentials>()
  return (
    <form onSubmit={handleSubmit(onSubmit)} className="space-y-4" noValidate>
      <AttemptFailure failure={failure} secondsLeft={secondsLeft} />
      <TextField
        label="E-mail"
        type="email"
        autoComplete="username"
        autoFocus
        error={formState.errors.email && 'Enter your e-mail address.'}
        {...register('email', { required: true, setValueAs: (text: string) => text.trim() })}
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        error={formState.errors.password && 'Enter your password.'}
        {...register('password', { required: true })}
      />
      <Button type="submit" look="primary" className="w-full" isBusy={isBusy} disabled={secondsLeft > 0}>
        Sign in
      </Button>
    </form>
  )
}
