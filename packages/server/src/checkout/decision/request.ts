import type { CustomerBody, CustomerProfile } from '../../audience/customers/schema.ts'
import { decryptTrackingId } from '../../audience/customers/tracking.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { type OrderInput, readOrder } from '../../orders/input.ts'
import { hasCustomerFields } from '../../orders/people.ts'
import type { CheckoutOrder, RedeemableBody, SessionBody, SessionView, ValidationOptions } from './schema.ts'

/** The parsed request of a checkout: which redeemables, for which customer, on which order. */
export interface CheckoutRequest {
  redeemables: readonly RedeemableInput[]
  /** Null: none was sent. */
  customer: SentCustomer | null
  /** The `source_id` behind `tracking_id`; it must be that of the customer. */
  tracked_source: string | null
  order: OrderInput | null
  /** Id or source id. */
  referrer: string | null
  metadata: Record<string, unknown> | null
  session: RequestedSession | null
  expand: ReadonlySet<string> | null
  explain: boolean
  as_of: Instant | null
  /** Of an automatic redemption, which no API caller requested. */
  channel?: { channel_type: 'AUTO_REDEEM'; channel_id: string }
}

export interface RedeemableInput {
  object: RedeemableBody['object']
  id: string
  credits?: number
  reward?: { id?: string; assignment_id?: string; points?: number }
}

/** The customer that a request sends; anonymous with neither id nor source id. */
export interface SentCustomer {
  id: string | null
  source_id: string | null
  profile: CustomerProfile
}

export interface RequestedSession {
  /** Null: a key is generated when the session is opened. */
  key: string | null
  /** Null: the request refers to an existing session and opens none. */
  opens: { ttl_ms: number; ttl: number; ttl_unit: NonNullable<SessionBody['ttl_unit']> } | null
}

/** The common part of all checkout bodies, without the redeemables. */
export interface CheckoutBody {
  customer?: CustomerBody | string | null
  order?: CheckoutOrder | null
  tracking_id?: string | null
  metadata?: Record<string, unknown> | null
  session?: SessionBody | null
  options?: Pick<ValidationOptions, 'expand' | 'explain' | 'as_of'> | null
}

export function readRequest(
  ctx: Ctx,
  body: CheckoutBody,
  redeemables: readonly RedeemableBody[],
  /** The redeemable comes from the path and its options from the top level of the body: errors name properties there. */
  { is_single = false }: { is_single?: boolean } = {},
): CheckoutRequest {
  const { order, options } = body
  const trackedSource = body.tracking_id == null ? null : decryptTrackingId(ctx.project, body.tracking_id)
  const customer = readCustomer(ctx, body, trackedSource)
  // A plain string may be an id or a source id: only the lookup shows, so the check for it comes later (customer.ts).
  if (trackedSource !== null && customer?.id === null && customer.source_id !== trackedSource)
    throw ambiguous(trackedSource, customer.source_id)
  return {
    redeemables: redeemables.map((sent, index) => readRedeemable(sent, is_single ? '' : `.redeemables[${index}]`)),
    customer,
    tracked_source: trackedSource,
    order: order == null ? null : readCheckoutOrder(order),
    referrer: order?.referrer_id ?? referrerIn(ctx, order?.referrer),
    metadata: body.metadata ?? null,
    session: readSession(body.session),
    expand: options?.expand == null ? null : new Set(options.expand),
    explain: options?.explain === true,
    as_of: options?.as_of ?? null,
  }
}

/** `tracking_id` and customer are two different customers (docs/reference/validity.md#failure-keys). */
export const ambiguous = (tracked: string, sourceId: string | null): ApiError =>
  new ApiError('ambiguous_tracking_id', { message: `Ambiguous trackingId ('${tracked}' vs. '${sourceId ?? ''}')` })

/**
 * The customer that the request names, first hit (docs/reference/requests.md#customer): `customer`, `tracking_id`, the customer
 * of the order. A profile that is sent without an id belongs to this customer.
 */
function readCustomer(ctx: Ctx, { customer, order }: CheckoutBody, trackedSource: string | null): SentCustomer | null {
  const [topLevel, ofOrder] = [readSentCustomer(ctx, customer), readSentCustomer(ctx, order?.customer)]
  const profile = [topLevel, ofOrder].find((sent) => sent !== null)?.profile
  const identified = [
    topLevel,
    trackedSource === null ? null : { id: null, source_id: trackedSource },
    ofOrder,
    order?.customer_id == null ? null : { id: order.customer_id, source_id: null },
  ].find((sent) => sent != null && (sent.id !== null || sent.source_id !== null))
  if (identified == null) return profile === undefined ? null : { id: null, source_id: null, profile }
  return { id: identified.id, source_id: identified.source_id, profile: profile ?? {} }
}

/** Null for an empty object. A tracking id is accepted in place of a source id. */
function readSentCustomer({ project }: Ctx, sent: CustomerBody | string | null | undefined): SentCustomer | null {
  if (sent == null) return null
  if (typeof sent === 'string') return { id: sent, source_id: decryptTrackingId(project, sent), profile: {} }
  if (!hasCustomerFields(sent)) return null
  const { id, source_id, ...profile } = sent
  return {
    id: id ?? null,
    source_id: id != null || source_id == null ? null : decryptTrackingId(project, source_id),
    profile,
  }
}

function referrerIn(ctx: Ctx, sent: CustomerBody | string | null | undefined): string | null {
  const customer = readSentCustomer(ctx, sent)
  return customer?.source_id ?? customer?.id ?? null
}

/** Without customer and referrer: `readCustomer` and `referrerIn` read those. */
function readCheckoutOrder({
  customer: _,
  customer_id: __,
  referrer: ___,
  referrer_id: ____,
  ...order
}: CheckoutOrder): OrderInput {
  return readOrder(order)
}

function readRedeemable({ object, id, gift, reward }: RedeemableBody, path: string): RedeemableInput {
  return {
    object,
    id,
    ...(gift?.credits == null ? {} : { credits: readCredits(gift.credits) }),
    ...(reward == null
      ? {}
      : {
          reward: {
            ...(reward.id == null ? {} : { id: reward.id }),
            ...(reward.assignment_id == null ? {} : { assignment_id: reward.assignment_id }),
            ...(reward.points == null ? {} : { points: readPoints(reward.points, `${path}.reward.points`) }),
          },
        }),
  }
}

function readCredits(sent: unknown): number {
  const credits = readWhole(sent)
  if (credits === null || credits < 0)
    throw new ApiError('invalid_gift', { details: 'Gift credits must be a whole number from 0' })
  return credits
}

function readPoints(sent: number | string, path: string): number {
  const points = readWhole(sent)
  if (points === null || points <= 0) throw invalidPayload(`Property ${path} must be > 0`)
  return points
}

/** A whole number, also as a string of digits; null when it is neither, or too large to be exact. */
function readWhole(sent: unknown): number | null {
  if (typeof sent !== 'number' && !(typeof sent === 'string' && /^[+-]?\d+$/.test(sent))) return null
  const number = Number(sent)
  return Number.isSafeInteger(number) ? number : null
}

const unitMs = {
  DAYS: 86_400_000,
  HOURS: 3_600_000,
  MINUTES: 60_000,
  SECONDS: 1_000,
  MILLISECONDS: 1,
  MICROSECONDS: 1e-3,
  NANOSECONDS: 1e-6,
} as const

/** The longest time to live of a session, 10 years; longer ones are cut, because `expires_at` must remain a valid date. */
const ttlMsMax = 3_650 * unitMs.DAYS

function readSession(sent: SessionBody | null | undefined): RequestedSession | null {
  if (sent == null || (sent.key == null && sent.type == null)) return null
  const { type, key, ttl, ttl_unit } = sent
  const [length, unit] = [ttl ?? 7, ttl_unit ?? 'DAYS']
  return {
    key: key ?? null,
    opens:
      type == null
        ? null
        : { ttl: length, ttl_unit: unit, ttl_ms: Math.min(Math.ceil(length * unitMs[unit]), ttlMsMax) },
  }
}

/** The session that a validation opens or extends; null: the request opens none. */
export function openedSession({ key, opens }: RequestedSession): SessionView | null {
  if (opens === null) return null
  return { key: key ?? newId('session'), type: 'LOCK', ttl: opens.ttl, ttl_unit: opens.ttl_unit }
}
