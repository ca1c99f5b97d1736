import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { classes } from './classes.ts'

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger'

const shape =
  'inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium transition-colors disabled:opacity-55'
const sizes = { normal: 'h-8.5 px-3 text-sm', small: 'h-7 px-2 text-xs' }
const looks: Record<ButtonLook, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  plain: 'border border-line-strong bg-panel text-ink hover:bg-sunken',
  quiet: 'text-ink hover:bg-sunken',
  danger: 'border border-bad/40 bg-panel text-bad hover:bg-bad-soft',
}

/** The classes of a button, for a link that looks like one. */
export function buttonClasses(look: ButtonLook = 'plain', size: keyof typeof sizes = 'normal'): string {
  return classes(shape, sizes[size], looks[look])
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook
  size?: keyof typeof sizes
  /** While what it started runs: it cannot be pressed again, and says so to a screen reader. */
  isBusy?: boolean
  icon?: ReactNode
}

export function Button({ look, size, isBusy = false, icon, className, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={classes(buttonClasses(look, size), className)}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...rest}
    >
      {isBusy ? <Spinner /> : icon}
      {children}
    </button>
  )
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it does: read by screen readers and shown on hover. */
  label: string
}

export function IconButton({ label, className, children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classes(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted transition-colors hover:bg-sunken hover:text-ink disabled:opacity-50',
        className,
      )}
      {...rest}
    >
      {children}
    </button>
  )
}

export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent opacity-80"
    />
  )
}
