import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Count, Money } from '../../ui/format.tsx'
import { itemName, type Outcome, offLine } from './outcomes.ts'

interface LineTableProps {
  order: Schemas['CalculatedOrderView']
  /** Those that were applied, in their order. */
  applied: readonly Outcome[]
  nameOf: (outcome: Outcome) => string
  names: readonly string[]
}

const rowsAtFirst = 25
const cell = 'h-9 px-3 text-right tabular-nums first:pl-4 last:pr-4'
const head = 'px-3 py-2 align-bottom font-medium text-muted text-xs first:pl-4 last:pr-4'

/** Line by line what each redeemable took off, and what it took off the whole. */
export function LineTable({ order, applied, nameOf, names }: LineTableProps) {
  const [isWhole, setIsWhole] = useState(false)
  const { items } = order
  const shown = isWhole ? items : items.slice(0, rowsAtFirst)
  const onOrder = applied.some(({ order: after }) => (after?.applied_discount_amount ?? 0) > 0)
  return (
    <section aria-label="Line by line" tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse">
        <caption className="sr-only">What each discount takes off each line</caption>
        <thead>
          <tr className="border-line border-b">
            <th scope="col" className={classes(head, 'text-left')}>
              Line
            </th>
            <th scope="col" className={classes(head, 'text-right')}>
              Units
            </th>
            <th scope="col" className={classes(head, 'text-right')}>
              Amount
            </th>
            {applied.map((outcome) => (
              <th key={`${outcome.object} ${outcome.id}`} scope="col" className={classes(head, 'text-right')}>
                <span
                  className={classes('ml-auto block max-w-28 truncate', outcome.object === 'voucher' && 'font-mono')}
                  title={nameOf(outcome)}
                >
                  {nameOf(outcome)}
                </span>
              </th>
            ))}
            <th scope="col" className={classes(head, 'text-right')}>
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((item, index) => (
            <tr key={index} className="border-line border-b last:border-0">
              <th
                scope="row"
                className="h-9 w-full min-w-32 max-w-0 truncate px-3 text-left font-normal first:pl-4"
                title={names[index] ?? itemName(item, index)}
              >
                {names[index] ?? itemName(item, index)}
                {item.initial_quantity === 0 && <span className="text-muted"> added</span>}
              </th>
              <td className={cell}>
                <Count value={item.quantity} />
              </td>
              <td className={cell}>{item.amount === undefined ? <Dash /> : <Money cents={item.amount} />}</td>
              {applied.map((outcome) => (
                <td key={`${outcome.object} ${outcome.id}`} className={cell}>
                  <Off cents={offLine(outcome, index)} />
                </td>
              ))}
              <td className={cell}>
                {item.subtotal_amount === undefined ? <Dash /> : <Money cents={item.subtotal_amount} />}
              </td>
            </tr>
          ))}
          {onOrder && (
            <tr className="border-line border-t">
              <th scope="row" colSpan={3} className="h-9 px-3 text-left font-normal text-muted first:pl-4">
                Off the whole order
              </th>
              {applied.map((outcome) => (
                <td key={`${outcome.object} ${outcome.id}`} className={cell}>
                  <Off cents={outcome.order?.applied_discount_amount ?? 0} />
                </td>
              ))}
              <td className={cell}>
                <Off cents={order.applied_discount_amount ?? 0} />
              </td>
            </tr>
          )}
        </tbody>
      </table>
      {items.length > shown.length && (
        <div className="border-line border-t px-4 py-2.5">
          <Button size="small" onClick={() => setIsWhole(true)}>
            Show all {items.length} lines
          </Button>
        </div>
      )}
    </section>
  )
}

const Dash = () => <span className="text-muted">–</span>

function Off({ cents }: { cents: number }) {
  return cents === 0 ? <Dash /> : <Money cents={-cents} />
}
