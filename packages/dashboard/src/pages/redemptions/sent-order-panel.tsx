import type { Schemas } from '../../api/client.ts'
import { Money } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { orderTitle } from './entry.ts'

/** The order of a refusal, as the shop sent it: the service stores none, the audit log has the request. */
export function SentOrderPanel({ order }: { order: Schemas['CheckoutOrder'] }) {
  const items = order.items ?? []
  return (
    <Panel
      title={
        // An order without a name of the shop's own.
        orderTitle({ id: '', source_id: order.source_id })?.trim() || 'Order'
      }
      about="As the shop sent it, from the audit log. Nothing of it was stored."
      flush={items.length > 0}
    >
      {items.length === 0 ? (
        <p>{typeof order.amount === 'number' ? <Money cents={order.amount} /> : 'It had no lines and no amount.'}</p>
      ) : (
        <table className="w-full border-collapse">
          <caption className="sr-only">Lines of the order</caption>
          <thead>
            <tr className="border-line border-b text-muted text-xs">
              <th scope="col" className="h-9 px-4 text-left font-medium">
                Line
              </th>
              <th scope="col" className="h-9 px-4 text-right font-medium">
                Quantity
              </th>
              <th scope="col" className="h-9 px-4 text-right font-medium">
                Price
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((item, index) => (
              <tr key={index} className="border-line border-b last:border-0">
                <td className="w-full max-w-0 truncate px-4 py-2">
                  {item.product?.name ??
                    item.sku?.sku ??
                    item.source_id ??
                    item.product_id ??
                    item.sku_id ??
                    `Line ${index + 1}`}
                </td>
                <td className="px-4 py-2 text-right tabular-nums">{item.quantity ?? 1}</td>
                <td className="whitespace-nowrap px-4 py-2 text-right tabular-nums">
                  {typeof item.price === 'number' ? (
                    <Money cents={item.price} />
                  ) : (
                    <span className="text-muted">catalogue</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}
