import { findProjectOrOnly } from '../../../server/src/account/projects/store.ts'
import type { Runtime } from '../../../server/src/core/context.ts'
import { type DemoOptions, fillDemoShop } from '../../../server/src/demo/fill.ts'
import { fullSize, smallSize } from '../../../server/src/demo/plan.ts'

export type Filling = 'nothing' | 'demo' | 'full demo'

/**
 * What the database of a shop can contain at the beginning, besides what the first start creates. No job runs meanwhile. `demo` has
 * everything that the full one has, in less time; names to look for are in `demo/known.ts` of the server.
 */
export const fillings: Record<Filling, (runtime: Runtime) => Promise<unknown>> = {
  nothing: async () => {},
  demo: (runtime) => fillDemo(runtime, smallSize),
  'full demo': (runtime) => fillDemo(runtime, fullSize),
}

async function fillDemo(runtime: Runtime, size: DemoOptions): Promise<void> {
  await fillDemoShop(runtime, await findProjectOrOnly(runtime.database.db, undefined), size)
}
