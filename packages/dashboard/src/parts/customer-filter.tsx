import { useRead } from '../api/queries.ts'
import { ChooseCustomer } from './choose-customer.tsx'

interface CustomerFilterProps {
  label: string
  id: string | undefined
  onChange: (id: string | undefined) => void
}

/** The address holds an id; the field shows its name once that is known. */
export function CustomerFilter({ label, id, onChange }: CustomerFilterProps) {
  const { data, isLoading } = useRead(
    'GET /v1/customers/{customerId}',
    { path: { customerId: id ?? '' } },
    { enabled: !!id },
  )
  const chosen = id && !isLoading ? (data ?? { id }) : null
  return (
    <ChooseCustomer label={label} placeholder="Any" value={chosen} onChange={(customer) => onChange(customer?.id)} />
  )
}
