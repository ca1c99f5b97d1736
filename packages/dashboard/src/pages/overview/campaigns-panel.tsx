import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useProject } from '../../api/session.ts'
import { BarList } from '../../ui/chart.tsx'
import { classes } from '../../ui/classes.ts'
import { useFormat } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty, Loading } from '../../ui/state.tsx'
import type { Overview } from './figures.ts'
import type { OverviewRange } from './range.ts'

const orders = {
  discount: { label: 'By discount', about: 'What codes and promotions of each campaign took off orders.' },
  value: { label: 'By order value', about: 'Value, before discounts, of the orders in which each was redeemed.' },
}

/** The campaigns that gave or moved the most; each leads to its redemptions in the range. */
export function CampaignsPanel({ range, overview }: { range: OverviewRange; overview: Overview | undefined }) {
  const [by, setBy] = useState<keyof typeof orders>('discount')
  return (
    <Panel
      title="Campaigns"
      className="order-2 lg:order-none"
      about={orders[by].about}
      actions={
        <fieldset className="flex rounded-md border border-line-strong p-0.5">
          <legend className="sr-only">Campaigns by</legend>
          {(Object.keys(orders) as (keyof typeof orders)[]).map((value) => (
            <button
              key={value}
              type="button"
              aria-pressed={value === by}
              onClick={() => setBy(value)}
              className={classes(
                'h-6.5 whitespace-nowrap rounded px-2 text-xs',
                value === by ? 'bg-accent-soft font-medium text-accent' : 'text-muted hover:bg-sunken hover:text-ink',
              )}
            >
              {orders[value].label}
            </button>
          ))}
        </fieldset>
      }
    >
      {overview === undefined ? <Loading lines={5} /> : <Bars by={by} range={range} overview={overview} />}
    </Panel>
  )
}

function Bars({ by, range, overview }: { by: keyof typeof orders; range: OverviewRange; overview: Overview }) {
  const project = useProject()
  const { money, number } = useFormat()
  const campaigns = by === 'discount' ? overview.campaigns : overview.campaigns_by_order_amount
  if (campaigns.length === 0)
    return (
      <Empty title="No campaign was redeemed in this range">
        A campaign appears here with its first redemption. Codes that belong to none are in the figures above only.
      </Empty>
    )
  return (
    <BarList
      rows={campaigns.map(({ id, name, redemptions, discount_amount, order_amount }) => {
        const value = by === 'discount' ? discount_amount : order_amount
        return {
          id,
          value,
          text: `${money(value)} · ${number(redemptions)} ${redemptions === 1 ? 'use' : 'uses'}`,
          name:
            name === null ? (
              <span className="text-muted">A campaign that was deleted</span>
            ) : (
              <Link
                to="/$project/redemptions"
                params={{ project: project.id }}
                search={{ campaign: id, from: range.from, to: range.to }}
                title={name}
                className="hover:underline"
              >
                {name}
              </Link>
            ),
        }
      })}
    />
  )
}
