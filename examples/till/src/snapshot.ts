import { type Guerdon, type Schemas, unwrap } from '@guerdon/client'
import { countersOf } from '@guerdon/engine'
import type { Facts, Redeemable, ValidationRule } from '@guerdon/engine/schema'

/** Everything that the till needs to price a cart without the service; plain JSON, so that it can be kept in a file. */
export interface Snapshot {
  taken_at: string
  timezone: string
  stacking_rules: Facts['stacking_rules']
  products: Product[]
  /** Tried on every cart. */
  promotions: Redeemable[]
  /** Tried when somebody says their code. */
  vouchers: Redeemable[]
}

export interface Product {
  id: string
  source_id: string
  name: string
  price: number
}

/** Reads products, promotions, codes and their rules while there is a connection. */
export async function takeSnapshot(guerdon: Guerdon, project: { projectId: string }): Promise<Snapshot> {
  // Before the first answer: what is settled meanwhile may be counted twice, but not missed.
  const takenAt = new Date().toISOString()
  const { timezone } = unwrap(await guerdon.getProject(project))
  const { stacking_rules } = unwrap(await guerdon.checkEligibility({}))
  const rulesOf = await readRules(guerdon)
  const promotions: Redeemable[] = []
  for await (const tier of guerdon.listPromotionTiers.each({ is_available: true }))
    promotions.push(promotionOf(tier, [...rulesOf(tier.campaign_id), ...rulesOf(tier.id)]))
  const vouchers: Redeemable[] = []
  for await (const voucher of guerdon.listVouchers.each())
    if (voucher.type === 'DISCOUNT_VOUCHER' && !voucher.campaign_id)
      vouchers.push(voucherOf(voucher, rulesOf(voucher.id)))
  return {
    taken_at: takenAt,
    timezone,
    stacking_rules,
    products: await readProducts(guerdon),
    promotions: promotions.filter(isDecidableOffline),
    vouchers: vouchers.filter(isDecidableOffline),
  }
}

async function readProducts(guerdon: Guerdon): Promise<Product[]> {
  const products: Product[] = []
  for await (const { id, source_id, name, price } of guerdon.listProducts.each())
    if (source_id && typeof price === 'number') products.push({ id, source_id, name: name ?? source_id, price })
  return products
}

/** Returns a function that finds the rules of a code, a promotion or a campaign by its id. */
async function readRules(guerdon: Guerdon): Promise<(id: string) => ValidationRule[]> {
  const rules = new Map<string, ValidationRule>()
  for await (const { id, rules: tree, bundle_rules, applicable_to, error } of guerdon.listValidationRules.each())
    rules.set(id, { id, rules: tree, bundle_rules, applicable_to, error } as ValidationRule)
  const assigned = new Map<string, ValidationRule[]>()
  for await (const { rule_id, related_object_id } of guerdon.listValidationRuleAssignments.each()) {
    const rule = rules.get(rule_id)
    if (rule) assigned.set(related_object_id, [...(assigned.get(related_object_id) ?? []), rule])
  }
  return (id) => assigned.get(id) ?? []
}

const promotionOf = (tier: Schemas['PromotionTier'], rules: ValidationRule[]): Redeemable =>
  ({
    kind: 'promotion_tier',
    object: 'promotion_tier',
    id: tier.id,
    resource_id: tier.id,
    active: tier.active,
    campaign: tier.campaign,
    ...validityOf(tier),
    discount: tier.action?.discount,
    rules,
  }) as Redeemable

const voucherOf = (voucher: Schemas['Voucher'], rules: ValidationRule[]): Redeemable =>
  ({
    kind: 'discount_voucher',
    object: 'voucher',
    id: voucher.code,
    code: voucher.code,
    resource_id: voucher.id,
    active: voucher.active,
    quantity: voucher.redemption?.quantity ?? null,
    redeemed_quantity: voucher.redemption?.redeemed_quantity ?? 0,
    ...validityOf(voucher),
    discount: voucher.discount,
    rules,
  }) as Redeemable

type Validity = Pick<Schemas['PromotionTier'], 'validity_timeframe' | 'validity_day_of_week' | 'validity_hours'>

const validityOf = (
  of: { start_date?: string | null; expiration_date?: string | null } & Partial<Nulls<Validity>>,
) => ({
  start_date: of.start_date,
  expiration_date: of.expiration_date,
  validity_timeframe: of.validity_timeframe,
  validity_day_of_week: of.validity_day_of_week,
  validity_hours: of.validity_hours,
})

type Nulls<Of> = { [Name in keyof Of]: Of[Name] | null }

/** Counts of past redemptions and product collections are with the service: what depends on them is not granted offline. */
function isDecidableOffline(redeemable: Redeemable): boolean {
  const rules = 'rules' in redeemable ? (redeemable.rules ?? []) : []
  return countersOf(rules).size === 0 && !JSON.stringify(rules).includes('"products_collection"')
}
