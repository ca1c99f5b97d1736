import { formulaFaults } from '@guerdon/engine'
import { ApplicableEntry, type ApplicableTo } from '@guerdon/engine/schema'
import { findGoods, type Goods, lookupByKey } from '../../catalogue/products/goods.ts'
import type { Ctx } from '../../core/context.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import type { ValidationRuleBody } from './schema.ts'

type ApplicableToBody = NonNullable<ValidationRuleBody['applicable_to']>

/**
 * The stored form of the products that a rule covers (docs/reference/rules.md#applicable-goods): with explicit defaults,
 * and ids instead of source ids. An entry unknown to the catalogue keeps the id it was sent with, and matches as soon as
 * such a product exists.
 */
export async function completeApplicableTo(ctx: Ctx, sent: ApplicableToBody): Promise<ApplicableTo> {
  const [included, excluded] = [sent.included ?? [], sent.excluded ?? []]
  checkEntries('.applicable_to.included', included)
  checkEntries('.applicable_to.excluded', excluded)

  const entries = [...included, ...excluded]
  const goods = await findGoods(ctx, { products: keysOf(entries, 'product'), skus: keysOf(entries, 'sku') })
  const identify = identityIn(goods)
  const complete = (entry: ApplicableEntry) => ({ ...defaults, ...optionsOf(entry), ...identify(entry) })
  return {
    included: included.map(complete),
    excluded: excluded.map(complete),
    included_all: sent.included_all ?? false,
  }
}

function checkEntries(path: string, entries: ApplicableEntry[]): void {
  for (const [index, entry] of entries.entries()) {
    const isNamed = entry.id != null || (entry.source_id != null && entry.object !== 'products_collection')
    if (!isNamed) throw invalidPayload(`Property ${path}[${index}] should have required property 'id'`)
    const [formulaError] = formulaFaults(entry, `${path}[${index}].`)
    if (formulaError !== undefined)
      throw invalidPayload(
        `Property ${formulaError.field} is not a formula: ${formulaError.fault} at position ${formulaError.position}`,
      )
  }
}

const keysOf = (entries: ApplicableEntry[], object: ApplicableEntry['object']): string[] =>
  entries
    .filter((entry) => entry.object === object)
    .flatMap(({ id, source_id }) => [id, source_id].filter((key) => key != null))

const defaults = { strict: false, effect: 'APPLY_TO_EVERY', target: 'ITEM', skip_initially: 0, repeat: 1 } as const

const identityFields = ['id', 'source_id', 'product_id', 'product_source_id'] as const
type Identity = Pick<ApplicableEntry, (typeof identityFields)[number]>

const optionFields = Object.keys(ApplicableEntry.properties).filter(
  (field) => !(identityFields as readonly string[]).includes(field),
) as Array<Exclude<keyof ApplicableEntry, keyof Identity>>

/** The members of an entry except its ids; null counts as omitted, and unknown members are ignored. */
const optionsOf = (entry: ApplicableEntry) =>
  Object.fromEntries(
    optionFields.filter((field) => entry[field] != null).map((field) => [field, entry[field]]),
  ) as Omit<ApplicableEntry, keyof Identity>

/** The ids of an entry, and of the product of an SKU, from the catalogue; if unknown there, those of the entry itself. */
function identityIn({ products, skus }: Goods): (entry: ApplicableEntry) => Identity {
  const [product, sku] = [lookupByKey(products), lookupByKey(skus)]
  return ({ object, id, source_id, product_id, product_source_id }) => {
    const key = (id ?? source_id) as string
    const otherKey = source_id ?? key
    const identity = { id: key, source_id: source_id ?? null }
    if (object === 'products_collection') return { id: key, source_id: null }
    if (object === 'product') return namesOf(product(key) ?? product(otherKey) ?? identity)
    const knownSku = sku(key) ?? sku(otherKey)
    if (knownSku === undefined)
      return {
        ...identity,
        ...(product_id == null ? {} : { product_id }),
        ...(product_source_id == null ? {} : { product_source_id }),
      }
    const parent = product(knownSku.product_id)
    return { ...namesOf(knownSku), product_id: knownSku.product_id, product_source_id: parent?.source_id ?? null }
  }
}

const namesOf = ({ id, source_id }: { id: string; source_id: string | null }) => ({ id, source_id })
