import { between, type Chance, oneOf } from './chance.ts'
import { customerFor, orderFor, useOf } from './choices.ts'
import type { Bound, Thing } from './goods.ts'
import { redeem } from './redeem.ts'
import { ask, redeemableOf } from './requests.ts'
import { rollBack } from './roll-back.ts'
import { nameOf, type Run } from './run.ts'
import { holdInSession } from './sessions.ts'

export async function oneStep(run: Run, chance: Chance): Promise<void> {
  let remaining = chance() * shares
  for (const [share, step] of steps) {
    remaining -= share
    if (remaining < 0) return void (await step(run, chance))
  }
}

const steps: ReadonlyArray<readonly [share: number, step: (run: Run, chance: Chance) => Promise<unknown>]> = [
  [30, redeemOne],
  [15, redeemSeveral],
  [5, redeemStack],
  [6, redeemUnits],
  [4, redeemConcurrently],
  [30, rollBack],
  [12, holdInSession],
  [5, validateOnly],
  [3, disturbRows],
]

const shares = steps.reduce((sum, [share]) => sum + share, 0)

function redeemOne(run: Run, chance: Chance): Promise<unknown> {
  const thing = oneOf(chance, run.goods.things)
  const customer = customerFor(run, chance, [thing])
  if (thing.kind === 'discount' && thing.bounds.length === 0 && chance() < 0.1)
    return redeem(run, chance, { uses: [{ ...useOf(chance, thing, customer), discount: 0 }], customer, order: null })
  return redeem(run, chance, { uses: [useOf(chance, thing, customer)], ...orderFor(run, chance, customer, [thing]) })
}

function redeemSeveral(run: Run, chance: Chance): Promise<unknown> {
  const things = new Set<Thing>()
  for (let picked = between(chance, 2, 4); picked > 0; picked -= 1) things.add(oneOf(chance, run.goods.things))
  const cards = [...things].filter(({ holder }) => holder !== null)
  const chosen = [...things].filter((thing) => thing.holder === null || thing === cards[0])
  const customer = customerFor(run, chance, chosen)
  const orderAndCustomer = orderFor(run, chance, customer, chosen)
  return redeem(run, chance, {
    uses: chosen.map((thing) => useOf(chance, thing, orderAndCustomer.customer)),
    ...orderAndCustomer,
  })
}

function redeemStack(run: Run, chance: Chance): Promise<unknown> {
  const { stack } = run.goods
  const orderAndCustomer = orderFor(run, chance, customerFor(run, chance, []), [])
  const redeemables = [{ object: 'promotion_stack', id: stack.id }]
  return redeem(run, chance, {
    uses: stack.tiers.map((tier) => useOf(chance, tier, orderAndCustomer.customer)),
    ...orderAndCustomer,
    redeemables,
  })
}

function redeemUnits(run: Run, chance: Chance): Promise<unknown> {
  const { units, product_id } = run.goods
  const thing = oneOf(chance, units)
  const quantity = between(chance, 1, 4)
  const order = { id: null, source_id: nameOf(run, 'order'), amount: quantity * 1_000 }
  return redeem(run, chance, {
    uses: [{ thing, customer: oneOf(chance, run.goods.customers), discount: 0, credits: 0, units: quantity }],
    customer: oneOf(chance, run.goods.customers),
    order,
    items: [{ product_id, quantity, price: 1_000 }],
  })
}

/** Six concurrent redemptions that share an order or a limit. */
async function redeemConcurrently(run: Run, chance: Chance): Promise<void> {
  const { things } = run.goods
  const sharedOrder = chance() < 0.4 ? oneOf(chance, run.shared) : null
  const bounded = things.filter(({ bounds }) => bounds.length > 0)
  const [{ name }] = oneOf(chance, bounded).bounds as [Bound]
  const rivals = sharedOrder === null ? things.filter(({ bounds }) => bounds[0]?.name === name) : things
  const candidates = rivals.filter(({ holder }) => sharedOrder === null || holder === null)
  const customer = chance() < 0.4 ? nameOf(run, 'new') : oneOf(chance, run.goods.customers)
  await Promise.all(
    Array.from({ length: 6 }, () => {
      const thing = oneOf(chance, candidates)
      const orderAndCustomer = sharedOrder ?? orderFor(run, chance, thing.holder ?? customer, [thing])
      return redeem(run, chance, { uses: [useOf(chance, thing, orderAndCustomer.customer)], ...orderAndCustomer })
    }),
  )
}

async function validateOnly(run: Run, chance: Chance): Promise<void> {
  const thing = oneOf(chance, run.goods.things)
  const customer = customerFor(run, chance, [thing])
  const { reply } = await ask(run, chance, '/v1/validations', {
    redeemables: [redeemableOf(useOf(chance, thing, customer), run.goods)],
    customer: { source_id: customer },
    order: { amount: 100_000 },
  })
  if (reply.status !== 200)
    run.ledger.violations.push(`an unexpected answer to a validation: ${reply.status} ${reply.text.slice(0, 500)}`)
}

/** Changes rows that a concurrent redemption may have read: a customer, or the configuration. */
async function disturbRows(run: Run, chance: Chance): Promise<void> {
  const metadata = { seen: between(chance, 1, 1_000_000) }
  const tier = run.goods.stack.tiers[0] as Thing
  const path =
    chance() < 0.8 ? `/v1/customers/${oneOf(chance, run.goods.customers)}` : `/v1/promotions/tiers/${tier.id}`
  const { reply } = await ask(run, chance, path, { metadata }, 'PUT')
  if (reply.status !== 200)
    run.ledger.violations.push(`an unexpected answer to a change: ${reply.status} ${reply.text.slice(0, 500)}`)
}
