import type { Facts, Outcome } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { active } from '../../definitions/metadata-schemas/check.ts'
import { metadataRulesOf } from '../../definitions/metadata-schemas/configured-rules.ts'
import type { DescribedObject, NamedDefinition } from '../../definitions/metadata-schemas/definition.ts'
import { refuseUnlessStorable } from '../../definitions/metadata-schemas/rules.ts'
import { type Buyer, buyerOf, customerFacts } from './customer.ts'
import type { CheckoutRows } from './loaded.ts'
import { orderFacts } from './order.ts'
import { type Candidate, candidatesOf } from './redeemables.ts'
import type { CheckoutRequest } from './request.ts'

/** A request with all that is known of it, ready to be decided. */
export interface Checkout {
  request: CheckoutRequest
  loaded: CheckoutRows
  buyer: Buyer
  candidates: readonly Candidate[]
  facts: Facts
}

export function assembleCheckout(ctx: Ctx, request: CheckoutRequest, loaded: CheckoutRows): Checkout {
  const buyer = buyerOf(ctx, request, loaded)
  const candidates = candidatesOf(ctx.project, request.redeemables, loaded, buyer)
  const facts = factsOf(ctx, request, loaded, buyer, candidates)
  // For npm run replay. Customers, orders and codes are in it, hence the last level; below it the call does nothing.
  ctx.log.trace({ facts }, 'facts')
  return { request, loaded, buyer, candidates, facts }
}

function factsOf(
  ctx: Ctx,
  request: CheckoutRequest,
  loaded: CheckoutRows,
  buyer: Buyer,
  candidates: readonly Candidate[],
): Facts {
  const { configuration, goods } = loaded
  const { project } = ctx
  const now = request.as_of ?? ctx.now
  return {
    now,
    timezone: project.timezone,
    order: orderFacts(request, loaded),
    customer: customerFacts({ now, project }, buyer, loaded),
    caller: { api_key: ctx.caller.api_key?.app_id ?? null },
    metadata: request.metadata,
    catalogue: {
      products: Object.fromEntries(goods.products.map((product) => [product.id, product])),
      skus: Object.fromEntries(goods.skus.map((sku) => [sku.id, sku])),
      collections: configuration.collections,
      locations: configuration.locations,
      metadata_types: metadataTypesOf(loaded),
    },
    stacking_rules: configuration.stacking_rules,
    redeemables: candidates.map(({ facts }) => facts),
    is_promotion_stack: candidates.some(({ stack_id }) => stack_id !== null),
  }
}

type MetadataTypes = NonNullable<NonNullable<Facts['catalogue']>['metadata_types']>

const typesBySchemas = new WeakMap<object, MetadataTypes>()

function metadataTypesOf({ configuration: { metadata_schemas } }: CheckoutRows): MetadataTypes {
  let types = typesBySchemas.get(metadata_schemas)
  if (types === undefined) {
    types = Object.fromEntries(
      [...metadata_schemas.values()].map(({ related_object, properties }) => [
        related_object,
        Object.fromEntries(active(properties as NamedDefinition[]).map(({ name, type }) => [name, type])),
      ]),
    ) as MetadataTypes
    typesBySchemas.set(metadata_schemas, types)
  }
  return types
}

/**
 * What a request must not say, whatever comes of it (docs/reference/stacking.md#request-checks and
 * docs/reference/requests.md#order).
 */
export function refuseRequest({ request, loaded, candidates }: Checkout): void {
  const { redeemables } = request
  const { redeemables_limit } = loaded.configuration.stacking_rules
  if (redeemables.length === 0) throw invalidPayload('Property .redeemables must NOT have fewer than 1 items')
  if (redeemables.length > redeemables_limit)
    throw invalidPayload(`Property .redeemables must NOT have more than ${redeemables_limit} items`)
  if (redeemables.length > 1 && redeemables.some(({ object }) => object === 'promotion_stack'))
    throw new ApiError('invalid_redeemables', { details: 'A promotion stack must be the only redeemable' })
  const names = candidates.map(({ facts }) =>
    facts.kind === 'unknown' ? `${facts.object} ${facts.id}` : `${facts.object} ${facts.resource_id}`,
  )
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new ApiError('duplicated_redeemables', { details: `Duplicated redeemable: ${twice}` })
}

/**
 * Refuses metadata that could not be redeemed with (docs/reference/requests.md#order and docs/reference/redemptions.md#request).
 * What is stored must have all that the project demands; who only asks need not send metadata yet.
 */
export function refuseMetadata(
  { request, loaded: { configuration, order: known }, buyer }: Checkout,
  { is_redemption = false }: { is_redemption?: boolean } = {},
): void {
  const { order, metadata, customer } = request
  const refuse = (object: DescribedObject, sent: Sent, isNew: boolean, property?: string) => {
    if (sent != null || (is_redemption && isNew))
      metadataRulesOf(configuration, object).check(sent ?? {}, {
        isNew,
        ...(property === undefined ? {} : { property }),
      })
  }
  refuse('redemption', metadata, true)
  // A stored order that the shop's id names stays as it is.
  if (order !== null && (known === null || order.id !== undefined)) refuse('order', order.metadata, known === null)
  if (customer !== null) refuse('customer', customer.profile.metadata, is_redemption && buyer.stored === null)
  for (const [index, { metadata, product, sku }] of (order?.items ?? []).entries()) {
    const path = `.order.items[${index}]`
    refuse('order_item', metadata, true, `${path}.metadata`)
    refuseUnlessStorable(product?.metadata ?? {}, `${path}.product.metadata`)
    refuseUnlessStorable(sku?.metadata ?? {}, `${path}.sku.metadata`)
  }
}

type Sent = Record<string, unknown> | null | undefined

/**
 * What is wrong with the request itself, and shows only in the calculation: nobody remembers it
 * (docs/reference/events.md#what-webhook-types-carry).
 */
export function refuseOutcomes(outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    if (outcome.status !== 'INAPPLICABLE') continue
    const { key, details } = outcome.reason
    if (key === 'invalid_payload')
      throw invalidPayload(`Points for ${outcome.id} are fewer than one unit of the reward costs`)
    if (key === 'invalid_amount') throw new ApiError(key, details === undefined ? {} : { details })
  }
}
