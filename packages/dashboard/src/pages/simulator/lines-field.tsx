import { X } from 'lucide-react'
import { type KeyboardEvent, memo, useRef, useState } from 'react'
import { type Reference, useNames } from '../../api/names.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Choose } from '../../ui/choose.tsx'
import { classes } from '../../ui/classes.ts'
import { useFormat } from '../../ui/format.tsx'
import { type FoundGood, useGoodFinder } from './finders.ts'
import { isGood, lineProblems } from './request.ts'
import { type Line, newLine, type Situation } from './situation.ts'
import type { Change } from './use-situation.ts'

const shownAtFirst = 40
const linesMax = 500

interface LinesFieldProps {
  situation: Situation
  change: Change
  /** What the service says of the lines that it was sent. */
  faults: ReadonlyMap<number, string>
}

/** The cart: a line per product, or per thing that the catalogue does not know. */
export function LinesField({ situation: { lines }, change, faults }: LinesFieldProps) {
  const search = useGoodFinder()
  const adder = useRef<HTMLInputElement>(null)
  const rows = useRef<HTMLUListElement>(null)
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? lines : lines.slice(0, shownAtFirst)
  // Rows are drawn anew only when they change: typing in one of 500 stays quick.
  const actions = useRef({
    edit: (key: string, patch: Partial<Line>) =>
      change((now) => ({ ...now, lines: now.lines.map((line) => (line.key === key ? { ...line, ...patch } : line)) })),
    remove: (key: string) => {
      change((now) => ({ ...now, lines: now.lines.filter((line) => line.key !== key) }))
      adder.current?.focus()
    },
    leave: () => adder.current?.focus(),
  }).current
  const add = ({ name, price, product_id, sku_id }: FoundGood) => {
    change((now) => ({ ...now, lines: [...now.lines, newLine({ name, price, product_id, sku_id })] }))
    if (price !== '') return
    // A free line has no price yet: that is what one types next.
    setTimeout(() => rows.current?.querySelector<HTMLInputElement>('li:last-child [data-field=price]')?.focus())
  }
  const sent = lines.filter(isGood)
  const nameOf = useNames(shown.flatMap(referenceOf))
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium text-xs">Cart</legend>
      {lines.length > 0 && (
        <>
          <div aria-hidden="true" className={classes(columns, 'mb-1 text-muted text-xs')}>
            <span>Item</span>
            <span className="text-right">Units</span>
            <span className="text-right">Unit price</span>
          </div>
          <ul ref={rows} className="space-y-1.5">
            {shown.map((line, index) => (
              <LineRow
                knownName={nameOf(line.sku_id ?? line.product_id ?? '')}
                key={line.key}
                line={line}
                number={index + 1}
                fault={faults.get(sent.indexOf(line))}
                {...actions}
              />
            ))}
          </ul>
          {lines.length > shown.length && (
            <Button size="small" className="mt-2" onClick={() => setIsWhole(true)}>
              Show {lines.length - shown.length} more lines
            </Button>
          )}
        </>
      )}
      {lines.length < linesMax && (
        <div className={lines.length > 0 ? 'mt-1.5' : ''}>
          <Choose<FoundGood>
            label="Add an item"
            hidesLabel
            placeholder="Add a product, or type any name"
            value={null}
            onChange={(found) => found && add(found)}
            search={search}
            free={(text) => ({ name: text, price: '', note: 'Not in the catalogue' })}
            keyOf={({ product_id, sku_id, name }) => sku_id ?? product_id ?? `free ${name}`}
            textOf={({ name }) => name}
            row={(good) => <GoodRow good={good} />}
            isAdder
            inputRef={adder}
          />
        </div>
      )}
    </fieldset>
  )
}

/** A link from elsewhere may know a product by its id only. */
function referenceOf({ name, product_id, sku_id }: Line): Reference[] {
  if (name !== '') return []
  return sku_id ? [{ kind: 'sku', id: sku_id }] : product_id ? [{ kind: 'product', id: product_id }] : []
}

const columns = 'grid grid-cols-[minmax(0,1fr)_3.5rem_5.5rem_1.75rem] items-center gap-1.5'
const input =
  'h-8.5 w-full min-w-0 rounded-md border border-line-strong bg-panel px-2 text-ink placeholder:text-muted hover:border-muted aria-invalid:border-bad'

function GoodRow({ good: { name, price, note } }: { good: FoundGood }) {
  const { currency } = useFormat()
  return (
    <>
      <span className="min-w-0">
        <span className="block truncate">{name}</span>
        <span className="block truncate text-muted text-xs">{note}</span>
      </span>
      {price !== '' && (
        <span className="shrink-0 text-muted tabular-nums">
          {price} {currency}
        </span>
      )}
    </>
  )
}

interface LineRowProps {
  line: Line
  knownName: string | undefined
  number: number
  fault: string | undefined
  edit: (key: string, patch: Partial<Line>) => void
  remove: (key: string) => void
  leave: () => void
}

const LineRow = memo(function LineRow({ line, knownName, number, fault, edit, remove, leave }: LineRowProps) {
  const { key, quantity, price, product_id, sku_id } = line
  const name = line.name || (knownName ?? '')
  const problems = lineProblems(line)
  const isKnown = product_id !== undefined || sku_id !== undefined
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    leave()
  }
  const texts = [problems.name, problems.quantity, problems.price, fault].filter(Boolean).join(' · ')
  return (
    <li>
      <div className={columns}>
        {isKnown ? (
          <span className="truncate px-0.5" title={name || product_id || sku_id}>
            {name || <span className="font-mono text-xs">{sku_id ?? product_id}</span>}
          </span>
        ) : (
          <input
            aria-label={`Name of line ${number}`}
            aria-invalid={problems.name ? true : undefined}
            value={name}
            onChange={(event) => edit(key, { name: event.target.value })}
            onKeyDown={onKeyDown}
            className={input}
          />
        )}
        <input
          aria-label={`Units of line ${number}`}
          aria-invalid={problems.quantity ? true : undefined}
          inputMode="numeric"
          value={quantity}
          onChange={(event) => edit(key, { quantity: event.target.value })}
          onFocus={(event) => event.target.select()}
          onKeyDown={onKeyDown}
          className={classes(input, 'text-right tabular-nums')}
        />
        <input
          aria-label={`Unit price of line ${number}`}
          aria-invalid={problems.price ? true : undefined}
          data-field="price"
          inputMode="decimal"
          placeholder={isKnown ? 'catalogue' : '0.00'}
          value={price}
          onChange={(event) => edit(key, { price: event.target.value })}
          onFocus={(event) => event.target.select()}
          onKeyDown={onKeyDown}
          className={classes(input, 'text-right tabular-nums')}
        />
        <IconButton label={`Remove ${name || `line ${number}`}`} className="size-7" onClick={() => remove(key)}>
          <X aria-hidden="true" className="size-3.5" />
        </IconButton>
      </div>
      {texts && (
        <p role="status" className="mt-0.5 text-bad text-xs">
          {texts}
        </p>
      )}
    </li>
  )
})
