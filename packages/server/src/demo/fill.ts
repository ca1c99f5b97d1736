import type { Runtime } from '../core/context.ts'
import type { Project } from '../core/db/project-row.ts'
import { toInstant } from '../core/lib/instant.ts'
import { addUpAll } from '../statistics/sums/work.ts'
import { addAudience } from './audience.ts'
import { newChance } from './chance.ts'
import type { History, HistoryCounts } from './checkout.ts'
import { addClub } from './club.ts'
import { makeHistory } from './days.ts'
import { addGoods } from './goods.ts'
import { addOffers } from './offers.ts'
import { newPeople } from './people.ts'
import { type DemoSize, fullSize, newPlan } from './plan.ts'
import { newShopClock, openDemoShop } from './shop.ts'
import { demoStateOf, insertDemoKey, renameDemoKey, whyNotFillable } from './state.ts'
import { type TriedCode, tryCodes } from './try-codes.ts'

export interface DemoOptions extends Partial<DemoSize> {
  /** Called after every day of the history. */
  onDay?(day: number, days: number): void
}

/** What was made. */
export interface DemoResult extends HistoryCounts, DemoSize {
  project: Project
  /** What some codes do at present. */
  codes: TriedCode[]
}

const seed = 2_018_08_01

/**
 * Fills an empty project with a shop and its history up to now. The same every time, but for ids and generated codes. Refuses a project that
 * has data. No job worker may run on the database meanwhile.
 */
export async function fillDemoShop(
  runtime: Runtime,
  project: Project,
  { onDay = () => {}, ...size }: DemoOptions = {},
): Promise<DemoResult> {
  const { db } = runtime.database
  const refusal = whyNotFillable(await demoStateOf(db, project.id), project, runtime.settings)
  if (refusal !== null) throw new Error(refusal)
  const plan = newPlan({ ...fullSize, ...size }, runtime.now())
  const clock = newShopClock(plan.start + 5 * 3_600_000, plan.present)
  const key = await insertDemoKey(db, project, toInstant(clock.now()))
  const shop = await openDemoShop(runtime, key, clock)
  try {
    const chance = newChance(seed)
    const people = newPeople(chance, plan.customers)
    // Two thirds were customers before; the others sign up in the course of the history.
    const importedCount = Math.ceil(people.length * 0.66)
    const imported = people.slice(0, importedCount)
    const goods = await addGoods(shop)
    const audience = await addAudience(shop, imported)
    const offers = await addOffers(shop, goods, audience, plan)
    const club = await addClub(shop, goods, audience, offers)
    const history: History = {
      shop,
      chance,
      plan,
      offers,
      club,
      visitors: [],
      friend_codes: [],
      returns: [],
      last_order: 10_000,
      counts: { orders: 0, redemptions: 0, refusals: 0, rollbacks: 0, publications: 0 },
    }
    await makeHistory(history, { imported, newcomers: people.slice(importedCount) }, (day) => onDay(day, plan.days))
    clock.moveTo(plan.present)
    const codes = await tryCodes(shop)
    await shop.runDailyJobs()
    await shop.maintain()
    // No worker adds up the statistics before the service starts, and the first look at the overview would find them empty.
    while (await addUpAll(db));
    await renameDemoKey(db, project.id)
    const { customers, days, orders_per_day } = plan
    return { project, customers, days, orders_per_day, ...history.counts, codes }
  } finally {
    await shop.close()
  }
}
