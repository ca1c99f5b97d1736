import { formulaFaults } from '@guerdon/engine'
import { ApplicableEntry, type ApplicableTo } from '@guerdon/engine/schema'
import { findGoods, type Goods, namedBy } from '../../catalogue/products/goods.ts'
import type { Ctx } from '../../core/context.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import type { ValidationRuleBody } from './schema.ts'

type Sent = NonNullable<ValidationRuleBody['applicable_to']>

/**
 * The goods that a rule covers, as they are stored (docs/reference/rules.md#applicable-goods): defaults spelled out, source ids
 * replaced by the ids they stand for. What the catalogue does not know keeps the name it was sent with, and matches once there is
 * such a thing.
 */
export async function completeApplicableTo(ctx: Ctx, sent: Sent): Promise<ApplicableTo> {
  const [included, excluded] = [sent.included ?? [], sent.excluded ?? []]
  checkEntries('.applicable_to.included', included)
  checkEntries('.applicable_to.excluded', excluded)

  const entries = [...included, ...excluded]
  const goods = await findGoods(ctx, { products: keysOf(entries, 'product'), skus: keysOf(entries, 'sku') })
  const identify = identityIn(goods)
  const complete = (entry: ApplicableEntry) => ({ ...defaults, ...said(entry), ...identify(entry) })
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
    const [unread] = formulaFaults(entry, `${path}[${index}].`)
    if (unread !== undefined)
      throw invalidPayload(`Property ${unread.field} is not a formula: ${unread.fault} at position ${unread.position}`)
  }
}

const keysOf = (entries: ApplicableEntry[], object: ApplicableEntry['object']): string[] =>
  entries
    .filter((entry) => entry.object === object)
    .flatMap(({ id, source_id }) => [id, source_id].filter((key) => key != null))

const defaults = { strict: false, effect: 'APPLY_TO_EVERY', target: 'ITEM', skip_initially: 0, repeat: 1 } as const

const identityFields = ['id', 'source_id', 'product_id', 'product_source_id'] as const
type Identity = Pick<ApplicableEntry, (typeof identityFields)[number]>

const saidFields = Object.keys(ApplicableEntry.properties).filter(
  (field) => !(identityFields as readonly string[]).includes(field),
) as Array<Exclude<keyof ApplicableEntry, keyof Identity>>

/** What an entry says besides its names; null says nothing, and what it has beyond that is ignored. */
const said = (entry: ApplicableEntry) =>
  Object.fromEntries(saidFields.filter((field) => entry[field] != null).map((field) => [field, entry[field]])) as Omit<
    ApplicableEntry,
    keyof Identity
  >

/** What the catalogue calls the good of an entry, and the product of an SKU; without it, what the entry calls them. */
function identityIn({ products, skus }: Goods): (entry: ApplicableEntry) => Identity {
  const [product, sku] = [namedBy(products), namedBy(skus)]
  return ({ object, id, source_id, product_id, product_source_id }) => {
    const key = (id ?? source_id) as string
    const otherKey = source_id ?? key
    const sent = { id: key, source_id: source_id ?? null }
    if (object === 'products_collection') return { id: key, source_id: null }
    if (object === 'product') return namesOf(product(key) ?? product(otherKey) ?? sent)
    const known = sku(key) ?? sku(otherKey)
    if (known === undefined)
      return {
        ...sent,
        ...(product_id == null ? {} : { product_id }),
        ...(product_source_id == null ? {} : { product_source_id }),
      }
    const parent = product(known.product_id)
    return { ...namesOf(known), product_id: known.product_id, product_source_id: parent?.source_id ?? null }
  }
}

const namesOf = ({ id, source_id }: { id: string; source_id: string | null }) => ({ id, source_id })
