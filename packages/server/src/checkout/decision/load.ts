import type { Ctx } from '../../core/context.ts'
import { PrimaryNeededError } from '../../core/db/replicas.ts'
import type { CheckoutLoadOptions, CheckoutRows } from './checkout-rows.ts'
import { withDetails } from './details.ts'
import type { CheckoutRequest } from './request.ts'
import { loadRows } from './rows.ts'

/**
 * Loads everything that the evaluation of a request needs: its rows in one round trip, and in a second one, which most requests
 * skip, the details that these rows call for. The configuration comes from the cache. The first query also returns its current
 * version: if the cache is outdated, the configuration is refreshed and the rows are loaded again.
 */
export async function loadCheckout(
  ctx: Ctx,
  request: CheckoutRequest,
  options: CheckoutLoadOptions,
): Promise<CheckoutRows> {
  let configuration = ctx.configurations.cached(ctx.project_id)
  for (let attempt = 0; ; attempt += 1) {
    const rows = await loadRows(ctx, request, configuration, options)
    if ('kept' in rows) return { ...emptyRows, configuration, kept: rows.kept }
    if (rows.config_version === configuration.version || attempt === refreshesMax)
      return withDetails(ctx, request, configuration, rows, options.db)
    // A replica that has not applied the latest change of the configuration yet: its rows may not fit.
    if (ctx.primary !== undefined && rows.config_version < configuration.version) throw new PrimaryNeededError()
    configuration = await ctx.configurations.atLeast(ctx.primary ?? options.db, ctx.project_id, rows.config_version)
  }
}

/** Then the request goes on with what it has: continuous changes of the configuration must not keep it from a response. */
const refreshesMax = 5

const emptyRows: Omit<CheckoutRows, 'configuration' | 'kept'> = {
  vouchers: [],
  customers: [],
  caller: null,
  is_unproven: false,
  replaced_order: null,
  order: null,
  goods: { products: [], skus: [] },
  counted: {},
  segments: [],
  held_codes: [],
  events: new Map(),
  publications: [],
  publication_metadata: {},
  tier_usage: {},
  rewards_redeemed: {},
  today: '',
  has_session: false,
}
