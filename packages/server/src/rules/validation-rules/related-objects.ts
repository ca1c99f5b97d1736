import type { Ctx } from '../../core/context.ts'
import type { EventData } from '../../core/events/catalogue.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import { findCampaign, listCampaignsById } from '../../incentives/campaigns/store.ts'
import { toSimplePromotionTier } from '../../incentives/promotions/tier.ts'
import { findTier, listTiersById } from '../../incentives/promotions/tier-store.ts'
import { findVoucher, listVouchersById } from '../../incentives/vouchers/store.ts'
import { toSimpleVoucher } from '../../incentives/vouchers/voucher.ts'
import { toSimpleEarningRule } from '../../loyalty/earning-rules/earning-rule.ts'
import { findEarningRule, listEarningRulesById } from '../../loyalty/earning-rules/store.ts'
import { findRewardAssignment, listRewardAssignmentsById } from '../../loyalty/reward-assignments/store.ts'
import type { RelatedObjectType } from './schema.ts'

/** The members in which the event of an assignment carries what a rule is assigned to, each in its short form. */
type Carried = Omit<EventData<'business_validation_rule.assignment.created'>, 'rule' | 'assignment'>

/** The short form of an object; a type that events do not carry is known by its id alone. */
type FormOf<T extends RelatedObjectType> = { id: string } & (T extends keyof Carried
  ? NonNullable<Carried[T]>
  : unknown)

/** How one type of object is found. */
export interface RelatedObject<T extends RelatedObjectType> {
  /**
   * The object by its id, or by what else it is known by (docs/reference/rule-assignments.md#endpoints); nobody may delete it
   * before the transaction is over (`for key share`), otherwise an assignment to nothing would stay.
   */
  find(ctx: Ctx, reference: string): Promise<FormOf<T> | undefined>
  /** Objects by their ids; those that are gone are left out. */
  list(ctx: Ctx, ids: string[]): Promise<Array<FormOf<T>>>
}

/** What rules can be assigned to. Objects of a type that is not listed do not exist. */
export type RelatedObjects = { readonly [T in RelatedObjectType]?: RelatedObject<T> }

/** Each noun that takes rules adds its type here; whoever deletes one of its objects calls `deleteAssignmentsOf`. */
export const relatedObjects: RelatedObjects = {
  voucher: {
    async find(ctx, reference) {
      const voucher = await findVoucher(ctx, reference, { lock: 'here' })
      return voucher && toSimpleVoucher(voucher)
    },
    list: async (ctx, ids) => (await listVouchersById(ctx, ids)).map(toSimpleVoucher),
  },
  campaign: {
    async find(ctx, reference) {
      const campaign = await findCampaign(ctx, reference, { lock: 'here' })
      return campaign && toSimpleCampaign(campaign)
    },
    list: async (ctx, ids) => (await listCampaignsById(ctx, ids)).map(toSimpleCampaign),
  },
  promotion_tier: {
    async find(ctx, id) {
      const tier = await findTier(ctx, id, { lock: 'here' })
      return tier && toSimplePromotionTier(tier)
    },
    list: async (ctx, ids) => (await listTiersById(ctx, ids)).map(toSimplePromotionTier),
  },
  earning_rule: {
    async find(ctx, id) {
      const rule = await findEarningRule(ctx, id, { lock: 'here' })
      return rule && toSimpleEarningRule(rule, rule.validation_rule_id)
    },
    async list(ctx, ids) {
      const rules = await listEarningRulesById(ctx, ids)
      return rules.map((rule) => toSimpleEarningRule(rule, rule.validation_rule_id))
    },
  },
  reward_assignment: {
    find: (ctx, id) => findRewardAssignment(ctx, id, { lock: 'here' }),
    list: listRewardAssignmentsById,
  },
}

/** What the event of an assignment says about its object: one member has it, the others are null. */
export function carriedIn(type: RelatedObjectType, form: object | undefined): Carried {
  const nobody: Carried = {
    voucher: null,
    campaign: null,
    promotion_tier: null,
    earning_rule: null,
    distribution: null,
  }
  return type in nobody ? { ...nobody, [type]: form ?? null } : nobody
}
