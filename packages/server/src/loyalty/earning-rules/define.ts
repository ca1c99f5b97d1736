import { compileFormula, isFault, whyNotForPoints } from '@guerdon/engine'
import { EarningPoints, PendingPoints, PointsExpirationRules, type ProportionalPoints } from '@guerdon/engine/schema'
import { invalidPayload } from '../../core/http/errors.ts'
import { knownOnly } from '../../core/lib/known-only.ts'
import type { UpdateEarningRule } from './schema.ts'

/** What kind of thing happens when a rule pays. Every name that is not one of ours is that of a custom event. */
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

/** Where a calculation keeps what it counts, and how many points that is worth: `order.total_amount`. */
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
 * What can be counted when something happens (docs/reference/earning-rules.md#base-points); a fixed number of points always can.
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

type Words = Record<string, Record<string, unknown> | undefined>

/** Refuses points that are counted from something they do not say. Asked before anything is known of their shape. */
export function refuseWithoutSource(points: EarningPoints): void {
  // The body of an update may name no calculation of ours; its shape is looked at next.
  if (points.type === 'FIXED' || !Object.hasOwn(sources, points.calculation_type)) return
  const [group, member] = sources[points.calculation_type]
  if ((points as unknown as Words)[group]?.[member] == null)
    throw invalidPayload(
      `Loyalty ${group.replace('_', ' ')} rules must contain one of the following properties - '${member}'`,
    )
}

/** Points as they are sent for a rule that has some: what they do not say of their type is what the rule says. */
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
 * The points of a rule as they are stored: only what we know, and of several goods also the first by itself. Refuses what
 * the event of the rule cannot count, and formulas that say nothing about points.
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

/** What a rule counts, and what that is worth. */
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
  return (points as unknown as Words)[group]?.[member] as Share
}

export function withShare(points: ProportionalPoints, share: Share): ProportionalPoints {
  const [group, member] = sources[points.calculation_type]
  return { ...points, [group]: { [member]: share } } as unknown as ProportionalPoints
}

/**
 * Goods come one by one or as a list; answers always show the first one by itself (docs/reference/earning-rules.md#base-points).
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

/** When points of a rule expire, as it is stored. */
export function expirationRulesOf(sent: PointsExpirationRules, path: string): PointsExpirationRules {
  const rules = knownOnly(PointsExpirationRules, sent)
  if (rules.period_type === 'MONTH' && rules.rounding_type === 'PARTICULAR_MONTH' && rules.rounding_value === undefined)
    throw invalidPayload(`Property ${path}.expiration_rules should have required property 'rounding_value'`)
  return rules
}

/** How long points of a rule wait, as it is stored: only an order can still be cancelled meanwhile. */
export function pendingOf(sent: PendingPoints, event: string, path: string): PendingPoints {
  if (eventKind(event) !== 'order')
    throw invalidPayload(`Property ${path}.pending_points is only allowed for event order.paid`)
  return knownOnly(PendingPoints, sent)
}
