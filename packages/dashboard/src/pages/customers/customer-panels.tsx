import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { CustomerName } from '../../parts/customer-name.tsx'
import { Count, Instant } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { Loading, Status, Tag } from '../../ui/state.tsx'

type Customer = Schemas['Customer']

export function SegmentsPanel({ customer: { id } }: { customer: Customer }) {
  const { project } = useParams({ from: '/$project/customers/$customer' })
  const { data, error } = useRead('GET /v1/customers/{customerId}/segments', { path: { customerId: id } })
  return (
    <Panel title="Segments">
      {error ? (
        <p className="text-bad">{error.message}</p>
      ) : data === undefined ? (
        <Loading lines={1} />
      ) : data.data.length === 0 ? (
        <p className="text-muted">In none.</p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {data.data.map((segment) => (
            <li key={segment.id} className="min-w-0 max-w-full">
              <Link
                to="/$project/customers"
                params={{ project }}
                search={{ segment: segment.id }}
                className="hover:underline"
              >
                <Tag>
                  <span className="truncate">{segment.name}</span>
                </Tag>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** Who brought this customer, and how many this customer brought; left out where there is neither. */
export function ReferralsPanel({ customer: { referrals, loyalty } }: { customer: Customer }) {
  if (referrals.total === 0 && loyalty.referred_customers === 0) return null
  return (
    <Panel title="Referrals">
      <ul className="space-y-2">
        {loyalty.referred_customers > 0 && (
          <li>
            Brought <Count value={loyalty.referred_customers} />{' '}
            {loyalty.referred_customers === 1 ? 'customer' : 'customers'}
          </li>
        )}
        {referrals.campaigns.map(({ campaign_id, referrer_id, date }) => (
          <li key={`${campaign_id}${date}`}>
            Referred by <CustomerName id={referrer_id} /> on <Instant at={date} withTime={false} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** What the customer agreed to; left out where the project asks for nothing. */
export function ConsentsPanel({ customer: { id } }: { customer: Customer }) {
  const { data } = useRead('GET /v1/customers/{customerId}/consents', { path: { customerId: id } })
  if (data === undefined || data.data.length === 0) return null
  return (
    <Panel title="Consents">
      <ul className="space-y-2">
        {data.data.map(({ id: consent, name, given, decisions }) => (
          <li key={consent} className="flex items-baseline justify-between gap-4">
            <span className="min-w-0 break-words">{name}</span>
            <Status tone={given ? 'good' : 'neutral'}>
              {given ? 'Yes' : decisions.length > 0 ? 'No' : 'Never asked'}
              {decisions[0] && (
                <span className="text-muted">
                  since <Instant at={decisions[0].decided_at} withTime={false} />
                </span>
              )}
            </Status>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
