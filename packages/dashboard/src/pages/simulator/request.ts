import type { Schemas } from '../../api/client.ts'
import { centsOf } from '../../ui/field.tsx'
import { instantOf } from '../../ui/wall-time.ts'
import type { Chosen, Line, Pair, Situation } from './situation.ts'

/** What is wrong with a line before anybody is asked. */
export function lineProblems({ quantity, price, name, product_id, sku_id }: Line): {
  name?: string
  quantity?: string
  price?: string
} {
  return {
    ...(name.trim() === '' && !product_id && !sku_id && { name: 'Name it' }),
    ...(!/^\d{1,9}$/.test(quantity.trim()) && { quantity: 'A whole number' }),
    ...(price.trim() !== '' && centsOf(price) === undefined && { price: 'Such as 12.50' }),
  }
}

export const isGood = (line: Line) => Object.keys(lineProblems(line)).length === 0

/** The moment that was chosen, as an instant. */
export const momentOf = ({ at }: Situation, timezone: string) => (at === '' ? undefined : instantOf(at, timezone))

interface Common {
  customer?: { id: string }
  order?: Schemas['CheckoutOrder']
  metadata?: Record<string, unknown>
}

function commonOf({ customer, lines, orderMetadata, metadata }: Situation): Common {
  const items = lines.filter(isGood).map(itemOf)
  const ofOrder = recordOf(orderMetadata)
  const ofRedemption = recordOf(metadata)
  const order = { ...(items.length > 0 && { items }), ...(ofOrder && { metadata: ofOrder }) }
  return {
    ...(customer && { customer: { id: customer.id } }),
    ...(Object.keys(order).length > 0 && { order }),
    ...(ofRedemption && { metadata: ofRedemption }),
  }
}

/** The validation of a situation, as a program would send it. */
export function validationOf(situation: Situation, asOf: string | undefined): Schemas['ValidationBody'] {
  return {
    redeemables: situation.chosen.map(redeemableOf),
    ...commonOf(situation),
    options: { explain: true, expand: ['order', 'redeemable'], ...(asOf && { as_of: asOf }) },
  }
}

/** What could be used beside: each alone on the order as it is. */
export function qualificationOf(situation: Situation, asOf: string | undefined): Schemas['QualificationBody'] {
  return {
    scenario: 'ALL',
    ...commonOf(situation),
    options: { limit: 10, sorting_rule: 'BEST_DEAL', expand: ['redeemable'], ...(asOf && { as_of: asOf }) },
  }
}

function itemOf({ product_id, sku_id, name, quantity, price }: Line): Schemas['OrderItemBody'] {
  const cents = centsOf(price)
  return {
    ...(sku_id ? { sku_id } : product_id ? { product_id } : { product: { name: name.trim() } }),
    quantity: Number(quantity),
    ...(cents !== undefined && { price: cents }),
  }
}

function redeemableOf({ object, id, credits = '', reward, points = '' }: Chosen): Schemas['RedeemableBody'] {
  const cents = centsOf(credits)
  const count = /^\d{1,15}$/.test(points) && Number(points) > 0 ? Number(points) : undefined
  return {
    object,
    id,
    ...(cents !== undefined && { gift: { credits: cents } }),
    ...(reward && { reward: { id: reward, ...(count !== undefined && { points: count }) } }),
  }
}

/** Metadata as typed: numbers, yes and no keep their type. */
function recordOf(pairs: readonly Pair[]): Record<string, unknown> | undefined {
  const named = pairs.filter(({ name }) => name.trim() !== '')
  if (named.length === 0) return undefined
  return Object.fromEntries(named.map(({ name, value }) => [name.trim(), typed(value.trim())]))
}

function typed(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/.test(text) ? Number(text) : text
}

/** Where the service found a fault, as far as it can be shown beside a field. */
export interface Faults {
  lines: Map<number, string>
  codes?: string
  customer?: string
  orderMetadata?: string
  metadata?: string
  at?: string
  /** What has no field. */
  other?: string
}

export function faultsOf(
  failure: { key: string; errors: readonly { path: string; details: string }[]; sentence: string } | null,
): Faults {
  const faults: Faults = { lines: new Map() }
  if (failure === null) return faults
  const errors =
    failure.errors.length > 0 ? failure.errors : [{ path: pathOfKey[failure.key] ?? '', details: failure.sentence }]
  for (const { path, details } of errors) {
    const line = /^\.order\.items\[(\d+)\]/.exec(path)?.[1]
    const text = sentence(path, details)
    if (line !== undefined) faults.lines.set(Number(line), text)
    else if (path.startsWith('.redeemables')) faults.codes ??= text
    else if (path.startsWith('.customer')) faults.customer ??= text
    else if (path.startsWith('.order.metadata')) faults.orderMetadata ??= text
    else if (path.startsWith('.metadata')) faults.metadata ??= text
    else if (path.startsWith('.options.as_of')) faults.at ??= text
    else faults.other ??= text
  }
  return faults
}

const pathOfKey: Record<string, string> = {
  duplicated_redeemables: '.redeemables',
  invalid_redeemables: '.redeemables',
  invalid_gift: '.redeemables',
}

/** `Property .order.items[0].quantity must be >= 0` names a place that the field beside it shows already. */
function sentence(path: string, details: string): string {
  const text = details.replace(`Property ${path} `, 'It ').replace(/ >= (\d+)/, ' at least $1')
  return /[.!?]$/.test(text) ? text : `${text}.`
}
