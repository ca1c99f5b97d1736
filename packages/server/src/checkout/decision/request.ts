import type { CustomerBody, CustomerProfile } from '../../audience/customers/schema.ts'
import { sourceIdBehind } from '../../audience/customers/tracking.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { type OrderInput, readOrder } from '../../orders/input.ts'
import { saysAnything } from '../../orders/people.ts'
import type { CheckoutOrder, RedeemableBody, SessionBody, SessionView, ValidationOptions } from './schema.ts'

/** What a call of a checkout asks, read: who wants to use what on which order. */
export interface CheckoutRequest {
  redeemables: readonly RedeemableInput[]
  /** Null: nobody is named. */
  customer: NamedCustomer | null
  /** The customer behind `tracking_id`, who must be the same. */
  tracked_source: string | null
  order: OrderInput | null
  /** Id or source id. */
  referrer: string | null
  metadata: Record<string, unknown> | null
  session: RequestedSession | null
  expand: ReadonlySet<string> | null
  explain: boolean
  as_of: Instant | null
  /** Where nobody asks for it: what a program redeems by itself. */
  channel?: { channel_type: 'AUTO_REDEEM'; channel_id: string }
}

export interface RedeemableInput {
  object: RedeemableBody['object']
  id: string
  credits?: number
  reward?: { id?: string; assignment_id?: string; points?: number }
}

/** Who a request is about. With neither id nor source id it is somebody without a name. */
export interface NamedCustomer {
  id: string | null
  source_id: string | null
  profile: CustomerProfile
}

export interface RequestedSession {
  /** Null while it has none: whoever opens it gives it one. */
  key: string | null
  /** Null: an existing session is only named. */
  opens: { ttl_ms: number; ttl: number; ttl_unit: NonNullable<SessionBody['ttl_unit']> } | null
}

/** The body that checkouts have in common, the redeemables given apart. */
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
  /** What the path names is told by the body itself. */
  { is_alone = false }: { is_alone?: boolean } = {},
): CheckoutRequest {
  const { order, options } = body
  const trackedSource = body.tracking_id == null ? null : sourceIdBehind(ctx.project, body.tracking_id)
  const customer = readCustomer(ctx, body, trackedSource)
  // Whether a bare text is an id or a source id shows when it is looked up.
  if (trackedSource !== null && customer?.id === null && customer.source_id !== trackedSource)
    throw ambiguous(trackedSource, customer.source_id)
  return {
    redeemables: redeemables.map((sent, index) => readRedeemable(sent, is_alone ? '' : `.redeemables[${index}]`)),
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

/** A token and a customer that name two (docs/reference/validity.md#failure-keys). */
export const ambiguous = (tracked: string, sourceId: string | null): ApiError =>
  new ApiError('ambiguous_tracking_id', { message: `Ambiguous trackingId ('${tracked}' vs. '${sourceId ?? ''}')` })

/**
 * Who the request is about, first hit (docs/reference/requests.md#customer): the customer, the token, the customer of the order.
 * What is said of the customer without saying who it is, is said of whoever that is.
 */
function readCustomer(ctx: Ctx, { customer, order }: CheckoutBody, trackedSource: string | null): NamedCustomer | null {
  const said = [readNamed(ctx, customer), readNamed(ctx, order?.customer)]
  const profile = said.find((one) => one !== null)?.profile
  const named = [
    said[0],
    trackedSource === null ? null : { id: null, source_id: trackedSource },
    said[1],
    order?.customer_id == null ? null : { id: order.customer_id, source_id: null },
  ].find((one) => one != null && (one.id !== null || one.source_id !== null))
  if (named == null) return profile === undefined ? null : { id: null, source_id: null, profile }
  return { id: named.id, source_id: named.source_id, profile: profile ?? {} }
}

/** An empty object names nobody. The token of a customer may stand for its source id. */
function readNamed({ project }: Ctx, sent: CustomerBody | string | null | undefined): NamedCustomer | null {
  if (sent == null) return null
  if (typeof sent === 'string') return { id: sent, source_id: sourceIdBehind(project, sent), profile: {} }
  if (!saysAnything(sent)) return null
  const { id, source_id, ...profile } = sent
  return {
    id: id ?? null,
    source_id: id != null || source_id == null ? null : sourceIdBehind(project, source_id),
    profile,
  }
}

function referrerIn(ctx: Ctx, sent: CustomerBody | string | null | undefined): string | null {
  const named = readNamed(ctx, sent)
  return named?.source_id ?? named?.id ?? null
}

/** Who it belongs to is read apart. */
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

/** A number, or a text that spells one; null when it is neither, or too large to be exact. */
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

/** The longest that a session lasts: what is asked for beyond it is cut, for a moment must still be a moment. */
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

/** A session that a validation opens, or goes on with. */
export function openedSession({ key, opens }: RequestedSession): SessionView | null {
  if (opens === null) return null
  return { key: key ?? newId('session'), type: 'LOCK', ttl: opens.ttl, ttl_unit: opens.ttl_unit }
}
