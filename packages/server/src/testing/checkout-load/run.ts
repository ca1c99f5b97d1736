import type { Goods } from './goods.ts'
import type { Ledger, OrderRecord } from './model.ts'
import type { Shop } from './shop.ts'

export interface Run {
  shop: Shop
  goods: Goods
  ledger: Ledger
  is_disturbed: boolean
  /** Orders shared by several redemptions, each of one customer. */
  shared: Array<{ order: OrderRecord; customer: string }>
  /** Number of generated names. */
  made: number
}

export const sharedOrders = ({ customers }: Goods): Run['shared'] =>
  customers.slice(0, 3).map((customer, index) => ({
    order: { id: null, source_id: `shared-${index}`, amount: 1_000_000_000 },
    customer,
  }))

export const nameOf = (run: Run, word: string): string => `${word}-${++run.made}`
