import { Eye, EyeOff } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, type Ref, useState } from 'react'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'
import { box, Field } from './field.tsx'

type PasswordFieldProps = InputHTMLAttributes<HTMLInputElement> & {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  ref?: Ref<HTMLInputElement>
}

/** A secret that is typed: hidden, unless one wants to see it. */
export function PasswordField({ label, hint, error, className, ...rest }: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false)
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(control) => (
        <div className="relative">
          <input
            {...control}
            {...rest}
            type={isShown ? 'text' : 'password'}
            spellCheck={false}
            autoCapitalize="none"
            className={classes(box, 'h-8.5 pr-10')}
          />
          <IconButton
            label={isShown ? 'Hide what is typed' : 'Show what is typed'}
            aria-pressed={isShown}
            onClick={() => setIsShown(!isShown)}
            className="absolute top-0.5 right-0.5 size-7.5"
          >
            {isShown ? <EyeOff aria-hidden="true" className="size-4" /> : <Eye aria-hidden="true" className="size-4" />}
          </IconButton>
        </div>
      )}
    </Field>
  )
}
