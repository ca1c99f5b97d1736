import { kindOf, type NamedKind, type Reference } from '../../api/names.ts'
import type { RuleStep, Step } from './step.ts'

/** Everything that the steps name by an id: segments, goods, customers, tiers. */
export function referencesOf(steps: readonly Step[]): Reference[] {
  return steps.flatMap((step) => {
    if (step.step === 'rule') return ofRule(step)
    return step.step === 'check' ? [step.expected, step.actual].flatMap((value) => ofValue(value)) : []
  })
}

function ofRule({ name, expected, actual, rules = [] }: RuleStep): Reference[] {
  const goods: NamedKind | undefined = name === 'product.id' ? 'product' : name === 'sku.id' ? 'sku' : undefined
  const isAboutGoods = goods !== undefined || name.startsWith('order.items.')
  return [
    ...Object.values(expected).flatMap((value) => ofValue(value, goods)),
    ...(isAboutGoods ? [] : ofValue(actual)),
    ...rules.flatMap(ofRule),
  ]
}

const objects: Record<string, NamedKind> = { product: 'product', sku: 'sku', products_collection: 'collection' }

function ofValue(value: unknown, goods?: NamedKind): Reference[] {
  if (Array.isArray(value)) return value.flatMap((entry) => ofValue(entry, goods))
  if (typeof value === 'string') {
    const kind = kindOf(value) ?? goods
    return kind === undefined ? [] : [{ kind, id: value }]
  }
  if (typeof value !== 'object' || value === null) return []
  const { id, source_id, object } = value as Record<string, unknown>
  const known = [id, source_id].find((text) => typeof text === 'string' && text !== '') as string | undefined
  if (known === undefined) return []
  const kind = goods ?? kindOf(known) ?? objects[String(object)]
  return kind === undefined ? [] : [{ kind, id: known }]
}
