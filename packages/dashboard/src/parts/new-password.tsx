import { Check, Circle } from 'lucide-react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { classes } from '../ui/classes.ts'
import { PasswordField } from '../ui/password-field.tsx'
import { rulesOf } from '../words/password-rules.ts'

interface NewPasswordProps {
  field: UseFormRegisterReturn
  password: string
  email: string
}

/** A new password, and below it the rules, each ticked off as soon as it is met. */
export function NewPassword({ field, password, email }: NewPasswordProps) {
  return (
    <div>
      <PasswordField label="New password" autoComplete="new-password" required {...field} />
      <ul className="mt-2 space-y-1 text-xs" aria-label="What a password needs">
        {rulesOf(password, email).map(({ text, isMet }) => (
          <li key={text} className={classes('flex items-start gap-1.5', isMet ? 'text-good' : 'text-muted')}>
            {isMet ? (
              <Check aria-hidden="true" className="mt-px size-3.5 shrink-0" />
            ) : (
              <Circle aria-hidden="true" className="mt-px size-3.5 shrink-0 p-0.5" />
            )}
            <span>
              {text}
              <span className="sr-only">{isMet ? ': met' : ': not yet'}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
