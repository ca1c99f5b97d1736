import { between, type Chance, oneOf } from './chance.ts'
import type { Thing } from './goods.ts'
import type { OrderRecord, Use } from './model.ts'
import { nameOf, type Run } from './run.ts'

/** A random existing customer, sometimes a new one; for a card, its holder. */
export function customerFor(run: Run, chance: Chance, things: readonly Thing[]): string {
  const holder = things.find((thing) => thing.holder !== null)?.holder
  if (holder) return holder
  return chance() < 0.1 ? nameOf(run, 'new') : oneOf(chance, run.goods.customers)
}

/** Mostly a new order; sometimes a shared one that concurrent requests change, whose customer is then used. */
export function orderFor(
  run: Run,
  chance: Chance,
  customer: string,
  things: readonly Thing[],
): { order: OrderRecord; customer: string } {
  if (chance() < 0.15 && things.every(({ holder }) => holder === null)) return oneOf(chance, run.shared)
  const sourceId = chance() < 0.9 ? nameOf(run, 'order') : null
  return { order: { id: null, source_id: sourceId, amount: between(chance, 100, 200) * 1_000 }, customer }
}

export function useOf(chance: Chance, thing: Thing, customer: string): Use {
  const credits =
    thing.kind === 'gift' ? between(chance, 1, 900) : thing.kind === 'card' ? between(chance, 1, 9) * 10 : 0
  const discount = thing.kind === 'card' ? credits * 10 : thing.kind === 'gift' ? credits : thing.off
  return { thing, customer, discount, credits, units: 0 }
}
