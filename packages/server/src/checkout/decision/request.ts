import { ambiguous, isPage } from '../../audience/customers/on-client-side.ts'
import type { CustomerBody, CustomerProfile } from '../../audience/customers/schema.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { wholeNumberOf } from '../../core/http/numeric-text.ts'
import { sourceIdOf } from '../../core/http/tracking-id.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { type OrderInput, readOrder } from '../../orders/input.ts'
import { hasCustomerFields } from '../../orders/people.ts'
import { type NamedSession, openSession } from '../sessions/client-sessions.ts'
import type { CheckoutOrder, RedeemableBody, RedemptionOptions, SessionBody, SessionView } from './schema.ts'

/** The parsed request of a checkout: which redeemables, for which customer, on which order. */
export interface CheckoutRequest {
  redeemables: readonly RedeemableInput[]
  /** Null: none was sent. */
  customer: SentCustomer | null
  /** The `tracking_id`, and the `source_id` behind it; it must be that of the customer. */
  tracked: { sent: string; source_id: string } | null
  order: OrderInput | null
  /** Id or source id. */
  referrer: string | null
  /** The referrer as it was sent, which may be a tracking id. */
  referrer_sent: string | null
  metadata: Record<string, unknown> | null
  session: RequestedSession | null
  expand: ReadonlySet<string> | null
  explain: boolean
  /** Of a redemption: lines that nothing is known of count as nothing. */
  allows_unknown_items: boolean
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
  /** The id, the source id or the tracking id, as it was sent; null: anonymous. */
  sent: string | null
  profile: CustomerProfile
}

export interface RequestedSession extends NamedSession {
  opens: { ttl_ms: number; ttl: number; ttl_unit: NonNullable<SessionBody['ttl_unit']> } | null
}

/** The common part of all checkout bodies, without the redeemables. */
export interface CheckoutBody {
  customer?: CustomerBody | string | null
  order?: CheckoutOrder | null
  tracking_id?: string | null
  metadata?: Record<string, unknown> | null
  session?: SessionBody | null
  options?: Pick<RedemptionOptions, 'expand' | 'explain' | 'as_of' | 'allow_unknown_items'> | null
}

export function readRequest(
  ctx: Ctx,
  body: CheckoutBody,
  redeemables: readonly RedeemableBody[],
  /** The redeemable comes from the path and its options from the top level of the body: errors name properties there. */
  { is_single = false }: { is_single?: boolean } = {},
): CheckoutRequest {
  const { order, options } = body
  const tracked =
    body.tracking_id == null ? null : { sent: body.tracking_id, source_id: sourceIdOf(ctx.project, body.tracking_id) }
  const customer = readCustomer(ctx, body, tracked)
  // A plain string may be an id or a source id: only the lookup shows, so the check for it comes later (customer.ts).
  if (tracked !== null && customer?.id === null && customer.source_id !== tracked.source_id)
    throw ambiguous(tracked.sent, customer.sent)
  return {
    redeemables: redeemables.map((sent, index) => readRedeemable(sent, is_single ? '' : `.redeemables[${index}]`)),
    customer,
    tracked,
    order: order == null ? null : readCheckoutOrder(order),
    ...readReferrer(ctx, order),
    metadata: body.metadata ?? null,
    session: readSession(ctx, body.session),
    expand: options?.expand == null ? null : new Set(options.expand),
    // Explanations name the values that rules compare: they are for the server side only.
    explain: options?.explain === true && !isPage(ctx),
    allows_unknown_items: options?.allow_unknown_items === true,
    as_of: options?.as_of ?? null,
  }
}

/**
 * The customer that the request names, first hit (docs/reference/requests.md#customer): `customer`, `tracking_id`, the customer
 * of the order. A profile that is sent without an id belongs to this customer.
 */
function readCustomer(
  ctx: Ctx,
  { customer, order }: CheckoutBody,
  tracked: CheckoutRequest['tracked'],
): SentCustomer | null {
  const [topLevel, ofOrder] = [readSentCustomer(ctx, customer), readSentCustomer(ctx, order?.customer)]
  const profile = [topLevel, ofOrder].find((sent) => sent !== null)?.profile
  const identified = [
    topLevel,
    tracked === null ? null : { id: null, ...tracked },
    ofOrder,
    order?.customer_id == null ? null : { id: order.customer_id, source_id: null, sent: order.customer_id },
  ].find((sent) => sent != null && (sent.id !== null || sent.source_id !== null))
  if (identified == null) return profile === undefined ? null : { id: null, source_id: null, sent: null, profile }
  const { id, source_id, sent } = identified
  return { id, source_id, sent, profile: profile ?? {} }
}

/** Null for an empty object. A tracking id is accepted in place of a source id. */
function readSentCustomer({ project }: Ctx, sent: CustomerBody | string | null | undefined): SentCustomer | null {
  if (sent == null) return null
  if (typeof sent === 'string') return { id: sent, source_id: sourceIdOf(project, sent), sent, profile: {} }
  if (!hasCustomerFields(sent)) return null
  const { id, source_id, ...profile } = sent
  return {
    id: id ?? null,
    source_id: id != null || source_id == null ? null : sourceIdOf(project, source_id),
    sent: id ?? source_id ?? null,
    profile,
  }
}

function readReferrer(
  ctx: Ctx,
  order: CheckoutOrder | null | undefined,
): Pick<CheckoutRequest, 'referrer' | 'referrer_sent'> {
  const customer = readSentCustomer(ctx, order?.referrer)
  return {
    referrer: order?.referrer_id ?? customer?.source_id ?? customer?.id ?? null,
    referrer_sent: order?.referrer_id ?? customer?.sent ?? null,
  }
}

/** Without customer and referrer: `readCustomer` and `readReferrer` read those. */
function readCheckoutOrder({
  customer: _,
  customer_id: __,
  referrer: ___,
  referrer_id: ____,
  ...order
}: CheckoutOrder): OrderInput {
  return readOrder(order, '.order')
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

/** A whole number, also as text; null when it is neither, or too large to be exact. */
function readWhole(sent: unknown): number | null {
  const number = typeof sent === 'string' ? wholeNumberOf(sent) : sent
  return Number.isSafeInteger(number) ? (number as number) : null
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

function readSession(ctx: Ctx, sent: SessionBody | null | undefined): RequestedSession | null {
  if (sent == null || (sent.key == null && sent.type == null)) return null
  const { type, key } = sent
  return { key: key ?? null, opens: type == null ? null : timeToLive(ctx, sent) }
}

/** On the client side a session is short: what it holds, nobody else can redeem (docs/reference/sessions.md#client-side). */
function timeToLive(ctx: Ctx, { ttl, ttl_unit }: SessionBody): NonNullable<RequestedSession['opens']> {
  const [length, unit] = [ttl ?? 7, ttl_unit ?? 'DAYS']
  const milliseconds = Math.ceil(length * unitMs[unit])
  const minutesMax = ctx.settings.client_session_minutes_max
  if (isPage(ctx) && milliseconds > minutesMax * unitMs.MINUTES)
    return { ttl: minutesMax, ttl_unit: 'MINUTES', ttl_ms: minutesMax * unitMs.MINUTES }
  return { ttl: length, ttl_unit: unit, ttl_ms: Math.min(milliseconds, ttlMsMax) }
}

/** The session that a validation opens or extends; null: the request opens none. */
export function openedSession(session: RequestedSession): SessionView | null {
  const { opens } = session
  if (opens === null) return null
  return { key: openSession(session), type: 'LOCK', ttl: opens.ttl, ttl_unit: opens.ttl_unit }
}
