import type { Changes } from '../../core/db/checkout-changes.ts'
import type { CheckoutRows } from './checkout-rows.ts'

/** The rows of a batch as the decisions so far leave them: the next redemption is evaluated against these. */
export class BatchState {
  /** By voucher id: redemptions added in this batch. */
  readonly #redemptionsAdded = new Map<string, number>()
  readonly #customers = new Map<string, CheckoutRows['customers'][number]>()

  /** The loaded rows, with the changes recorded so far. */
  applyTo(rows: CheckoutRows): CheckoutRows {
    const customers = rows.customers.map((customer) => this.#customers.get(customer.id) ?? customer)
    const { caller } = rows
    return {
      ...rows,
      vouchers: rows.vouchers.map((voucher) => {
        const added = this.#redemptionsAdded.get(voucher.id)
        return added === undefined ? voucher : { ...voucher, redeemed_quantity: voucher.redeemed_quantity + added }
      }),
      customers,
      caller: caller === null ? null : (this.#customers.get(caller.id) ?? caller),
    }
  }

  /** Records the changes of a decision that will be saved with the batch. */
  record({ vouchers = [], customers = [] }: Changes, rows: CheckoutRows): void {
    for (const { id, quantity = 0 } of vouchers)
      this.#redemptionsAdded.set(id, (this.#redemptionsAdded.get(id) ?? 0) + quantity)
    for (const change of customers) {
      const customer = this.#customers.get(change.id) ?? rows.customers.find(({ id }) => id === change.id)
      if (customer === undefined || 'row' in change) continue
      const figures = Object.fromEntries(
        Object.entries(change.add ?? {}).map(([figure, by]) => [figure, customer[figure as 'redeemed_points'] + by]),
      )
      const { latest } = change
      this.#customers.set(change.id, {
        ...customer,
        ...figures,
        ...(latest === undefined ? {} : { last_order_amount: latest.amount, last_order_date: latest.date }),
      })
    }
  }
}
