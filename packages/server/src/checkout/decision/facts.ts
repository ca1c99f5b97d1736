import type { Facts, Outcome } from '@guerdon/engine/schema'
import { isPage } from '../../audience/customers/on-client-side.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { active } from '../../definitions/metadata-schemas/check.ts'
import { metadataRulesOf } from '../../definitions/metadata-schemas/configured-rules.ts'
import type { DescribedObject, NamedDefinition } from '../../definitions/metadata-schemas/definition.ts'
import { refuseUnlessStorable } from '../../definitions/metadata-schemas/rules.ts'
import type { CheckoutRows } from './checkout-rows.ts'
import { type Buyer, buyerOf, customerFacts } from './customer.ts'
import { orderFacts } from './order.ts'
import { candidatesOf, type RedeemableCandidate } from './redeemables.ts'
import type { CheckoutRequest } from './request.ts'

/** A request with its rows and the facts derived from them, ready to be evaluated. */
export interface Checkout {
  request: CheckoutRequest
  rows: CheckoutRows
  buyer: Buyer
  candidates: readonly RedeemableCandidate[]
  facts: Facts
}

export function assembleCheckout(ctx: Ctx, sent: CheckoutRequest, rows: CheckoutRows): Checkout {
  const request = isPage(ctx) ? withOrderAsStored(sent, rows) : sent
  const buyer = buyerOf(ctx, request, rows)
  const candidates = candidatesOf(ctx.project, request.redeemables, rows, buyer)
  const facts = factsOf(ctx, request, rows, buyer, candidates)
  // For npm run replay. Contains customers, orders and codes, hence level trace; at any other level the call does nothing.
  ctx.log.trace({ facts }, 'facts')
  return { request, rows, buyer, candidates, facts }
}

/** A page cannot change what the shop has stored: of an order that is not the page's own, only the reference is used. */
function withOrderAsStored(request: CheckoutRequest, { order: stored }: CheckoutRows): CheckoutRequest {
  if (request.order === null || stored === null || stored.client_order === 'UNCONFIRMED') return request
  const { id, source_id = null } = request.order
  const reference = id === undefined ? { source_id } : { id }
  return { ...request, order: reference, referrer: null, referrer_sent: null }
}

function factsOf(
  ctx: Ctx,
  request: CheckoutRequest,
  rows: CheckoutRows,
  buyer: Buyer,
  candidates: readonly RedeemableCandidate[],
): Facts {
  const { configuration, goods } = rows
  const { project } = ctx
  const now = request.as_of ?? ctx.now
  return {
    now,
    timezone: project.timezone,
    order: orderFacts(request, rows),
    customer: customerFacts({ now, project, caller: ctx.caller }, buyer, rows),
    caller: { api_key: ctx.caller.api_key?.app_id ?? null },
    metadata: request.metadata,
    catalogue: {
      products: Object.fromEntries(goods.products.map((product) => [product.id, product])),
      skus: Object.fromEntries(goods.skus.map((sku) => [sku.id, sku])),
      collections: configuration.collections,
      locations: configuration.locations,
      metadata_types: metadataTypesOf(rows),
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
 * Refuses a request that is malformed, before anything is evaluated (docs/reference/stacking.md#request-checks and
 * docs/reference/requests.md#order).
 */
export function refuseRequest({ request, rows, candidates }: Checkout): void {
  const { redeemables } = request
  const { redeemables_limit } = rows.configuration.stacking_rules
  if (redeemables.length === 0) throw invalidPayload('Property .redeemables must NOT have fewer than 1 items')
  if (redeemables.length > redeemables_limit)
    throw invalidPayload(`Property .redeemables must NOT have more than ${redeemables_limit} items`)
  if (redeemables.length > 1 && redeemables.some(({ object }) => object === 'promotion_stack'))
    throw new ApiError('invalid_redeemables', { details: 'A promotion stack must be the only redeemable' })
  const resources = candidates.map(({ facts }) =>
    facts.kind === 'unknown' ? `${facts.object} ${facts.id}` : `${facts.object} ${facts.resource_id}`,
  )
  const duplicate = resources.find((resource, index) => resources.indexOf(resource) !== index)
  if (duplicate !== undefined)
    throw new ApiError('duplicated_redeemables', { details: `Duplicated redeemable: ${duplicate}` })
}

/**
 * Refuses metadata that a redemption would refuse (docs/reference/requests.md#order and docs/reference/redemptions.md#request). A
 * redemption stores the metadata, so all required keys must be there; a validation need not send them yet.
 */
export function refuseMetadata(
  { request, rows: { configuration, order: storedOrder, replaced_order }, buyer }: Checkout,
  { is_redemption = false }: { is_redemption?: boolean } = {},
): void {
  const { order, metadata, customer } = request
  const refuse = (object: DescribedObject, sent: SentMetadata, isNew: boolean, property?: string) => {
    if (sent != null || (is_redemption && isNew))
      metadataRulesOf(configuration, object).check(sent ?? {}, {
        isNew,
        ...(property === undefined ? {} : { property }),
      })
  }
  refuse('redemption', metadata, true)
  // A stored order that is referred to by its `source_id` is not changed.
  const isNewOrder = storedOrder === null || replaced_order !== null
  if (order !== null && (isNewOrder || order.id !== undefined))
    refuse('order', order.metadata, isNewOrder, '.order.metadata')
  if (customer !== null)
    refuse('customer', customer.profile.metadata, is_redemption && buyer.stored === null, '.customer.metadata')
  for (const [index, { metadata, product, sku }] of (order?.items ?? []).entries()) {
    const path = `.order.items[${index}]`
    refuse('order_item', metadata, true, `${path}.metadata`)
    refuseUnlessStorable(product?.metadata ?? {}, `${path}.product.metadata`)
    refuseUnlessStorable(sku?.metadata ?? {}, `${path}.sku.metadata`)
  }
}

type SentMetadata = Record<string, unknown> | null | undefined

/**
 * Refuses a request whose mistake shows only in the calculation. It is thrown, so no failed redemption and no event is stored
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
