import { Search } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { box, Field, SelectField } from './field.tsx'

interface FilterBarProps {
  /** Fields with visible labels, each as wide as the others. */
  children: ReactNode
  /** Given while something is filtered. */
  onClear?: (() => void) | undefined
}

/** The filters above a list, and a way to be rid of all of them. */
export function FilterBar({ children, onClear }: FilterBarProps) {
  return (
    <search className="mb-4 grid grid-cols-2 items-end gap-3 sm:grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))]">
      {children}
      {onClear && (
        <div className="-ml-3">
          <Button look="quiet" onClick={onClear}>
            Clear filters
          </Button>
        </div>
      )}
    </search>
  )
}

interface FilterTextProps {
  label: string
  placeholder?: string
  value: string
  onChange: (value: string) => void
  /** The main field of the list, with a lens. */
  isSearch?: boolean
  /** For codes. */
  mono?: boolean
  className?: string
}

const pauseMs = 250

/** A text that narrows a list: it counts a moment after the last key, or at once with Enter. */
export function FilterText(props: FilterTextProps) {
  const { label, placeholder = 'Any', value, onChange, isSearch, mono, className } = props
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
    <Field label={label} className={className}>
      {(control) => (
        <div className="relative">
          {isSearch && (
            <Search
              aria-hidden="true"
              className="pointer-events-none absolute inset-y-0 left-2.5 my-auto size-4 text-muted"
            />
          )}
          <input
            {...control}
            type="search"
            autoComplete="off"
            spellCheck={false}
            value={text}
            placeholder={placeholder}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === 'Enter' && send(text.trim())}
            className={classes(box, 'h-8.5', isSearch && 'pl-8.5', mono && 'font-mono placeholder:font-sans')}
          />
        </div>
      )}
    </Field>
  )
}

interface FilterSelectProps {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
  className?: string
}

/** One of a few, or any. */
export function FilterSelect({ options, onChange, ...rest }: FilterSelectProps) {
  return (
    <SelectField
      {...rest}
      options={[{ value: '', label: 'Any' }, ...options]}
      onChange={(event) => onChange(event.target.value)}
    />
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
