import type { Schemas } from '../../api/client.ts'
import { CopyText } from '../../ui/code-block.tsx'
import { Instant } from '../../ui/format.tsx'
import { Facts } from '../../ui/page.tsx'

export function CustomerFacts({ customer }: { customer: Schemas['Customer'] }) {
  const { name, email, phone, birthdate, birthday, address, description, source_id, id } = customer
  const birth = birthdate ?? birthday
  return (
    <Facts
      facts={[
        ['Name', name ?? <span className="text-muted">unknown</span>],
        ['E-mail', email && <CopyText key="email" text={email} isMono={false} />],
        ['Phone', phone],
        ['Born', birth && <Instant key="born" at={`${birth.slice(0, 10)}T12:00:00Z`} withTime={false} />],
        ['Address', addressOf(address)],
        ['About', description],
        ['Source id', source_id === null ? undefined : <CopyText key="source" text={source_id} />],
        ['Id', <CopyText key="id" text={id} />],
        ['Changed', customer.updated_at && <Instant key="changed" at={customer.updated_at} />],
      ]}
    />
  )
}

function addressOf(address: Schemas['Customer']['address']) {
  const { line_1, line_2, postal_code, city, state, country } = address ?? {}
  const town = [postal_code, city].filter(Boolean).join(' ')
  const lines = [line_1, line_2, town, state, country].filter(Boolean)
  if (lines.length === 0) return undefined
  return lines.map((line) => (
    <span key={line} className="block">
      {line}
    </span>
  ))
}
