import { checkFilter, clockAt, compileFilter, qualify } from '@guerdon/engine'
import type { Catalogue, Filter } from '@guerdon/engine/schema'
import { type Configuration, type ConfiguredTier, tiersNewestFirst } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { invalidQuery } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { active } from '../../definitions/metadata-schemas/check.ts'
import type { NamedDefinition } from '../../definitions/metadata-schemas/definition.ts'
import { assembleCheckout, type Checkout, refuseMetadata } from '../decision/facts.ts'
import { loadCheckout } from '../decision/load.ts'
import { type CheckoutRequest, readRequest } from '../decision/request.ts'
import { candidateOf } from '../decision/results.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import { recordValidationEvent } from './record-event.ts'
import type { PromotionValidation, PromotionValidationBody, PromotionValidationQuery } from './schema.ts'
import { refuseAsOf } from './validate.ts'
import { tierView } from './validate-tier.ts'

/**
 * Which promotion tiers would do something for an order, each alone on it as it was sent
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
  const it = await loadTiers(ctx, request, filter)
  refuseMetadata(it)
  const outcomes = qualify(it.facts, {
    explain: request.explain,
    ...(audienceRulesOnly ? { omit: isNotAboutCustomer, tolerates_missing_bundle: true } : {}),
  })
  const applied = outcomes.filter(({ status }) => status === 'APPLICABLE')
  const valid = applied.length > 0
  const result: PromotionValidation = {
    valid,
    ...trackingIdOf(ctx, it),
    // They come newest first, and stay so among those of the same place.
    promotions: applied.map((outcome) => tierView(ctx, it, outcome)).sort((a, b) => a.hierarchy - b.hierarchy),
  }
  // Who is shown what there is has not tried each of them: only what would apply counts for its campaign.
  const candidates = applied.flatMap((outcome) => candidateOf(it, outcome) ?? [])
  recordValidationEvent(ctx, { ...it, candidates }, valid)
  return result
}

const isNotAboutCustomer = (rule: string): boolean => !/^customer[._]/.test(rule)

/** What promotions are filtered by. */
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
 * The request with the newest tiers that it asks for, and what their rules count. Which those are says the configuration in
 * memory; when it turns out to be outdated, they are chosen once more.
 */
async function loadTiers(ctx: Ctx, request: CheckoutRequest, filter: Filter | null): Promise<Checkout> {
  let configuration = ctx.configurations.known(ctx.project_id)
  for (let attempt = 0; ; attempt += 1) {
    const tiers = examinedTiers(ctx, configuration, filter)
    const asked = { ...request, redeemables: tiers.map(({ id }) => ({ object: 'promotion_tier' as const, id })) }
    const loaded = await loadCheckout(ctx, asked, { db: ctx.db })
    if (loaded.configuration === configuration || attempt === choicesMax)
      return known(assembleCheckout(ctx, asked, loaded))
    configuration = loaded.configuration
  }
}

/** Whoever changes the configuration without a pause cannot keep anybody from an answer. */
const choicesMax = 5

/** Without tiers that are gone since they were chosen. */
function known(it: Checkout): Checkout {
  const candidates = it.candidates.filter(({ tier }) => tier !== null)
  return { ...it, candidates, facts: { ...it.facts, redeemables: candidates.map(({ facts }) => facts) } }
}

function examinedTiers(
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

/** Filters read the types of metadata where those of products stand: they are meant for products and customers. */
function catalogueOf({ metadata_schemas, locations }: Configuration): Catalogue {
  const schema = [...metadata_schemas.values()].find(({ related_object }) => related_object === 'promotion_tier')
  const definitions = active((schema?.properties ?? []) as NamedDefinition[])
  return {
    metadata_types: { product: Object.fromEntries(definitions.map(({ name, type }) => [name, type])) },
    locations,
  }
}
