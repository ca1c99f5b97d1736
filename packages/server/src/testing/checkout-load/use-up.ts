import { newChance } from './chance.ts'
import type { Bound, Thing } from './goods.ts'
import { redeem } from './redeem.ts'
import { nameOf, type Run } from './run.ts'

/** Redeems everything limited until it is refused: the remaining quantity must be exactly that of the model. */
export async function useUp(run: Run): Promise<void> {
  const { things, units, product_id, customers } = run.goods
  const chance = newChance(0)
  const first = new Map<string, Thing>()
  for (const thing of things) for (const { name } of thing.bounds) if (!first.has(name)) first.set(name, thing)
  const customer = customers[0] as string
  const order = (amount: number) => ({ id: null, source_id: nameOf(run, 'order'), amount })
  const untilRefused = async (thing: Thing) => {
    const who = thing.holder ?? customer
    const max = thing.bounds.some(({ measure }) => measure === 'credits') ? leftOn(run, thing) : thing.off
    if (thing.kind === 'gift' || thing.kind === 'card') {
      const credits = thing.kind === 'card' ? max - (max % 10) : max
      const use = { thing, customer: who, credits, discount: thing.kind === 'card' ? credits * 10 : credits, units: 0 }
      if (credits > 0) await redeem(run, chance, { uses: [use], customer: who, order: order(10_000_000) })
      const excess = { ...use, credits: 10, discount: thing.kind === 'card' ? 100 : 10 }
      await redeem(run, chance, { uses: [excess], customer: who, order: order(10_000) })
      return
    }
    for (let done = 0; done < 100; done += 1) {
      const use = { thing, customer: who, credits: 0, discount: thing.off, units: 0 }
      const { checkout } = await redeem(run, chance, { uses: [use], customer: who, order: order(10_000) })
      if (checkout === null) return
    }
    run.ledger.violations.push(`${thing.id} was not used up after 100 redemptions`)
  }
  const untilNoneLeft = async (thing: Thing) => {
    for (let done = 0; done < 100; done += 1) {
      const items = [{ product_id, quantity: 4, price: 1_000 }]
      const use = { thing, customer, credits: 0, discount: 0, units: 4 }
      const { checkout } = await redeem(run, chance, { uses: [use], customer, order: order(4_000), items })
      if (checkout?.children[0]?.units === 0) return
    }
    run.ledger.violations.push(`${thing.id} was not used up after 100 redemptions`)
  }
  await Promise.all([...[...new Set(first.values())].map(untilRefused), untilNoneLeft(units[0] as Thing)])
}

/** The balance of a card according to the model. */
function leftOn({ ledger }: Run, thing: Thing): number {
  const used = ledger.checkouts
    .filter(({ undone }) => undone === null)
    .flatMap(({ children }) => children)
    .filter((child) => child.thing === thing)
    .reduce((sum, { credits }) => sum + credits, 0)
  return (thing.bounds[0] as Bound).max - used
}
