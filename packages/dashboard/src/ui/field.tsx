import type { InputHTMLAttributes, ReactNode, Ref, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react'
import { useId } from 'react'
import { classes } from './classes.ts'

/** The ground of every control that takes text. */
export const box =
  'w-full min-w-0 rounded-md border border-line-strong bg-panel px-2.5 text-ink placeholder:text-muted hover:border-muted aria-invalid:border-bad disabled:bg-sunken disabled:text-muted'

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  /** A label for screen readers only, where the place says it all. */
  hidesLabel?: boolean
  className?: string
}

interface Control {
  id: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

/** A label, a control, and below it the hint or what is wrong: connected for screen readers. */
export function Field(props: FieldProps & { children: (control: Control) => ReactNode }) {
  const { label, hint, error, hidesLabel, className, children } = props
  const id = useId()
  const note = error ?? hint
  return (
    <div className={classes('min-w-0', className)}>
      <label htmlFor={id} className={hidesLabel ? 'sr-only' : 'mb-1 block font-medium text-xs'}>
        {label}
      </label>
      {children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': note ? `${id}-note` : undefined })}
      {note && (
        <p id={`${id}-note`} className={classes('mt-1 text-xs', error ? 'text-bad' : 'text-muted')}>
          {note}
        </p>
      )}
    </div>
  )
}

type TextFieldProps = FieldProps &
  InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement>; mono?: boolean; suffix?: ReactNode }

/** Takes what `register` of react-hook-form gives. */
export function TextField({ label, hint, error, hidesLabel, className, mono, suffix, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} hidesLabel={hidesLabel} className={className}>
      {(control) => (
        <div className="relative">
          <input
            {...control}
            {...rest}
            className={classes(box, 'h-8.5', mono && 'font-mono', suffix !== undefined && 'pr-10')}
          />
          {suffix !== undefined && (
            <span className="pointer-events-none absolute inset-y-0 right-2.5 flex items-center text-muted text-xs">
              {suffix}
            </span>
          )}
        </div>
      )}
    </Field>
  )
}

type TextAreaProps = FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }

export function TextArea({ label, hint, error, hidesLabel, className, ...rest }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} error={error} hidesLabel={hidesLabel} className={className}>
      {(control) => <textarea rows={3} {...control} {...rest} className={classes(box, 'py-1.5')} />}
    </Field>
  )
}

type SelectFieldProps = FieldProps &
  SelectHTMLAttributes<HTMLSelectElement> & {
    ref?: Ref<HTMLSelectElement>
    options: readonly { value: string; label: string }[]
  }

/** The browser's own list: works with keyboards, phones and screen readers as they expect. */
export function SelectField({ label, hint, error, hidesLabel, className, options, ...rest }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} hidesLabel={hidesLabel} className={className}>
      {(control) => (
        // Browsers put a few pixels of their own before the text of a list.
        <select {...control} {...rest} className={classes(box, 'h-8.5 pr-7 pl-1.5')}>
          {options.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

type CheckFieldProps = Omit<FieldProps, 'hidesLabel'> &
  InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }

export function CheckField({ label, hint, error, className, ...rest }: CheckFieldProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={classes('flex items-start gap-2', className)}>
      <input
        type="checkbox"
        id={id}
        aria-describedby={note ? `${id}-note` : undefined}
        className="mt-0.5 size-4 accent-accent"
        {...rest}
      />
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {note && (
          <p id={`${id}-note`} className={classes('text-xs', error ? 'text-bad' : 'text-muted')}>
            {note}
          </p>
        )}
      </div>
    </div>
  )
}

/** Text that a person types as money, in cents; undefined for what is no amount. Takes a comma or a point. */
export function centsOf(text: string): number | undefined {
  const match = /^\s*(\d{1,12})(?:[.,](\d{1,2}))?\s*$/.exec(text)
  if (match === null) return undefined
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}

/** Cents as a person types them. */
export function textOfCents(cents: number): string {
  return (cents / 100).toFixed(2)
}
