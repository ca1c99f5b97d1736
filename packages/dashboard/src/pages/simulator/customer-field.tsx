import { X } from 'lucide-react'
import { useRef } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { Choose } from '../../ui/choose.tsx'
import { type FoundCustomer, useCustomerFinder } from './finders.ts'
import type { Situation } from './situation.ts'
import type { Change } from './use-situation.ts'

/** Who buys: searched by name, e-mail or id; nobody is a customer too. */
export function CustomerField({
  onChosen,
  situation,
  change,
  error,
}: {
  situation: Situation
  change: Change
  error?: string | undefined
  /** Where to go on typing. */
  onChosen: () => void
}) {
  const search = useCustomerFinder()
  const input = useRef<HTMLInputElement>(null)
  const another = () => {
    change((now) => ({ ...now, customer: null }))
    setTimeout(() => input.current?.focus())
  }
  const { customer } = situation
  if (customer === null) {
    return (
      <Choose<FoundCustomer>
        label="Customer"
        placeholder="Name, e-mail or id"
        value={null}
        onChange={(found) => {
          if (found === null) return
          change((now) => ({ ...now, customer: { id: found.id, name: found.name } }))
          onChosen()
        }}
        inputRef={input}
        search={search}
        keyOf={({ id }) => id}
        textOf={({ name }) => name}
        error={error}
        row={({ name, note }) => (
          <>
            <span className="min-w-0 truncate">{name}</span>
            <span className="min-w-0 shrink-[2] truncate text-muted text-xs">{note}</span>
          </>
        )}
      />
    )
  }
  return (
    <div>
      <div className="mb-1 font-medium text-xs">Customer</div>
      <div className="flex h-8.5 items-center justify-between gap-2 rounded-md border border-line bg-sunken pl-2.5">
        <span className="min-w-0 truncate" title={customer.name ?? customer.id}>
          {customer.name ?? <span className="font-mono">{customer.id}</span>}
        </span>
        <IconButton label="Choose another customer" onClick={another}>
          <X aria-hidden="true" className="size-4" />
        </IconButton>
      </div>
      {error && <p className="mt-1 text-bad text-xs">{error}</p>}
    </div>
  )
}
