import type { Schemas } from '../../api/client.ts'
import { classes } from '../../ui/classes.ts'
import { Money } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { Tag, type Tone } from '../../ui/state.tsx'
import { amountBefore, type Entry, isRollback, orderTitle } from './entry.ts'

type Order = Schemas['RedemptionOrder']

const states: Record<NonNullable<Order['status']>, { text: string; tone: Tone }> = {
  CREATED: { text: 'Open', tone: 'neutral' },
  PAID: { text: 'Paid', tone: 'good' },
  CANCELED: { text: 'Canceled', tone: 'neutral' },
  FULFILLED: { text: 'Fulfilled', tone: 'good' },
}

/** The order as it was right after: per line before, off and after, then what came off the whole order. */
export function OrderPanel({ entry, order }: { entry: Entry; order: Order }) {
  const total = order.total_amount ?? order.amount
  const all = order.total_discount_amount ?? 0
  const own = order.total_applied_discount_amount ?? all
  const added = (order.amount ?? 0) - (amountBefore(order) ?? 0)
  const state = order.status && states[order.status]
  return (
    <Panel
      title={orderTitle(order)}
      about={isRollback(entry) ? 'As it was right after the rollback.' : 'As it was right after this redemption.'}
      actions={state && <Tag tone={state.tone}>{state.text}</Tag>}
      flush
    >
      <div className="overflow-x-auto">{order.items.length > 0 && <Lines items={order.items} />}</div>
      <dl className="ml-auto w-72 max-w-full space-y-1 px-4 py-3">
        <Sum name="Ordered" cents={amountBefore(order)} />
        {added > 0 && <Sum name="Units added" cents={added} />}
        {(order.discount_amount ?? 0) > 0 && <Sum name="Off the whole order" cents={-(order.discount_amount ?? 0)} />}
        {(order.items_discount_amount ?? 0) > 0 && (
          <Sum name="Off single lines" cents={-(order.items_discount_amount ?? 0)} />
        )}
        <Sum name="To pay" cents={total} isTotal />
      </dl>
      {!isRollback(entry) && own !== all && (
        <p className="border-line border-t px-4 py-2.5 text-muted text-xs">
          <Money cents={own} /> of the <Money cents={all} /> off come from this redemption, the rest from others of the
          same order.
        </p>
      )}
    </Panel>
  )
}

const cell = 'px-4 py-2'
const right = `${cell} whitespace-nowrap text-right tabular-nums`
const head = 'h-9 px-4 font-medium text-muted text-xs'

function Lines({ items }: { items: Order['items'] }) {
  return (
    <table className="w-full border-collapse">
      <caption className="sr-only">Lines of the order with what was taken off</caption>
      <thead>
        <tr className="border-line border-b text-right">
          <th scope="col" className={`${head} text-left`}>
            Line
          </th>
          <th scope="col" className={`${head} max-sm:hidden`}>
            Quantity
          </th>
          <th scope="col" className={`${head} max-sm:hidden`}>
            Before
          </th>
          <th scope="col" className={head}>
            Off
          </th>
          <th scope="col" className={head}>
            After
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item, index) => {
          const name = item.product?.name ?? item.sku?.sku ?? item.source_id ?? item.product_id ?? item.sku_id
          const off = item.discount_amount ?? 0
          const before = item.amount ?? (item.price ?? 0) * item.quantity
          return (
            <tr key={item.id ?? index} className="border-line border-b">
              <td className={`${cell} w-full max-w-0 truncate`} title={name}>
                {name ?? `Line ${index + 1}`}
                {item.initial_quantity === 0 && <span className="ml-2 text-muted text-xs">added</span>}
              </td>
              <td className={`${right} max-sm:hidden`}>
                {item.quantity}
                {item.price !== undefined && (
                  <span className="text-muted">
                    {' × '}
                    <Money cents={item.price} />
                  </span>
                )}
              </td>
              <td className={`${right} max-sm:hidden`}>
                <Money cents={before} />
              </td>
              <td className={right}>{off > 0 ? <Money cents={-off} /> : <span className="text-muted">none</span>}</td>
              <td className={right}>
                <Money cents={item.subtotal_amount ?? before - off} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function Sum({ name, cents, isTotal = false }: { name: string; cents: number | undefined; isTotal?: boolean }) {
  if (cents === undefined) return null
  return (
    <div className={classes('flex justify-between gap-4', isTotal ? 'font-semibold' : 'text-muted')}>
      <dt>{name}</dt>
      <dd>
        <Money cents={cents} />
      </dd>
    </div>
  )
}
