import { useId } from 'react'

interface ChooseOneProps<Value extends string> {
  label: string
  options: readonly { value: Value; name: string; about?: string | undefined }[]
  value: string
  onChange: (value: Value) => void
}

/** One of a few, each with a sentence on what it means: for choices that a list of bare words would hide. */
export function ChooseOne<Value extends string>({ label, options, value, onChange }: ChooseOneProps<Value>) {
  const name = useId()
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-xs">{label}</legend>
      <div className="divide-y divide-line overflow-hidden rounded-md border border-line-strong">
        {options.map((option) => (
          <label
            key={option.value}
            className="flex items-start gap-2.5 px-3 py-2 hover:bg-sunken/60 has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name={name}
              className="mt-0.5 size-4 shrink-0 accent-accent"
              checked={value === option.value}
              onChange={() => onChange(option.value)}
            />
            <span className="min-w-0">
              <span className="block font-medium">{option.name}</span>
              {option.about && <span className="block text-muted text-xs">{option.about}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
