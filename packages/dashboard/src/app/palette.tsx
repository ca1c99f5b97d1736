import { Dialog } from '@base-ui/react/dialog'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Reply } from '../api/client.ts'
import { useRead } from '../api/queries.ts'
import { useProject } from '../api/session.ts'
import { classes } from '../ui/classes.ts'
import { places } from './places.ts'

interface Entry {
  id: string
  kind: string
  name: ReactNode
  note?: string | undefined
  go: () => void
}

/** Ctrl K: finds places, campaigns, codes, customers, orders and products, and goes there. */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.38)]" />
        <Dialog.Popup className="fixed inset-x-3 top-[12vh] z-50 mx-auto max-w-xl overflow-hidden rounded-xl border border-line bg-raised shadow-popup outline-none">
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <Finder onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Finder({ onClose }: { onClose: () => void }) {
  const list = useId()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const term = useSettled(text.trim())
  const found = useRead('GET /v1/search', { query: { q: term } }, { enabled: term.length > 0, keeps: true })
  const entries = useEntries(text.trim().toLowerCase(), term.length > 0 ? found.data : undefined, onClose)
  // What stands there may still be of an earlier text: Enter then waits for the answer to this one.
  const isSearching = text.trim() !== '' && (term !== text.trim() || found.isFetching)
  const [isEntered, setIsEntered] = useState(false)
  useEffect(() => {
    if (!isEntered || isSearching) return
    setIsEntered(false)
    entries[0]?.go()
  })
  const chosen = Math.min(active, Math.max(0, entries.length - 1))
  const shown = useRef<HTMLDivElement>(null)
  useEffect(() => {
    shown.current?.querySelector(`[data-index="${chosen}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move !== undefined) {
      event.preventDefault()
      setActive((chosen + move + entries.length) % Math.max(1, entries.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (isSearching && entries[chosen]?.kind !== 'Places') setIsEntered(true)
      else entries[chosen]?.go()
    }
  }
  return (
    <>
      <input
        role="combobox"
        aria-label="Search places, campaigns, codes, customers, orders, products"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={entries.length > 0 ? `${list}-${chosen}` : undefined}
        placeholder="A code, a name, an e-mail, an order …"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
          setIsEntered(false)
        }}
        onKeyDown={onKeyDown}
        className="h-13 w-full border-line border-b bg-transparent px-4 text-base outline-none placeholder:text-muted"
      />
      <div ref={shown} id={list} role="listbox" aria-label="Results" className="max-h-[52vh] overflow-y-auto p-1.5">
        {entries.map((entry, index) => (
          <Row
            key={entry.id}
            id={`${list}-${index}`}
            entry={entry}
            index={index}
            isActive={index === chosen}
            isFirstOfKind={entries[index - 1]?.kind !== entry.kind}
            onPoint={() => setActive(index)}
          />
        ))}
      </div>
      {entries.length === 0 && (
        <p role="status" className="px-4 pb-4 text-muted">
          {isSearching ? 'Searching …' : found.error ? found.error.message : 'Nothing begins with this.'}
        </p>
      )}
    </>
  )
}

interface RowProps {
  id: string
  entry: Entry
  index: number
  isActive: boolean
  isFirstOfKind: boolean
  onPoint: () => void
}

function Row({ id, entry, index, isActive, isFirstOfKind, onPoint }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      data-index={index}
      onPointerMove={onPoint}
      onClick={entry.go}
      className={classes('flex cursor-default items-center gap-3 rounded-md px-2.5 py-2', isActive && 'bg-sunken')}
    >
      <span className="w-20 shrink-0 text-muted text-xs">{isFirstOfKind ? entry.kind : ''}</span>
      <span className="min-w-0 flex-1 truncate">{entry.name}</span>
      {entry.note && <span className="max-w-52 shrink-0 truncate text-muted text-xs">{entry.note}</span>}
    </div>
  )
}

function useEntries(text: string, found: Reply<'GET /v1/search'> | undefined, onClose: () => void): Entry[] {
  const { id: project } = useProject()
  const navigate = useNavigate()
  const going = (go: () => Promise<void>) => () => {
    onClose()
    void go()
  }
  const here: Entry[] = places
    .filter(({ name }) => name.toLowerCase().includes(text))
    .map(({ to, name, key }) => ({
      id: to,
      kind: 'Places',
      name,
      note: `g ${key}`,
      go: going(() => navigate({ to, params: { project } })),
    }))
  if (found === undefined) return here
  return [
    ...here,
    ...found.vouchers.map(({ id, code, campaign }) => ({
      id,
      kind: 'Codes',
      name: <span className="font-mono">{code}</span>,
      note: campaign ?? undefined,
      go: going(() => navigate({ to: '/$project/codes/$code', params: { project, code } })),
    })),
    ...found.customers.map(({ id, name, email, source_id }) => ({
      id,
      kind: 'Customers',
      name: name ?? email ?? source_id ?? id,
      note: (name ? email : source_id) ?? undefined,
      go: going(() => navigate({ to: '/$project/customers/$customer', params: { project, customer: id } })),
    })),
    ...found.campaigns.map(({ id, name }) => ({
      id,
      kind: 'Campaigns',
      name,
      go: going(() => navigate({ to: '/$project/redemptions', params: { project }, search: { campaign: id } })),
    })),
    ...found.orders.map(({ id, source_id, status }) => ({
      id,
      kind: 'Orders',
      name: source_id ?? id,
      note: status ?? undefined,
      go: going(() => navigate({ to: '/$project/simulator', params: { project }, search: { order: id } })),
    })),
    ...found.products.map(({ id, name, source_id }) => ({
      id,
      kind: 'Products',
      name: name ?? source_id ?? id,
      go: going(() => navigate({ to: '/$project/simulator', params: { project }, search: { cart: cartOf(id) } })),
    })),
  ]
}

/** A simulation of one unit of a product. */
const cartOf = (product: string) => JSON.stringify({ items: [{ product_id: product, quantity: 1 }] })

/** The text once nobody has typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 120)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
