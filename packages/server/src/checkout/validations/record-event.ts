import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import { eventRow } from '../../core/events/emit.ts'
import type { ReplyStore } from '../../core/http/stored-reply.ts'
import { isProof, trackingName } from '../../core/http/tracking-id.ts'
import { limits } from '../../core/lib/limits.ts'
import { figureTallies } from '../../incentives/campaigns/summary-figures.ts'
import type { Checkout } from '../decision/facts.ts'
import { trackingIdOf } from '../decision/tracked.ts'

/**
 * Records a validation: as an event of the customer, if it is stored, and in the figures of the campaigns. The deferred writer
 * saves both shortly after the response, which the event contains: they are informational, so no request waits for them.
 */
export function recordValidationEvent(ctx: Ctx, checkout: Checkout, isValid: boolean, result: object): void {
  const { buyer, candidates, request } = checkout
  const { stored } = buyer
  const { replyStore } = ctx
  if (replyStore === undefined || request.as_of !== null) return // a simulation, no real checkout
  replyStore.onReply((validation) => {
    const campaigns = new Set(candidates.flatMap(({ campaign }) => campaign?.id ?? []))
    const figure = isValid ? 'validations_succeeded' : 'validations_failed'
    const type = isValid ? 'customer.validation.succeeded' : 'customer.validation.failed'
    const tallies = [...campaigns].flatMap((id) => figureTallies(ctx, id, { [figure]: 1 }))
    if (stored === null) return ctx.deferred.record(ctx.project_id, { event: null, tallies })
    const row = eventRow(ctx, { type, entity_id: stored.id })
    const record = (validation: string) => {
      const customer = JSON.stringify(toSimpleCustomer(stored))
      const data = `{"customer":${customer},"validation":${withoutProof(ctx, checkout, validation)}}`
      ctx.deferred.record(ctx.project_id, { event: { row, data }, tallies })
    }
    if (isShort(validation)) return record(validation)
    shortened(result, replyStore).then(record, (error: unknown) => {
      ctx.log.warn({ err: error }, 'could not shorten the event of a validation')
    })
  })
}

const isShort = (text: string): boolean =>
  text.length <= limits.event_evaluation_bytes_max && Buffer.byteLength(text) <= limits.event_evaluation_bytes_max

/** A response that is too long for its event, with less in it (docs/reference/events.md#long-orders). */
async function shortened(result: object, { replyOf }: ReplyStore): Promise<string> {
  let rest: Evaluated = result
  let text = ''
  for (const reduce of reductions) {
    rest = reduce(rest)
    text = `{"shortened":true,${(await replyOf(rest)).body.slice(1)}`
    if (isShort(text)) break
  }
  return text
}

/** The properties of a response that grow with the order or the number of redeemables. */
interface Evaluated {
  order?: { items: object[] }
  metadata?: object
  redeemables?: object[]
  inapplicable_redeemables?: object[]
  skipped_redeemables?: object[]
  promotions?: object[]
}

const reductions: ReadonlyArray<(result: Evaluated) => Evaluated> = [
  (result) => withParts(result, ({ order: _, ...part }) => part),
  ({ order, ...result }) => ({
    ...withParts(withoutReasons(result), withoutReasons),
    ...(order === undefined ? {} : { order: { ...order, items: order.items.map(withoutGoods), metadata: {} } }),
  }),
  ({ order, ...result }) => ({ ...result, ...(order === undefined ? {} : { order: { ...order, items: [] } }) }),
  (result) => ({
    ...withParts(result, (part) => ({ ...part, result: {} })),
    ...(result.promotions === undefined ? {} : { promotions: result.promotions.slice(0, promotionsKept) }),
  }),
]

/** Each has a few hundred bytes by then. */
const promotionsKept = 30

const lists = ['redeemables', 'inapplicable_redeemables', 'skipped_redeemables', 'promotions'] as const

type Part = Record<string, unknown>

function withParts(result: Evaluated, reduce: (part: Part) => object): Evaluated {
  const reduced = { ...result }
  for (const name of lists) {
    const list = result[name]
    if (list !== undefined) reduced[name] = list.map((part) => reduce(part as Part))
  }
  return reduced
}

function withoutReasons<T extends object>(part: T): Evaluated {
  const { explanation: _, applicable_to: __, inapplicable_to: ___, ...rest } = part as Part
  return { ...rest, metadata: {} }
}

const withoutGoods = (item: object): object => {
  const { metadata: _, product: __, sku: ___, ...rest } = item as Part
  return rest
}

/**
 * A reply with the pseudonym in place of the tracking id that proves its customer: keys that may only read get no proof
 * (trackingIdOf), but read events.
 */
function withoutProof(ctx: Ctx, checkout: Checkout, reply: string): string {
  const { tracking_id } = trackingIdOf(ctx, checkout)
  const sourceId = checkout.buyer.customer?.source_id ?? null
  if (tracking_id === undefined || sourceId === null || !isProof(tracking_id)) return reply
  return reply.replaceAll(tracking_id, trackingName(ctx.project, sourceId))
}
