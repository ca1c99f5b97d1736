import { Link, useParams } from '@tanstack/react-router'
import { FlaskConical, MoreHorizontal } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMayChange } from '../../api/session.ts'
import { AdjustBalance } from '../../parts/adjust-balance.tsx'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button, buttonClasses, IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { DeleteCustomer } from './delete-customer.tsx'
import { EditCustomer } from './edit-customer.tsx'
import { useExport } from './export-customer.ts'
import { GiveToCustomer } from './give-to-customer.tsx'
import { TransferPoints } from './transfer-points.tsx'
import { useLoyaltyCards } from './wallet.tsx'

type Open = 'give' | 'points' | 'transfer' | 'edit' | 'delete'

/** What can be done for a customer. */
export function CustomerActions({ customer }: { customer: Schemas['Customer'] }) {
  const { project } = useParams({ from: '/$project/customers/$customer' })
  const mayChange = useMayChange()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const save = useExport(customer)
  const { data } = useLoyaltyCards(customer.id)
  // Points are counted in a program; a card without one cannot be adjusted.
  const cards = (data?.data ?? [])
    .map(({ redeemable }) => redeemable.voucher)
    .filter((card) => card.campaign_id !== null)
  const card = cards[0]
  return (
    <>
      <CopyCall
        name="GET /v1/customers/{customerId}"
        input={{ path: { customerId: customer.id } }}
        method="getCustomer"
      />
      {mayChange && <Button onClick={() => setOpen('give')}>Give a code</Button>}
      {mayChange && card && <Button onClick={() => setOpen('points')}>Add points</Button>}
      {mayChange && (
        <Link
          to="/$project/simulator"
          params={{ project }}
          search={{ customer: customer.id }}
          className={buttonClasses('primary')}
        >
          <FlaskConical aria-hidden="true" className="size-4" />
          Check a code
        </Link>
      )}
      <Menu
        trigger={
          <IconButton label="More actions" className="border border-line-strong bg-panel">
            <MoreHorizontal aria-hidden="true" className="size-4" />
          </IconButton>
        }
      >
        {mayChange && <MenuItem onSelect={() => setOpen('edit')}>Edit</MenuItem>}
        {mayChange && card && <MenuItem onSelect={() => setOpen('transfer')}>Transfer points</MenuItem>}
        <MenuItem onSelect={() => void save()}>Export the data</MenuItem>
        {mayChange && <MenuLine />}
        {mayChange && (
          <MenuItem isDanger onSelect={() => setOpen('delete')}>
            Delete for good
          </MenuItem>
        )}
      </Menu>
      <GiveToCustomer customer={customer} isOpen={open === 'give'} onClose={close} />
      <EditCustomer customer={customer} isOpen={open === 'edit'} onClose={close} />
      <DeleteCustomer customer={customer} isOpen={open === 'delete'} onClose={close} />
      {card && <AdjustBalance code={card} others={cards} isOpen={open === 'points'} onClose={close} />}
      {card && <TransferPoints customer={customer} cards={cards} isOpen={open === 'transfer'} onClose={close} />}
    </>
  )
}
