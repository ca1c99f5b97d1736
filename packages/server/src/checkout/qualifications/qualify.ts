import { calculateOrder, clockAt, whyNotValid } from '@guerdon/engine'
import type { CalculatedItem, OrderFacts } from '@guerdon/engine/schema'
import { isPage } from '../../audience/customers/on-client-side.ts'
import type { ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { forEachInSlices } from '../../core/lib/time-slice.ts'
import { mayPublish } from '../../incentives/publications/may-publish.ts'
import { codeKey } from '../../incentives/vouchers/store.ts'
import { assembleCheckout, type Checkout, refuseMetadata } from '../decision/facts.ts'
import { loadCheckout } from '../decision/load.ts'
import { withLineIds } from '../decision/order.ts'
import { type CheckoutRequest, readRequest } from '../decision/request.ts'
import { orderView } from '../decision/results.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import { checkNamesOnPrimary } from '../decision/unknown-names.ts'
import { refuseAsOf } from '../validations/validate.ts'
import { type Candidates, openCandidates } from './candidates.ts'
import { listCodes, type WantedCodes } from './codes.ts'
import { elementOf } from './element.ts'
import { type Finding, newOfferEvaluator, type OfferEvaluator } from './evaluate-offers.ts'
import { type Filters, readFilters } from './filters.ts'
import { configuredOffers, type Offer } from './offers.ts'
import { newestPage, type Page, rankedPage } from './page.ts'
import { type Position, readPosition } from './position.ts'
import { type ScenarioPolicy, scenarioPolicies } from './scenarios.ts'
import type {
  Qualification,
  QualificationBody,
  QualificationFilters,
  QualificationOptions,
  QualifiedRedeemable,
  Scenario,
  UnderstoodOrder,
} from './schema.ts'

/**
 * Lists what the customer could redeem, each offer evaluated on its own (docs/reference/qualifications.md). Changes nothing and
 * emits no events.
 */
export async function qualifications(ctx: Ctx, body: QualificationBody): Promise<Qualification> {
  const request = readRequest(ctx, body, [])
  refuseAsOf(ctx, request)
  const options = body.options ?? {}
  const startingAfter = readCursor(options.starting_after)
  const search = await openSearch(ctx, request, body.scenario ?? 'ALL', {
    filters: options.filters,
    starting_after: startingAfter,
  })
  const { checkout, candidates, evaluator } = search
  const page = await pageOf(candidates, evaluator, options, {
    starting_after: startingAfter,
    sizeOf: (finding) => JSON.stringify(elementOf(ctx, checkout, finding)).length,
  })
  const needsReasons = request.explain || request.expand?.has('validation_rules') === true
  const data: QualifiedRedeemable[] = []
  await forEachInSlices(page.findings, (finding) => {
    data.push(elementOf(ctx, checkout, needsReasons ? evaluator.explain(finding) : finding))
  })
  return {
    redeemables: {
      object: 'list',
      data_ref: 'data',
      data,
      total: data.length,
      has_more: page.has_more,
      ...(page.more_starting_after === undefined ? {} : { more_starting_after: page.more_starting_after }),
    },
    ...trackingIdOf(ctx, checkout),
    ...(checkout.facts.order == null ? {} : { order: understoodOrder(checkout, checkout.facts.order) }),
    stacking_rules: checkout.rows.configuration.stacking_rules,
  }
}

export interface Search {
  checkout: Checkout
  candidates: Candidates
  evaluator: OfferEvaluator
}

/** Loads the rows of a request, and opens the stream of candidates. */
export async function openSearch(
  ctx: Ctx,
  request: CheckoutRequest,
  scenario: Scenario,
  {
    filters: sent,
    starting_after,
  }: { filters?: QualificationFilters | null | undefined; starting_after: Position | null },
): Promise<Search> {
  const policy = scenarioPolicies[scenario]
  const rows = await loadCheckout(ctx, request, { db: ctx.db })
  const assembled = assembleCheckout(ctx, request, rows)
  await checkNamesOnPrimary(ctx, assembled)
  const checkout: Checkout = {
    ...assembled,
    facts: { ...assembled.facts, order: withLineIds(assembled.facts.order) },
  }
  refuseMetadata(checkout)
  refuseUnmeasurable(checkout)
  if (scenario === 'CUSTOMER_WALLET' && checkout.buyer.customer === null)
    throw new ApiError('missing_customer', { details: 'Customer is required to look into a wallet' })

  const filters = readFilters(sent, (code) => codeKey(ctx.project, code))
  const customerId = checkout.buyer.stored?.id ?? null
  const wanted = wantedCodes(ctx, checkout, policy, filters)
  const candidates = openCandidates({
    configured: cannotMatch(checkout, policy) ? [] : configuredFor(checkout, policy, filters),
    loadCodes: async (before, count) =>
      cannotMatch(checkout, policy)
        ? { offers: [], examined: 0, last: null }
        : listCodes(ctx, rows.configuration, {
            wanted,
            before,
            count,
            at: checkout.facts.now,
            session_key: request.session?.key ?? null,
          }),
    starting_after,
    lines: checkout.facts.order?.items?.length ?? 0,
    isPossible: possibleOffers(ctx, checkout, scenario, filters),
  })
  return { checkout, candidates, evaluator: newOfferEvaluator(ctx, policy, checkout.facts, customerId) }
}

/**
 * Rules offers out before any calculation: by filters, by `active` and dates, by what the caller could publish, and by rules that need a
 * customer if there is none.
 */
function possibleOffers(
  ctx: Ctx,
  { facts, buyer }: Checkout,
  scenario: Scenario,
  filters: Filters,
): (offer: Offer) => boolean {
  const clock = clockAt(facts.now, facts.timezone)
  const ignoresCustomer = scenario === 'PRODUCTS' || scenario === 'PRODUCTS_DISCOUNT'
  return (offer) => {
    if (!filters.matches(offer)) return false
    const { campaign, tier } = offer
    if (campaign?.active === false || (tier !== null && (!tier.active || tier.discount === null))) return false
    if (offer.object === 'campaign' && !mayPublish(ctx, campaign as ConfiguredCampaign)) return false
    if (campaign !== null && offer.object !== 'voucher' && whyNotValid(campaign, clock) !== null) return false
    if (tier !== null && whyNotValid(tier, clock) !== null) return false
    return buyer.customer !== null || ignoresCustomer || !offer.traits.asks_customer
  }
}

/** A scenario about products finds nothing for an order without lines. */
const cannotMatch = ({ facts }: Checkout, { keeps }: ScenarioPolicy): boolean =>
  keeps !== 'everything' && (facts.order?.items ?? []).length === 0

function configuredFor(
  { rows: { configuration } }: Checkout,
  { looks_at }: ScenarioPolicy,
  filters: Filters,
): readonly Offer[] {
  if (looks_at.stacks) return configuredOffers(configuration, 'stacks')
  const isWanted =
    (looks_at.tiers && !filters.excludes('resource_type', 'promotion_tier')) ||
    (looks_at.campaigns && !filters.excludes('resource_type', 'campaign'))
  return isWanted ? configuredOffers(configuration, 'single') : []
}

/**
 * The vouchers to search: kinds that the filters exclude entirely are not queried. The client side gets codes only if the project
 * lists them there: those of the customer, and those that the project made public (docs/reference/client-side.md#codes).
 */
function wantedCodes(ctx: Ctx, { rows, buyer }: Checkout, { looks_at }: ScenarioPolicy, filters: Filters): WantedCodes {
  const { project } = ctx
  const isClient = isPage(ctx)
  const isWanted = !filters.excludes('resource_type', 'voucher') && (!isClient || project.client_list_vouchers_enabled)
  const isGeneric = isWanted && looks_at.generic
  const isPublic = publicCampaignsOf(ctx)
  return {
    without_campaign:
      isGeneric && !isClient && !filters.excludes('campaign_id', null) && !filters.excludes('campaign_type', null),
    campaign_ids: isGeneric
      ? [...rows.configuration.campaigns.values()]
          .filter((campaign) => campaign.type === 'STANDALONE' && campaign.active && (!isClient || isPublic(campaign)))
          .filter(
            ({ id, campaign_type }) =>
              !filters.excludes('campaign_id', id) && !filters.excludes('campaign_type', campaign_type),
          )
          .map(({ id }) => id)
      : [],
    unheld_only: isClient,
    public_keys: isGeneric && isClient ? project.client_public_codes.map((code) => codeKey(project, code)) : [],
    holder_id: isWanted && looks_at.held ? (buyer.stored?.id ?? null) : null,
    code_keys: filters.only('code')?.map((code) => codeKey(project, code)) ?? null,
    ids: filters.only('resource_id'),
  }
}

function publicCampaignsOf({ project }: Ctx): (campaign: { id: string; name: string }) => boolean {
  const listed = new Set(project.client_public_campaigns)
  return ({ id, name }) => listed.has(id) || listed.has(name)
}

function pageOf(
  candidates: Candidates,
  evaluator: OfferEvaluator,
  { limit, sorting_rule }: QualificationOptions,
  { starting_after, sizeOf }: { starting_after: Position | null; sizeOf: (finding: Finding) => number },
): Promise<Page> {
  const page = { limit: pageSizeOf(limit), sizeOf }
  if (sorting_rule === 'BEST_DEAL') return rankedPage(candidates, evaluator, page, (a, b) => b.amount - a.amount)
  if (sorting_rule === 'LEAST_DEAL') return rankedPage(candidates, evaluator, page, (a, b) => a.amount - b.amount)
  return newestPage(candidates, evaluator, { ...page, starting_after })
}

/** Cuts a `limit` to the largest page. */
export const pageSizeOf = (limit: number | null | undefined): number =>
  Math.min(limit ?? 5, limits.qualification_page_max)

function readCursor(sent: string | null | undefined): Position | null {
  if (sent == null || sent === 'null') return null
  const position = readPosition(sent)
  if (position === null)
    throw invalidPayload('Property .options.starting_after cannot be recognized as a ISO-8601 compliant date')
  return position
}

/** Refuses an order whose amounts are too large to be exact. */
function refuseUnmeasurable({ facts: { order } }: Checkout): void {
  if (order == null) return
  try {
    calculateOrder(order)
  } catch (error) {
    if (error instanceof RangeError)
      throw new ApiError('invalid_amount', { details: 'The amounts of the order are too large' })
    throw error
  }
}

/** The order with its recognised goods, and only the amounts that were sent. */
function understoodOrder(checkout: Checkout, order: OrderFacts): UnderstoodOrder {
  const { items, metadata } = calculateOrder(order)
  const sent = order.items ?? []
  const { amount, discount_amount } = order
  return {
    ...orderView(
      { ...checkout, buyer: { stored: null, customer: null } },
      {
        ...(amount == null ? {} : { amount }),
        ...(discount_amount ? { discount_amount } : {}),
        items: [],
        metadata,
      },
      [],
    ),
    items: items.map((item, index) => asSent(item, sent[index]?.amount ?? null, sent[index]?.discount_amount ?? null)),
  }
}

function asSent(
  {
    initial_quantity: _,
    initial_amount: __,
    subtotal_amount: ___,
    amount: ____,
    discount_amount: _____,
    ...item
  }: CalculatedItem,
  amount: number | null,
  discountAmount: number | null,
): UnderstoodOrder['items'][number] {
  return {
    ...item,
    ...(amount === null ? {} : { amount }),
    ...(discountAmount === null ? {} : { discount_amount: discountAmount }),
  }
}
