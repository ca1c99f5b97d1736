import type { Ctx } from '../../core/context.ts'
import { withDetails } from './details.ts'
import type { CheckoutRows, LoadOptions } from './loaded.ts'
import type { CheckoutRequest } from './request.ts'
import { loadRows } from './rows.ts'

/**
 * Loads all that a request needs to know: its rows in one trip, and what shows to be needed then in another, which mostly is
 * nothing. The configuration comes from memory; what comes along says whether it is current, and if it is not, everything is
 * asked for once more with the new one.
 */
export async function loadCheckout(ctx: Ctx, request: CheckoutRequest, options: LoadOptions): Promise<CheckoutRows> {
  let configuration = ctx.configurations.known(ctx.project_id)
  for (let attempt = 0; ; attempt += 1) {
    const rows = await loadRows(ctx, request, configuration, options)
    if ('kept' in rows) return { ...nothingLoaded, configuration, kept: rows.kept }
    if (rows.config_version === configuration.version || attempt === refreshesMax)
      return withDetails(ctx, request, configuration, rows, options.db)
    configuration = await ctx.configurations.atLeast(options.db, ctx.project_id, rows.config_version)
  }
}

/** Whoever changes the configuration without a pause cannot keep a checkout from its answer. */
const refreshesMax = 5

const nothingLoaded: Omit<CheckoutRows, 'configuration' | 'kept'> = {
  vouchers: [],
  customers: [],
  caller: null,
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
