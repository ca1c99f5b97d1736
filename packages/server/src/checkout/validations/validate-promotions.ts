import { checkFilter, clockAt, compileFilter, openQualification } from '@guerdon/engine'
import type { Catalogue, Filter, Redeemable } from '@guerdon/engine/schema'
import { type Configuration, type ConfiguredTier, tiersNewestFirst } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { invalidQuery } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { forEachInSlices } from '../../core/lib/time-slice.ts'
import { active } from '../../definitions/metadata-schemas/check.ts'
import type { NamedDefinition } from '../../definitions/metadata-schemas/definition.ts'
import { warnOfOrder } from '../decision/doubtful-order.ts'
import { assembleCheckout, type Checkout, refuseMetadata } from '../decision/facts.ts'
import { loadCheckout } from '../decision/load.ts'
import type { RedeemableCandidate } from '../decision/redeemables.ts'
import { repeatedOrder } from '../decision/repeated-orders.ts'
import { type CheckoutRequest, readRequest } from '../decision/request.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import { checkNamesOnPrimary } from '../decision/unknown-names.ts'
import { recordValidationEvent } from './record-event.ts'
import type { PromotionValidation, PromotionValidationBody, PromotionValidationQuery } from './schema.ts'
import { refuseAsOf } from './validate.ts'
import { promotionTierView } from './validate-tier.ts'

/**
 * Lists the promotion tiers that apply to an order, each evaluated on its own on the order as it was sent
 * (docs/reference/validations.md#promotion-tiers).
 */
export async function validatePromotions(
  ctx: Ctx,
  body: PromotionValidationBody,
  { audienceRulesOnly = false, filters }: PromotionValidationQuery = {},
): Promise<PromotionValidation> {
  const filter = readFilter(filters)
  const request = readRequest(ctx, body, [])
  refuseAsOf(ctx, request)
  const checkout = await loadTiers(ctx, request, filter)
  await checkNamesOnPrimary(ctx, checkout)
  refuseMetadata(checkout)
  const evaluateAlone = openQualification(checkout.facts, {
    explain: request.explain,
    ...(audienceRulesOnly ? { omit: isNotAboutCustomer, tolerates_missing_bundle: true } : {}),
  })
  const candidateById = new Map(checkout.candidates.map((candidate) => [candidate.facts.id, candidate]))
  const hierarchyOf = ({ id }: Redeemable) => candidateById.get(id)?.tier?.hierarchy ?? 0
  // The tiers are newest first; the stable sort keeps that order within the same hierarchy.
  const tiers = checkout.facts.redeemables.toSorted((a, b) => hierarchyOf(a) - hierarchyOf(b))
  const repeated = repeatedOrder(ctx, tiers.length)
  const candidates: RedeemableCandidate[] = []
  const promotions: PromotionValidation['promotions'] = []
  await forEachInSlices(tiers, (tier) => {
    const outcome = evaluateAlone(tier)
    if (outcome.status !== 'APPLICABLE') return
    candidates.push(candidateById.get(outcome.id) as RedeemableCandidate)
    promotions.push(promotionTierView(ctx, checkout, outcome, repeated))
  })
  warnOfOrder(ctx, checkout)
  const valid = promotions.length > 0
  const result: PromotionValidation = { valid, ...trackingIdOf(ctx, checkout), promotions }
  // The caller did not try each tier: only applicable ones count as validations of their campaign.
  recordValidationEvent(ctx, { ...checkout, candidates }, valid, result)
  return result
}

const isNotAboutCustomer = (rule: string): boolean => !/^customer[._]/.test(rule)

/** The fields by which promotions are filtered. */
export const promotionFields: readonly string[] = ['promotion_id', 'metadata.*']

/** `filters[metadata][color]…` is the same as `filters[metadata.color]…`. */
function readFilter(sent: unknown): Filter | null {
  if (sent === undefined) return null
  const filter: Filter = Object.fromEntries(
    Object.entries(sent as Record<string, unknown>).flatMap(([field, set]) =>
      field === 'metadata' && typeof set === 'object' && set !== null
        ? Object.entries(set).map(([key, each]) => [`metadata.${key}`, each])
        : [[field, set]],
    ),
  )
  const isKnown = (field: string) => promotionFields.includes(field.replace(/^metadata\..*$/s, 'metadata.*'))
  const fault = checkFilter(filter, isKnown, '.filters')
  if (fault !== null) throw invalidQuery(fault)
  return filter
}

/**
 * Loads the request with the newest tiers that match the filter, and the counters of their rules. The tiers come from the cached
 * configuration; if it proves to be outdated, they are selected again.
 */
async function loadTiers(ctx: Ctx, request: CheckoutRequest, filter: Filter | null): Promise<Checkout> {
  let configuration = ctx.configurations.cached(ctx.project_id)
  for (let attempt = 0; ; attempt += 1) {
    const tiers = selectTiers(ctx, configuration, filter)
    const tierRequest = { ...request, redeemables: tiers.map(({ id }) => ({ object: 'promotion_tier' as const, id })) }
    const rows = await loadCheckout(ctx, tierRequest, { db: ctx.db })
    if (rows.configuration === configuration || attempt === selectionsMax)
      return withoutDeletedTiers(assembleCheckout(ctx, tierRequest, rows))
    configuration = rows.configuration
  }
}

/** Then the request goes on with what it has: continuous changes of the configuration must not keep it from a response. */
const selectionsMax = 5

/** Without tiers that were deleted since they were selected. */
function withoutDeletedTiers(checkout: Checkout): Checkout {
  const candidates = checkout.candidates.filter(({ tier }) => tier !== null)
  return { ...checkout, candidates, facts: { ...checkout.facts, redeemables: candidates.map(({ facts }) => facts) } }
}

function selectTiers(
  { now, project: { timezone } }: Ctx,
  configuration: Configuration,
  filter: Filter | null,
): readonly ConfiguredTier[] {
  const newest = tiersNewestFirst(configuration)
  if (filter === null) return newest.slice(0, limits.promotions_validated_max)
  const fits = compileFilter(filter)
  const clock = clockAt(now, timezone)
  const catalogue = catalogueOf(configuration)
  return newest
    .filter((tier) => fits((field) => readField(tier, field), clock, catalogue))
    .slice(0, limits.promotions_validated_max)
}

const readField = ({ campaign_id, metadata }: ConfiguredTier, field: string): unknown => {
  const key = field.slice('metadata.'.length)
  return field === 'promotion_id' ? campaign_id : Object.hasOwn(metadata, key) ? metadata[key] : undefined
}

/** Filters look up metadata types under `product`: the engine supports only those of products and customers. */
function catalogueOf({ metadata_schemas, locations }: Configuration): Catalogue {
  const schema = [...metadata_schemas.values()].find(({ related_object }) => related_object === 'promotion_tier')
  const definitions = active((schema?.properties ?? []) as NamedDefinition[])
  return {
    metadata_types: { product: Object.fromEntries(definitions.map(({ name, type }) => [name, type])) },
    locations,
  }
}
