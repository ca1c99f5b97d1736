import { clockAt, whyNotValid } from '@guerdon/engine'
import { newCustomerRow } from '../../audience/customers/customer.ts'
import { buyerOf, customerFacts } from '../../checkout/decision/customer.ts'
import { loadCheckout } from '../../checkout/decision/load.ts'
import { orderFacts } from '../../checkout/decision/order.ts'
import { readRequest } from '../../checkout/decision/request.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload, notFound } from '../../core/http/errors.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { accrualsIn, type Earner } from './evaluate-rules.ts'
import { programsOf } from './programs.ts'
import type { EstimatePoints, PointsEstimation } from './schema.ts'

/**
 * Returns what an order would earn in a program if it were paid now (docs/reference/loyalty-programs.md#estimate-points).
 * Writes nothing.
 */
export async function estimatePoints(
  ctx: Ctx,
  campaign: StoredCampaign,
  body: EstimatePoints,
): Promise<PointsEstimation> {
  const { customer: sent, order: cart } = body
  if (sent === undefined) throw invalidPayload('Property .customer must be object')
  if (cart === undefined) throw invalidPayload('Property .order must be object')
  const request = readRequest(ctx, { customer: sent, order: cart }, [])
  const loaded = await loadCheckout(ctx, request, { db: ctx.db })
  const program = programsOf(loaded.configuration).get(campaign.id)
  if (program === undefined) throw notFound('campaign', campaign.id)
  if (!isOpen(ctx, program.campaign))
    throw new ApiError('campaign_not_active', {
      message: `Loyalty campaign '${campaign.id}' is not active`,
      details: 'Given campaign is not active',
    })
  const buyer = buyerOf(ctx, request, loaded)
  const earner = await earnerOf(ctx, campaign, buyer.stored?.id ?? null)
  // The order of the request counts, also if it names the stored order by its source id.
  const known = loaded.order?.id
  const order = orderFacts(
    known === undefined || request.order === null ? request : { ...request, order: { ...request.order, id: known } },
    loaded,
  )
  const customer = customerFacts(ctx, { ...buyer, customer: buyer.customer ?? newCustomerRow({}, ctx.now) }, loaded)
  const paid = accrualsIn(
    ctx,
    loaded.configuration,
    program,
    { event: { event: 'order.paid' } },
    { customer: customer as NonNullable<typeof customer>, order, goods: loaded.goods },
    earner,
  )
  return {
    campaign: { id: campaign.id, name: campaign.name, object: 'campaign' },
    points_estimation: paid.reduce((sum, { points }) => sum + points, 0),
  }
}

type Dated = Parameters<typeof whyNotValid>[0] & { active: boolean }

const isOpen = ({ now, project }: Ctx, terms: Dated): boolean =>
  terms.active && whyNotValid(terms, clockAt(now, project.timezone)) === null

/** The card that would earn, or null for a customer who would join by earning. */
async function earnerOf(ctx: Ctx, { id, auto_join }: StoredCampaign, customerId: string | null): Promise<Earner> {
  const { db, project_id } = ctx
  const card =
    customerId === null
      ? undefined
      : await db
          .selectFrom('vouchers as v')
          .leftJoin('loyalty_members as m', (join) =>
            join.onRef('m.project_id', '=', 'v.project_id').onRef('m.voucher_id', '=', 'v.id'),
          )
          .where('v.project_id', '=', project_id)
          .where('v.holder_id', '=', customerId as `cust_${string}`)
          .where('v.campaign_id', '=', id)
          .where('v.deleted_at', 'is', null)
          .select(['v.code', 'v.active', 'v.start_date', 'v.expiration_date', 'm.tier_id'])
          .executeTakeFirst()
  if (card === undefined) {
    if (!auto_join)
      throw new ApiError('campaign_not_allow_auto_join', {
        message: `Loyalty campaign '${id}' does not allow auto-join for non-members`,
        details: 'Given campaign does not allow auto-join',
      })
    return { card: null, tier_id: null, used_rules: [] }
  }
  const { active, start_date, expiration_date, tier_id } = card
  if (!isOpen(ctx, { active, start_date, expiration_date }))
    throw new ApiError('loyalty_card_not_active', {
      message: `Customer's loyalty card '${card.code}' is not active`,
      details: card.code,
    })
  return { card, tier_id, used_rules: [] }
}
