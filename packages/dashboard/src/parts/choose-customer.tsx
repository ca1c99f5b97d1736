import { useReader } from '../api/queries.ts'
import { Choose } from '../ui/choose.tsx'
import { nameOf, noteOf } from '../words/people.ts'

export interface CustomerChoice {
  id: string
  name?: string | null
  email?: string | null
  source_id?: string | null
}

interface ChooseCustomerProps {
  label: string
  placeholder?: string
  value: CustomerChoice | null
  onChange: (customer: CustomerChoice | null) => void
}

/** A customer by the beginning of a name, an e-mail or a source id; the newest ones before anything is typed. */
export function ChooseCustomer(props: ChooseCustomerProps) {
  const read = useReader()
  const search = async (text: string): Promise<CustomerChoice[]> => {
    if (text === '') return (await read('GET /v1/customers', { query: { limit: 5 } })).customers
    return (await read('GET /v1/search', { query: { q: text } })).customers
  }
  return (
    <Choose
      {...props}
      search={search}
      keyOf={({ id }) => id}
      textOf={nameOf}
      row={(customer) => (
        <>
          <span className="min-w-0 truncate">{nameOf(customer)}</span>
          <span className="min-w-0 max-w-40 truncate text-muted text-xs">{noteOf(customer)}</span>
        </>
      )}
    />
  )
}
