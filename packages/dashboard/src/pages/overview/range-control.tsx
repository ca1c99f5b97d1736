import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { TextField } from '../../ui/field.tsx'
import { type OverviewRange, type OverviewSearch, rangeChoices } from './range.ts'

interface RangeControlProps {
  range: OverviewRange
  onChange: (search: OverviewSearch) => void
}

/** The usual ranges one click away; any other by its two days. */
export function RangeControl({ range, onChange }: RangeControlProps) {
  const [isOpen, setIsOpen] = useState(range.choice === 'custom')
  const choose = (value: string) => {
    setIsOpen(false)
    onChange({ range: value, from: undefined, to: undefined })
  }
  return (
    <div className="flex flex-wrap items-end gap-2">
      {isOpen && <CustomRange key={`${range.from}${range.to}`} range={range} onChange={onChange} />}
      <fieldset className="flex rounded-md border border-line-strong bg-panel p-0.5">
        <legend className="sr-only">Range</legend>
        {rangeChoices.map(({ value, label }) => (
          <Choice key={value} isChosen={!isOpen && range.choice === value} onClick={() => choose(value)}>
            {label}
          </Choice>
        ))}
        <Choice isChosen={isOpen} onClick={() => setIsOpen(true)}>
          Custom
        </Choice>
      </fieldset>
    </div>
  )
}

function Choice(props: { isChosen: boolean; onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      aria-pressed={props.isChosen}
      onClick={props.onClick}
      className={classes(
        'h-7 whitespace-nowrap rounded px-2.5 text-xs transition-colors',
        props.isChosen ? 'bg-accent-soft font-medium text-accent' : 'text-muted hover:bg-sunken hover:text-ink',
      )}
    >
      {props.children}
    </button>
  )
}

function CustomRange({ range, onChange }: RangeControlProps) {
  const [from, setFrom] = useState(range.from)
  const [to, setTo] = useState(range.to)
  const isWrong = from !== '' && to !== '' && from > to
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (from !== '' && to !== '' && !isWrong) onChange({ range: 'custom', from, to })
      }}
    >
      <TextField label="From" type="date" hidesLabel required value={from} onChange={(e) => setFrom(e.target.value)} />
      <TextField
        label="To"
        type="date"
        hidesLabel
        required
        value={to}
        min={from}
        onChange={(e) => setTo(e.target.value)}
      />
      <Button type="submit" disabled={isWrong}>
        Show
      </Button>
    </form>
  )
}
