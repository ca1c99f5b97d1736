import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { Count, Instant, Money } from '../../ui/format.tsx'
import { KeyValues } from '../../ui/key-values.tsx'
import { Figure, Page, Panel } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { nameOf } from '../../words/people.ts'
import { CustomerActions } from './customer-actions.tsx'
import { CustomerFacts } from './customer-facts.tsx'
import { OrdersPanel } from './customer-orders.tsx'
import { ConsentsPanel, ReferralsPanel, SegmentsPanel } from './customer-panels.tsx'
import { RedemptionsPanel } from './customer-redemptions.tsx'
import { Timeline } from './customer-timeline.tsx'
import { Wallet } from './wallet.tsx'

type Customer = Schemas['Customer']

/** One customer: who, what they hold, what they did and what happened to them. */
export function CustomerView({ customer }: { customer: Customer }) {
  const { project } = useParams({ from: '/$project/customers/$customer' })
  const { tab = 'wallet' } = useSearch({ from: '/$project/customers/$customer' })
  const navigate = useNavigate()
  const open = (next: string) =>
    void navigate({
      to: '/$project/customers/$customer',
      params: { project, customer: customer.id },
      search: next === 'wallet' ? {} : { tab: next },
      replace: true,
      resetScroll: false,
    })
  return (
    <Page
      title={nameOf(customer)}
      above={
        <Link to="/$project/customers" params={{ project }} className="hover:underline">
          Customers
        </Link>
      }
      about={
        <>
          {customer.name && customer.email && `${customer.email} · `}
          Customer since <Instant at={customer.created_at} withTime={false} />
        </>
      }
      actions={<CustomerActions customer={customer} />}
    >
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0">
          <CustomerFigures customer={customer} />
          <Tabs
            value={tab}
            onChange={open}
            tabs={[
              { value: 'wallet', label: 'Wallet', content: <Wallet customer={customer} /> },
              { value: 'timeline', label: 'Timeline', content: <Timeline customer={customer} /> },
              { value: 'orders', label: 'Orders', content: <OrdersPanel customer={customer} /> },
              { value: 'redemptions', label: 'Redemptions', content: <RedemptionsPanel customer={customer} /> },
            ]}
          />
        </div>
        <div className="min-w-0 space-y-5">
          <Panel title="Who">
            <CustomerFacts customer={customer} />
          </Panel>
          <SegmentsPanel customer={customer} />
          <ReferralsPanel customer={customer} />
          <ConsentsPanel customer={customer} />
          <Panel title="Metadata">
            <KeyValues values={customer.metadata} empty="None. Metadata are values of your own, such as a shoe size." />
          </Panel>
        </div>
      </div>
    </Page>
  )
}

function CustomerFigures({ customer: { summary, loyalty } }: { customer: Customer }) {
  const { orders, redemptions } = summary
  return (
    <div className="mb-5 grid grid-cols-2 gap-4 rounded-lg border border-line bg-panel p-4 sm:grid-cols-4">
      <Figure
        name="Orders"
        value={<Count value={orders.total_count} />}
        note={
          orders.last_order_date && (
            <>
              last on <Instant at={orders.last_order_date} withTime={false} />
            </>
          )
        }
      />
      <Figure
        name="Order value"
        value={<Money cents={orders.total_amount} />}
        note={
          orders.total_count > 0 && (
            <>
              <Money cents={orders.average_amount} /> on average
            </>
          )
        }
      />
      <Figure
        name="Codes used"
        value={<Count value={redemptions.total_succeeded} />}
        note={
          redemptions.total_failed > 0 && (
            <>
              <Count value={redemptions.total_failed} /> refused
            </>
          )
        }
      />
      <Figure name="Points" value={<Count value={loyalty.points} />} />
    </div>
  )
}
