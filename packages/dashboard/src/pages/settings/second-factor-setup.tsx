import type { Schemas } from '@guerdon/client'
import { useForm } from 'react-hook-form'
import { useChange } from '../../api/queries.ts'
import { AttemptFailure, useSecondsLeft } from '../../parts/attempts.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/code-block.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Notice } from '../../ui/state.tsx'

/** Type the password, scan, confirm with a code, keep the recovery codes. */
export function SwitchOn({ email, onDone }: { email: string; onDone: () => void }) {
  const prepare = useChange('POST /auth/totp')
  const confirm = useChange('POST /auth/totp')
  const password = prepare.variables?.body.password
  if (confirm.data && 'recovery_codes' in confirm.data)
    return <RecoveryCodes codes={confirm.data.recovery_codes} email={email} onDone={onDone} />
  if (prepare.data && 'secret' in prepare.data && password !== undefined)
    return <Scan pending={prepare.data} password={password} confirm={confirm} onCancel={onDone} />
  return <AskPassword email={email} prepare={prepare} onCancel={onDone} />
}

type SetUp = ReturnType<typeof useChange<'POST /auth/totp'>>

/** The service asks for it in each step: a browser left open must not suffice to lock somebody out. */
function AskPassword({ email, prepare, onCancel }: { email: string; prepare: SetUp; onCancel: () => void }) {
  const { register, handleSubmit, watch } = useForm({ defaultValues: { password: '' } })
  const secondsLeft = useSecondsLeft(prepare.error)
  return (
    <form className="space-y-4" noValidate onSubmit={handleSubmit((body) => prepare.mutate({ body }))}>
      {prepare.error?.key === 'invalid_credentials' ? (
        <Notice tone="bad" title="The password is not right." />
      ) : (
        <AttemptFailure failure={prepare.error} secondsLeft={secondsLeft} />
      )}
      <p>First your password, so that nobody else can do this in a browser that you left open.</p>
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField label="Your password" autoFocus autoComplete="current-password" {...register('password')} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          isBusy={prepare.isPending}
          disabled={watch('password') === '' || secondsLeft > 0}
        >
          Continue
        </Button>
      </DialogActions>
    </form>
  )
}

interface ScanProps {
  pending: Schemas['NewSecondFactor']
  password: string
  confirm: SetUp
  onCancel: () => void
}

function Scan({ pending, password, confirm, onCancel }: ScanProps) {
  const { register, handleSubmit, watch } = useForm({ defaultValues: { code: '' } })
  const secondsLeft = useSecondsLeft(confirm.error)
  const code = digits(watch('code'))
  return (
    <form className="space-y-4" noValidate onSubmit={handleSubmit(() => confirm.mutate({ body: { password, code } }))}>
      <p>Scan this with an authenticator app on your phone, then type the code that the app shows.</p>
      <div className="flex flex-wrap items-start gap-5">
        {/* Phones read dark squares on white, in either theme. */}
        <img
          src={`data:image/svg+xml,${encodeURIComponent(pending.qr_svg)}`}
          alt="QR code for an authenticator app"
          className="size-44 rounded-md border border-line bg-[white] p-2"
        />
        <div className="min-w-48 flex-1">
          <p className="font-medium text-xs">Cannot scan? Type this secret into the app:</p>
          <p className="flex items-start gap-1">
            <span className="min-w-0 font-mono leading-7">{grouped(pending.secret)}</span>
            <CopyButton text={pending.secret} label="Copy the secret" />
          </p>
        </div>
      </div>
      {confirm.error?.key === 'invalid_code' ? (
        <Notice tone="bad" title="This code is not right.">
          Wait for the next one, and check that the clock of your phone is right.
        </Notice>
      ) : (
        <AttemptFailure failure={confirm.error} secondsLeft={secondsLeft} />
      )}
      <TextField
        label="Code of the app"
        autoFocus
        mono
        inputMode="numeric"
        autoComplete="one-time-code"
        placeholder="123 456"
        {...register('code')}
      />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={confirm.isPending} disabled={code.length !== 6 || secondsLeft > 0}>
          Switch on
        </Button>
      </DialogActions>
    </form>
  )
}

function RecoveryCodes({ codes, email, onDone }: { codes: string[]; email: string; onDone: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <div className="space-y-4">
      <Notice tone="good" title="The second factor is on." />
      <p>
        Keep these recovery codes where your phone is not. Each signs you in once in place of a code of the app.{' '}
        <strong>They are shown only now.</strong>
      </p>
      <div className="relative rounded-md border border-line bg-sunken">
        <ul className="grid grid-cols-2 gap-x-6 gap-y-1.5 p-4 pr-10 font-mono" aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="absolute top-1 right-1">
          <CopyButton text={text} label="Copy the recovery codes" />
        </div>
      </div>
      <DialogActions>
        <Button
          onClick={() => saveFile(`Recovery codes of ${email} for Guerdon\n\n${text}`, 'guerdon-recovery-codes.txt')}
        >
          Download
        </Button>
        <Button look="primary" onClick={onDone}>
          I have kept them
        </Button>
      </DialogActions>
    </div>
  )
}

const digits = (code: string) => code.replaceAll(/\s/g, '')

/** In groups of four: easier to type without losing the place. Apps ignore the spaces. */
const grouped = (secret: string) => secret.replaceAll(/(.{4})(?=.)/g, '$1 ')
