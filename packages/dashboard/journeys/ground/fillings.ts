import type { Runtime } from '../../../server/src/core/context.ts'

export type Filling = 'nothing'

/** What the database of a shop can contain at the beginning, besides what the first start creates. No job runs meanwhile. */
export const fillings: Record<Filling, (runtime: Runtime) => Promise<unknown>> = {
  nothing: async () => {},
}
