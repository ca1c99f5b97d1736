import type { Ctx } from '../../core/context.ts'
import { inUse } from '../../core/http/errors.ts'
import { earningRulesNaming } from '../../loyalty/earning-rules/naming.ts'
import { discountsNaming } from '../../rules/terms/naming.ts'
import { rulesNaming } from '../../rules/validation-rules/naming.ts'
import { collectionsNaming } from '../product-collections/naming.ts'

/**
 * Throws `resource_in_use` when a validation rule, a static collection, an earning rule or a discount names one of some goods
 * (docs/reference/products.md#product-endpoints).
 * `resource_type` and `id` are what is to be deleted.
 */
export async function refuseInUse(
  ctx: Ctx,
  resource_type: 'product' | 'sku',
  id: string,
  { products, skus }: { products: string[]; skus: string[] },
): Promise<void> {
  for (const [object, ids] of [['product', products] as const, ['sku', skus] as const]) {
    const rules = await rulesNaming(ctx, object, ids)
    if (rules.total > 0) throw inUse(resource_type, id, { type: 'validation_rules', ...rules })
  }
  const collections = await collectionsNaming(ctx, [...products, ...skus])
  if (collections.total > 0) throw inUse(resource_type, id, { type: 'products_collection', ...collections })
  const earning_rules = await earningRulesNaming(ctx, { products, skus })
  if (earning_rules !== null) throw inUse(resource_type, id, earning_rules)
  const discounts = await discountsNaming(ctx, [...products, ...skus])
  if (discounts !== null) throw inUse(resource_type, id, discounts)
}
