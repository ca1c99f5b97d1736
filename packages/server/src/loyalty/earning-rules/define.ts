import { compileFormula, isFault, whyNotForPoints } from '@guerdon/engine'
import { EarningPoints, PendingPoints, PointsExpirationRules, type ProportionalPoints } from '@guerdon/engine/schema'
import { invalidPayload } from '../../core/http/errors.ts'
import { knownOnly } from '../../core/lib/known-only.ts'
import type { UpdateEarningRule } from './schema.ts'

/** The kind of event that a rule pays for. Every name that is not built in is the name of a custom event. */
export type EventKind = 'order' | 'segment' | 'tier' | 'custom'

export function eventKind(event: string): EventKind {
  if (event === 'order.paid') return 'order'
  if (event === 'customer.segment.entered') return 'segment'
  return tierEvents.has(event) ? 'tier' : 'custom'
}

const tierEvents = new Set(
  ['joined', 'left', 'upgraded', 'downgraded', 'prolonged'].map((change) => `customer.loyalty.tier.${change}`),
)

type Calculation = ProportionalPoints['calculation_type']

/** The members of `loyalty` with the parameters of a calculation, such as `order.total_amount`. */
const sources: { readonly [C in Calculation]: readonly [group: string, member: string] } = {
  ORDER_AMOUNT: ['order', 'amount'],
  ORDER_TOTAL_AMOUNT: ['order', 'total_amount'],
  ORDER_METADATA: ['order', 'metadata'],
  ORDER_ITEMS_QUANTITY: ['order_items', 'quantity'],
  ORDER_ITEMS_AMOUNT: ['order_items', 'amount'],
  ORDER_ITEMS_SUBTOTAL_AMOUNT: ['order_items', 'subtotal_amount'],
  CUSTOMER_METADATA: ['customer', 'metadata'],
  CUSTOM_EVENT_METADATA: ['custom_event', 'metadata'],
}

/**
 * The calculations allowed for a kind of event (docs/reference/earning-rules.md#base-points); FIXED points are always allowed.
 */
const calculations: { readonly [K in EventKind]: readonly Calculation[] } = {
  order: [
    'ORDER_AMOUNT',
    'ORDER_TOTAL_AMOUNT',
    'ORDER_METADATA',
    'ORDER_ITEMS_QUANTITY',
    'ORDER_ITEMS_AMOUNT',
    'ORDER_ITEMS_SUBTOTAL_AMOUNT',
    'CUSTOMER_METADATA',
  ],
  custom: ['CUSTOM_EVENT_METADATA', 'CUSTOMER_METADATA'],
  segment: ['CUSTOMER_METADATA'],
  tier: ['CUSTOMER_METADATA'],
}

type PointsMembers = Record<string, Record<string, unknown> | undefined>

/** Refuses points without the member that their calculation needs. Called before the body is validated. */
export function refuseWithoutSource(points: EarningPoints): void {
  // The calculation type in the body of an update may be unknown; validation follows.
  if (points.type === 'FIXED' || !Object.hasOwn(sources, points.calculation_type)) return
  const [group, member] = sources[points.calculation_type]
  if ((points as unknown as PointsMembers)[group]?.[member] == null)
    throw invalidPayload(
      `Loyalty ${group.replace('_', ' ')} rules must contain one of the following properties - '${member}'`,
    )
}

/** Points of an update, with a missing type or calculation type taken from the stored rule. */
export function withTypeOf(stored: EarningPoints, sent: NonNullable<UpdateEarningRule['loyalty']>): EarningPoints {
  if (sent.type != null) return sent
  const { calculation_type } = sent as { calculation_type?: Calculation | null }
  return {
    ...sent,
    type: stored.type,
    ...(stored.type === 'FIXED' ? {} : { calculation_type: calculation_type ?? stored.calculation_type }),
  } as EarningPoints
}

/**
 * The points of a rule as stored: only known members, and the first of several goods repeated as `object` and `id`. Refuses
 * calculations that the event does not support, and invalid formulas.
 */
export function pointsOf(sent: EarningPoints, event: string, path: string): EarningPoints {
  const points = knownOnly(EarningPoints, sent)
  const at = `${path}.loyalty`
  if (points.type === 'FIXED') {
    refuseFormula(points.points_formula, at)
    return points
  }
  const allowed = calculations[eventKind(event)]
  if (!allowed.includes(points.calculation_type))
    throw invalidPayload(
      `Property ${at}.calculation_type must be equal to one of the allowed values [ ${allowed.join(', ')} ] for event ${event}`,
    )
  const [group, member] = sources[points.calculation_type]
  const share = shareOf(points)
  refuseFormula(share.points_formula, `${at}.${group}.${member}`)
  return group === 'order_items' ? withShare(points, withFirstGood(share, `${at}.${group}.${member}`)) : points
}

interface Good {
  object: 'product' | 'sku' | 'products_collection'
  id: string
}

/** The parameters of a calculation: what it counts, and the points for it. */
export interface Share {
  every: number
  points: number
  points_formula?: string
  object?: Good['object']
  id?: string
  applicable_to?: Good[]
}

export function shareOf(points: ProportionalPoints): Share {
  const [group, member] = sources[points.calculation_type]
  return (points as unknown as PointsMembers)[group]?.[member] as Share
}

export function withShare(points: ProportionalPoints, share: Share): ProportionalPoints {
  const [group, member] = sources[points.calculation_type]
  return { ...points, [group]: { [member]: share } } as unknown as ProportionalPoints
}

/**
 * Goods are sent as one object or as a list; responses always repeat the first one as `object` and `id`
 * (docs/reference/earning-rules.md#base-points).
 */
function withFirstGood({ object, id, applicable_to = [], ...share }: Share, at: string): Share {
  const [first] = applicable_to
  if (first !== undefined) return { ...share, object: first.object, id: first.id, applicable_to }
  if (object === undefined) throw invalidPayload(`Property ${at} should have required property 'object'`)
  if (id === undefined) throw invalidPayload(`Property ${at} should have required property 'id'`)
  return { ...share, object, id }
}

function refuseFormula(text: string | null | undefined, at: string): void {
  if (text == null) return
  const formula = compileFormula(text)
  const fault = isFault(formula) ? formula : whyNotForPoints(formula)
  if (fault !== null) throw invalidPayload(`Property ${at}.points_formula is no formula: ${fault.fault}`)
}

/** The expiration rules of an earning rule, as stored. */
export function expirationRulesOf(sent: PointsExpirationRules, path: string): PointsExpirationRules {
  const rules = knownOnly(PointsExpirationRules, sent)
  if (rules.period_type === 'MONTH' && rules.rounding_type === 'PARTICULAR_MONTH' && rules.rounding_value === undefined)
    throw invalidPayload(`Property ${path}.expiration_rules should have required property 'rounding_value'`)
  return rules
}

/** The pending period of an earning rule, as stored. Only for orders: only an order can be canceled in the meantime. */
export function pendingOf(sent: PendingPoints, event: string, path: string): PendingPoints {
  if (eventKind(event) !== 'order')
    throw invalidPayload(`Property ${path}.pending_points is only allowed for event order.paid`)
  return knownOnly(PendingPoints, sent)
}
