import { Search } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'

/** The filters above a list, and a way to be rid of all of them. */
export function FilterBar({ children, onClear }: { children: ReactNode; onClear?: (() => void) | undefined }) {
  return (
    <search className="mb-4 grid grid-cols-2 items-end gap-2 sm:flex sm:flex-wrap">
      {children}
      {onClear && (
        <Button look="quiet" onClick={onClear}>
          Clear
        </Button>
      )}
    </search>
  )
}

interface FilterTextProps {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  /** The main field of the list, with a lens. */
  isSearch?: boolean
  className?: string
}

const pauseMs = 250

/** A text that narrows a list: it counts a moment after the last key, or at once with Enter. */
export function FilterText({ label, placeholder, value, onChange, isSearch, className }: FilterTextProps) {
  const id = useId()
  const [text, setText] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    // The address changed by other means than this field: the back button, or "Clear".
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value])
  const send = (next: string) => {
    if (next === sent.current) return
    sent.current = next
    onChange(next)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pause begins with each key, whatever `onChange` is by then
  useEffect(() => {
    const timer = setTimeout(() => send(text.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div className={classes('relative min-w-0', className)}>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      {isSearch && (
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute inset-y-0 left-2.5 my-auto size-4 text-muted"
        />
      )}
      <input
        id={id}
        type="search"
        value={text}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && send(text.trim())}
        className={classes(
          'h-8.5 w-full min-w-0 rounded-md border border-line-strong bg-panel px-2.5 placeholder:text-muted hover:border-muted',
          isSearch && 'pl-8.5',
        )}
      />
    </div>
  )
}

interface FilterSelectProps {
  label: string
  /** What stands there when nothing is chosen. */
  any: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}

export function FilterSelect({ label, any, value, options, onChange }: FilterSelectProps) {
  const id = useId()
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-8.5 w-full rounded-md border border-line-strong bg-panel pr-7 sm:max-w-44 pl-2.5 hover:border-muted"
      >
        <option value="">{any}</option>
        {options.map(({ value: option, label: text }) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

/** `key = value` as typed into one field; undefined while one of them is missing. */
export function keyAndValue(text: string | undefined): { key: string; value: string } | undefined {
  const at = text?.search(/[=:]/) ?? -1
  if (text === undefined || at < 1) return undefined
  const key = text.slice(0, at).trim()
  const value = text.slice(at + 1).trim()
  return key === '' || value === '' ? undefined : { key, value }
}
