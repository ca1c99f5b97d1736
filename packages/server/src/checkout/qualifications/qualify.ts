import { calculateOrder, clockAt, whyNotValid } from '@guerdon/engine'
import type { CalculatedItem, OrderFacts } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { type Instant, parseInstant } from '../../core/lib/instant.ts'
import { codeKey } from '../../incentives/vouchers/store.ts'
import { assembleCheckout, type Checkout, refuseMetadata } from '../decision/facts.ts'
import { loadCheckout } from '../decision/load.ts'
import { withLineIds } from '../decision/order.ts'
import { type CheckoutRequest, readRequest } from '../decision/request.ts'
import { orderView } from '../decision/results.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import { refuseAsOf } from '../validations/validate.ts'
import { type Candidates, openCandidates } from './candidates.ts'
import { idAt, listCodes, type WantedCodes } from './codes.ts'
import { elementOf } from './element.ts'
import { type Filters, readFilters } from './filters.ts'
import { type Judge, openJudge } from './judge.ts'
import { configuredOffers, type Offer } from './offers.ts'
import { newestPage, type Page, rankedPage } from './page.ts'
import { type ScenarioPolicy, scenarioPolicies } from './scenarios.ts'
import type {
  Qualification,
  QualificationBody,
  QualificationFilters,
  QualificationOptions,
  Scenario,
  UnderstoodOrder,
} from './schema.ts'

/**
 * What could be redeemed, and what each would do alone (docs/reference/qualifications.md). Nothing changes, and nobody is told.
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
  const { it, candidates, judge } = search
  const page = await pageOf(candidates, judge, options, startingAfter)
  const isTold = request.explain || request.expand?.has('validation_rules') === true
  const data = page.findings.map((finding) => elementOf(it, isTold ? judge.explain(finding) : finding))
  return {
    redeemables: {
      object: 'list',
      data_ref: 'data',
      data,
      total: data.length,
      has_more: page.has_more,
      ...(page.more_starting_after === undefined ? {} : { more_starting_after: page.more_starting_after }),
    },
    ...trackingIdOf(ctx, it),
    ...(it.facts.order == null ? {} : { order: understood(it, it.facts.order) }),
    stacking_rules: it.loaded.configuration.stacking_rules,
  }
}

export interface Search {
  it: Checkout
  candidates: Candidates
  judge: Judge
}

/** Loads what a request needs to know, and opens the stream of what may qualify. */
export async function openSearch(
  ctx: Ctx,
  request: CheckoutRequest,
  scenario: Scenario,
  {
    filters: sent,
    starting_after,
  }: { filters?: QualificationFilters | null | undefined; starting_after: Instant | null },
): Promise<Search> {
  const approach = scenarioPolicies[scenario]
  const loaded = await loadCheckout(ctx, request, { db: ctx.db })
  const known = assembleCheckout(ctx, request, loaded)
  const it: Checkout = { ...known, facts: { ...known.facts, order: withLineIds(known.facts.order) } }
  refuseMetadata(it)
  refuseUnmeasurable(it)
  if (scenario === 'CUSTOMER_WALLET' && it.buyer.customer === null)
    throw new ApiError('missing_customer', { details: 'Customer is required to look into a wallet' })

  const filters = readFilters(sent, (code) => codeKey(ctx.project, code))
  const customerId = it.buyer.stored?.id ?? null
  const wanted = wantedCodes(ctx, it, approach, filters)
  const candidates = openCandidates({
    configured: isHopeless(it, approach) ? [] : configuredFor(it, approach, filters),
    loadCodes: async (before, count) =>
      isHopeless(it, approach)
        ? { offers: [], examined: 0, last: null }
        : listCodes(ctx, loaded.configuration, {
            wanted,
            before,
            count,
            at: it.facts.now,
            session_key: request.session?.key ?? null,
          }),
    starting_after,
    first_before: starting_after === null ? null : idAt(starting_after),
    isPossible: possibilityOf(it, scenario, filters),
  })
  return { it, candidates, judge: openJudge(ctx, approach, it.facts, customerId) }
}

/** What can be said before anything is calculated: filters, switches and dates, rules that nobody can meet. */
function possibilityOf({ facts, buyer }: Checkout, scenario: Scenario, filters: Filters): (offer: Offer) => boolean {
  const clock = clockAt(facts.now, facts.timezone)
  const asksWhoever = scenario === 'PRODUCTS' || scenario === 'PRODUCTS_DISCOUNT'
  return (offer) => {
    if (!filters.matches(offer)) return false
    const { campaign, tier } = offer
    if (campaign?.active === false || (tier !== null && (!tier.active || tier.discount === null))) return false
    if (campaign !== null && offer.object !== 'voucher' && whyNotValid(campaign, clock) !== null) return false
    if (tier !== null && whyNotValid(tier, clock) !== null) return false
    return buyer.customer !== null || asksWhoever || !offer.traits.asks_customer
  }
}

/** Where products are asked for and there are none, nothing is found. */
const isHopeless = ({ facts }: Checkout, { keeps }: ScenarioPolicy): boolean =>
  keeps !== 'everything' && (facts.order?.items ?? []).length === 0

function configuredFor(
  { loaded: { configuration } }: Checkout,
  { looks_at }: ScenarioPolicy,
  filters: Filters,
): readonly Offer[] {
  if (looks_at.stacks) return configuredOffers(configuration, 'stacks')
  const isWanted =
    (looks_at.tiers && !filters.excludes('resource_type', 'promotion_tier')) ||
    (looks_at.campaigns && !filters.excludes('resource_type', 'campaign'))
  return isWanted ? configuredOffers(configuration, 'single') : []
}

/** The codes that filters leave to be looked at: what they exclude as a whole is not even asked for. */
function wantedCodes(
  { project }: Ctx,
  { loaded, buyer }: Checkout,
  { looks_at }: ScenarioPolicy,
  filters: Filters,
): WantedCodes {
  const isWanted = !filters.excludes('resource_type', 'voucher')
  const isGeneric = isWanted && looks_at.generic
  const campaigns = [...loaded.configuration.campaigns.values()]
  return {
    without_campaign: isGeneric && !filters.excludes('campaign_id', null) && !filters.excludes('campaign_type', null),
    campaign_ids: isGeneric
      ? campaigns
          .filter(({ type, active }) => type === 'STANDALONE' && active)
          .filter(
            ({ id, campaign_type }) =>
              !filters.excludes('campaign_id', id) && !filters.excludes('campaign_type', campaign_type),
          )
          .map(({ id }) => id)
      : [],
    holder_id: isWanted && looks_at.held ? (buyer.stored?.id ?? null) : null,
    code_keys: filters.only('code')?.map((code) => codeKey(project, code)) ?? null,
    ids: filters.only('resource_id'),
  }
}

function pageOf(
  candidates: Candidates,
  judge: Judge,
  { limit, sorting_rule }: QualificationOptions,
  startingAfter: Instant | null,
): Promise<Page> {
  const shown = limit ?? shownByDefault
  if (sorting_rule === 'BEST_DEAL')
    return rankedPage(candidates, judge, shown, (one, other) => other.amount - one.amount)
  if (sorting_rule === 'LEAST_DEAL')
    return rankedPage(candidates, judge, shown, (one, other) => one.amount - other.amount)
  return newestPage(candidates, judge, { limit: shown, starting_after: startingAfter })
}

export const shownByDefault = 5

function readCursor(sent: string | null | undefined): Instant | null {
  if (sent == null || sent === 'null') return null
  const moment = parseInstant(sent)
  if (moment === null)
    throw invalidPayload('Property .options.starting_after cannot be recognized as a ISO-8601 compliant date')
  return moment
}

/** An order whose amounts are too large to be exact is no use to anybody. */
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

/** The order with the goods that were recognised, and of its amounts those that were sent. */
function understood(it: Checkout, order: OrderFacts): UnderstoodOrder {
  const { items, metadata } = calculateOrder(order)
  const sent = order.items ?? []
  const { amount, discount_amount } = order
  return {
    ...orderView(
      { ...it, buyer: { stored: null, customer: null } },
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
